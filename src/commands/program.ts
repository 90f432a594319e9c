/**
 * The command line, read by commander and by nothing else. The program is made from tree.ts, each level of it when its name is
 * read, so that only the command that is meant is loaded. What is known of the flags counts also where the rest is not understood:
 * an error is told in the form that was asked for.
 */
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import type { ConsoleFlags } from '../context.ts';
import type { UsageError } from '../errors.ts';
import {
  examplesText,
  formatHelp,
  formatTopic,
  formatWelcome,
  groupText,
  rootText,
  type Terminal,
} from '../help/command-help.ts';
import { describeValues, sentence } from '../help/page.ts';
import { TOPICS } from '../help/topics.ts';
import { nearest } from '../nearest.ts';
import type { ErrorStyle } from '../output/render-error.ts';
import type { SettingFlags } from '../settings/settings.ts';
import { type CommandDefinition, type Options, oneOf, type Values } from './define.ts';
import { globalOptions, requestOptions } from './global-options.ts';
import { noHelp, refusal, refusedValue, unknownFlag } from './refusals.ts';
import { isBranch, type Node, ROOT_SUMMARY, TREE } from './tree.ts';

/** What a command line means: a command to run, a text to print, or a failure to tell. */
export type Invocation = Task | { kind: 'print'; text: string } | { kind: 'refuse'; error: unknown };

interface Task {
  kind: 'run';
  definition: CommandDefinition;
  args: string[];
  options: Values<Options>;
  globals: SettingFlags & ConsoleFlags;
}

/** What is asked for only by texts. */
export interface Means {
  version: string;
  terminal(flags: ConsoleFlags): Terminal;
}

/** A line while it is read. */
interface Reading {
  argv: readonly string[];
  /** The program, and each command that was named. */
  path: Command[];
  asked: 'help' | 'version' | undefined;
  /** Values that flags and arguments do not take, in their order. They are not thrown, so that the flags after them are read as well. */
  refused: UsageError[];
  /** What the command that was reached would do. */
  act: ((means: Means) => Promise<Invocation>) | undefined;
}

/** Reads a command line. What it cannot be understood as is `refuse`, a UsageError with the nearest command or flag as its hint. */
export async function interpret(argv: readonly string[], means: Means): Promise<Invocation & { style: ErrorStyle }> {
  const { reading, failure } = await read(argv);
  const invocation = await answer(reading, failure, means).catch((error: unknown) => ({ kind: 'refuse' as const, error }));
  return { ...invocation, style: styleOf(reading) };
}

async function read(argv: readonly string[]): Promise<{ reading: Reading; failure: unknown }> {
  const reading: Reading = { argv, path: [], asked: undefined, refused: [], act: undefined };
  const program = new Command('qrctl')
    .helpOption(false)
    .helpCommand(false)
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  program.command('__complete [words...]', { hidden: true });
  openGroup(program, { summary: ROOT_SUMMARY, commands: TREE }, reading);
  try {
    await program.parseAsync(argv, { from: 'user' });
    return { reading, failure: undefined };
  } catch (failure) {
    return { reading, failure };
  }
}

async function answer(reading: Reading, failure: unknown, means: Means): Promise<Invocation> {
  const { asked, refused, act } = reading;
  const [command, names] = [lastOf(reading), namesOf(reading)];
  if (failure !== undefined && !(failure instanceof CommanderError)) throw failure;
  const code = failure?.code;
  if (code === 'commander.unknownCommand') throw refusal(code, command, names, reading.argv);
  if (command.commands.length > 0 && code === 'commander.unknownOption') throw refusal(code, command, names, reading.argv);
  if (asked === 'version') return { kind: 'print', text: `${means.version}\n` };
  if (asked === 'help') return { kind: 'print', text: await formatHelp(command, means.terminal(globalsOf(reading))) };
  if (refused[0]) throw refused[0];
  if (reading.argv.length === 0) return { kind: 'print', text: await formatWelcome(command, means.terminal({})) };
  if (code !== undefined) throw refusal(code, command, names, reading.argv);
  if (!act) throw new Error(`qrctl ${names.join(' ')} does nothing`);
  return act(means);
}

function lastOf({ path }: Reading): Command {
  const command = path.at(-1);
  if (!command) throw new Error('no program was opened');
  return command;
}

function namesOf({ path }: Reading): string[] {
  return path.slice(1).map((command) => command.name());
}

/** A word that leads to commands: what it takes itself, and the commands by name alone until one of them is read. */
function openGroup(
  command: Command,
  { summary, commands }: { summary: string; commands: readonly Node[] },
  reading: Reading,
): void {
  reading.path.push(command);
  command.usage('<command> [flags]').description(sentence(summary));
  addOptions(command, { ...globalOptions, ...requestOptions }, reading);
  command.addHelpText('after', command.parent === null ? rootText : groupText);
  for (const { name, summary: does } of commands) command.command(name).summary(does);
  command.command('help [words...]', { hidden: command.parent !== null }).summary('explain a command or a topic');
  command.hook('preSubcommand', (_, child) => {
    const node = commands.find(({ name }) => name === child.name());
    return node ? openNode(child, node, reading) : openWords(child, reading);
  });
}

