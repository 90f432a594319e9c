/** From words typed to a command and its values, by commander; and the tree of commands that help and completions are made of. */
import { Command, CommanderError } from 'commander';
import { version } from '../../package.json';
import type { ConsoleFlags } from '../context.ts';
import { UsageError } from '../errors.ts';
import type { SettingFlags } from '../settings/settings.ts';
import { addOptions, applyDefinition, type CommandDefinition, type Options, type Values } from './define.ts';
import { globalOptions } from './global-options.ts';
import { isBranch, type Leaf, type Node, TREE } from './tree.ts';

/** What the words mean: run a command, or print a text. */
export type Invocation =
  | { kind: 'run'; definition: CommandDefinition; args: string[]; options: Values<Options>; globals: SettingFlags & ConsoleFlags }
  | { kind: 'print'; text: string };

/**
 * Reads a command line. Only the command that is meant is loaded. Throws UsageError, with the nearest command or flag as a
 * suggestion, when the words make none.
 */
export async function interpret(argv: readonly string[]): Promise<Invocation> {
  const program = createProgram();
  const path = findPath(wordsOf(argv));
  let chosen: Invocation | undefined;
  let printed = '';
  if (path) {
    const { command: definition } = await path.leaf.load();
    const command = descend(program, path.names);
    define(command, definition);
    command.action(() => {
      chosen = { kind: 'run', definition, args: command.args, options: command.opts(), globals: program.opts() };
    });
  }
  for (const command of everyCommand(program)) {
    command.exitOverride().configureOutput({
      writeOut: (text) => {
        printed += text;
      },
      writeErr: () => undefined,
    });
  }
  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) throw asUsageError(error, argv);
  }
  return chosen ?? { kind: 'print', text: printed };
}

/** The whole tree with every command loaded: what completions and man pages are made of. */
export async function createWholeProgram(): Promise<Command> {
  const program = createProgram();
  for (const { names, leaf } of leaves(TREE)) define(descend(program, names), (await leaf.load()).command);
  return program;
}

function createProgram(): Command {
  const program = new Command('qrctl').description('Dynamic QR codes and their scans, from the command line.');
  program.version(version, '-V, --version', 'print the version').helpCommand(false);
  program.configureHelp({ showGlobalOptions: true }).addHelpText('after', HELP_FOOTER);
  addOptions(program, globalOptions);
  for (const node of TREE) {
    const command = program.command(node.name).summary(node.summary).description(sentence(node.summary));
    if (!isBranch(node)) continue;
    command.helpCommand(false);
    for (const { name, summary } of node.commands) command.command(name).summary(summary);
  }
  for (const command of everyCommand(program)) command.copyInheritedSettings(program).helpOption('-h, --help', 'print help');
  return program;
}

const HELP_FOOTER = `
Start here:
  qrctl demo                      watch the main job done against a local service; needs no key
  qrctl auth login                store your key
  qrctl scans export --all -o scans.csv

Topics: qrctl help exit-codes | formatting | environment | rate-limits | automation
Help on a command: qrctl help COMMAND, or --help after it.`;

function define(command: Command, definition: CommandDefinition): void {
  applyDefinition(command, definition);
  const width = Math.max(...definition.examples.map((example) => example.command.length));
  const examples = definition.examples.map((example) => `  ${example.command.padEnd(width)}  # ${example.does}`);
  command.addHelpText('after', `\nExamples:\n${examples.join('\n')}`);
}

function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}

interface Path {
  names: readonly string[];
  leaf: Leaf;
}

function* leaves(nodes: readonly Node[]): Generator<Path> {
  for (const node of nodes) {
    if (!isBranch(node)) yield { names: [node.name], leaf: node };
    else for (const leaf of node.commands) yield { names: [node.name, leaf.name], leaf };
  }
}

function findPath(words: readonly string[]): Path | undefined {
  for (const path of leaves(TREE)) if (path.names.every((name, i) => words[i] === name)) return path;
  return undefined;
}

function descend(program: Command, names: readonly string[]): Command {
  return names.reduce((command, name) => command.commands.find((child) => child.name() === name) ?? command, program);
}

function everyCommand(program: Command): Command[] {
  return [program, ...program.commands.flatMap(everyCommand)];
}

/** The words that are neither flags nor values of global flags. */
function wordsOf(argv: readonly string[]): string[] {
  const withValue = new Set(
    Object.values(globalOptions)
      .filter((option) => option.flags.includes('<'))
      .flatMap((option) => option.flags.match(/--?[\w-]+/g) ?? []),
  );
  return argv.filter((word, i) => !word.startsWith('-') && !withValue.has(argv[i - 1] ?? ''));
}

/** Commander's refusal in our words. A key typed where it does not belong is not repeated. */
function asUsageError({ code, message }: CommanderError, argv: readonly string[]): UsageError {
  const command = [
    'qrctl',
    ...(findPath(wordsOf(argv))?.names ??
      wordsOf(argv)
        .slice(0, 1)
        .filter((name) => TREE.some((node) => node.name === name))),
  ].join(' ');
  const hint = `${command} --help shows what it takes`;
  if (code === 'commander.help') return new UsageError(`${command}: which command?`, { hint });
  const [line = '', suggestion] = message
    .replace(/^error: /, '')
    .replace(/svc_live_[^\s']*/g, 'svc_live_…')
    .split('\n');
  return new UsageError(line, { hint: suggestion ? suggestion.replace(/^\((.*)\)$/, '$1') : hint });
}