async function openNode(command: Command, node: Node, reading: Reading): Promise<void> {
  if (isBranch(node)) return openGroup(command, node, reading);
  reading.path.push(command);
  const { command: definition } = await node.load();
  const { description, arguments: given = [], options, examples } = definition;
  command.usage([...given.map(({ name }) => name), '[flags]'].join(' ')).description(description);
  command.addHelpText('after', examplesText(examples));
  for (const { name, description: what, choices } of given) {
    const argument = new Argument(name, describeValues({ description: what, choices: choices ?? [], repeatable: false }));
    if (choices) argument.argParser((raw: string) => accept(argument.name(), raw, choices, () => oneOf(raw, choices), reading));
    command.addArgument(argument);
  }
  addOptions(command, { ...options, ...globalOptions, ...requestOptions }, reading);
  command.action(() => {
    const values = command.opts<Values<Options>>();
    const own = Object.fromEntries(Object.keys(options).map((key) => [key, values[key]]));
    const task: Task = { kind: 'run', definition, args: command.args, options: own, globals: globalsOf(reading) };
    reading.act = async () => task;
  });
}

/** `help` and `__complete` take words that need make no sense. */
function openWords(command: Command, reading: Reading): void {
  const about = namesOf(reading);
  command.allowUnknownOption();
  if (command.name() === 'help') {
    addOptions(command, globalOptions, reading);
    command.action(() => {
      reading.act = (means) => helpOn([...about, ...command.args.filter((word) => !word.startsWith('-'))], reading, means);
    });
  } else {
    command.passThroughOptions().action(() => {
      reading.act = () => complete(command.args);
    });
  }
}

/** `qrctl help WORDS`: a topic, or the command of that name. */
async function helpOn(words: readonly string[], asking: Reading, means: Means): Promise<Invocation> {
  const [word = ''] = words;
  const topic = words.length === 1 ? TOPICS.find(({ name }) => name === word) : undefined;
  if (topic) return { kind: 'print', text: await formatTopic(topic, lastOf(asking), means.terminal(globalsOf(asking))) };
  const topics = TOPICS.map(({ name }) => name);
  const similar = TREE.some(({ name }) => name === word) ? undefined : nearest(word, topics);
  if (similar) throw noHelp(word, `did you mean \`qrctl help ${similar}\`?`);
  const names = words.filter((name) => name !== 'help');
  const { reading, failure } = await read([...names, '--help']);
  const invocation = await answer(reading, failure, { ...means, terminal: () => means.terminal(globalsOf(asking)) });
  const known = namesOf(reading);
  if (known.length < names.length) throw noHelp(names.join(' '), `try: ${['qrctl help', ...known].join(' ')}`);
  return invocation;
}

/** What completion scripts ask: which kind of candidate, how it begins, and all words typed so far, whose flags count. */
async function complete([kind = '', prefix = '', ...typed]: readonly string[]): Promise<Invocation> {
  const [{ command: definition }, { reading }] = await Promise.all([import('./candidates.ts'), read(typed)]);
  return { kind: 'run', definition, args: [kind, prefix], options: {}, globals: { ...globalsOf(reading), quiet: true } };
}

function addOptions(command: Command, options: Options, reading: Reading): void {
  for (const [key, definition] of Object.entries(options)) {
    const { flags, description, choices = [], repeatable = false, group = 'Flags:', parse } = definition;
    const option = new Option(flags, describeValues({ description, choices, repeatable })).helpGroup(group);
    if (option.attributeName() !== key) throw new Error(`option ${flags} is declared under the key ${key}`);
    if (parse)
      option.argParser((raw, previous) => acceptOption(option, raw, choices, () => parse(raw, previous), command, reading));
    command.addOption(option);
  }
  for (const request of ['help', 'version'] as const) {
    command.on(`option:${request}`, () => {
      reading.asked ??= request;
    });
  }
  if (!('format' in options)) command.addOption(formatOfErrors(command, reading));
}

/** No flag here; but who asks for JSON by it is told in JSON that it is none. */
function formatOfErrors(command: Command, reading: Reading): Option {
  return new Option('-f, --format <format>').hideHelp().argParser((raw) => {
    reading.refused.push(unknownFlag('--format', command, namesOf(reading)));
    return raw;
  });
}

function acceptOption<T>(
  option: Option,
  raw: string,
  choices: readonly string[],
  parse: () => T,
  command: Command,
  reading: Reading,
): T | undefined {
  const word = `${option.short}${raw}`;
  const [flag = ''] = word.split('=', 1);
  // `-format json` is -f with the value `ormat` to commander, which is never what was meant.
  if (reading.argv.includes(word) && command.options.some(({ long }) => long === `-${flag}`)) {
    reading.refused.push(unknownFlag(flag, command, namesOf(reading)));
    return undefined;
  }
  return accept(option.long ?? option.flags, raw, choices, parse, reading);
}

/** What `parse` makes of the value; what it refuses is remembered, and undefined. */
function accept<T>(name: string, raw: string, choices: readonly string[], parse: () => T, { refused }: Reading): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    refused.push(refusedValue(name, raw, choices, error));
    return undefined;
  }
}

/** The global flags that were given, before, between or after the names; the last one counts. */
function globalsOf({ path }: Reading): SettingFlags & ConsoleFlags {
  const given = path.flatMap((command) =>
    Object.keys(globalOptions)
      .filter((key) => command.getOptionValueSource(key) === 'cli')
      .map((key): [string, unknown] => [key, command.getOptionValue(key)]),
  );
  return Object.fromEntries(given);
}

function styleOf(reading: Reading): ErrorStyle {
  const formats = reading.path.map((command): unknown => command.getOptionValue('format'));
  return {
    json: formats.some((format) => format === 'json' || format === 'ndjson'),
    verbose: globalsOf(reading).verbose === true,
  };
}
