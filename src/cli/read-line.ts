import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import type { UsageError } from '#base/errors';
import { type CommandDefinition, type Options, oneOf, type Values } from '#commands/define';
import { globalOptions, lineOptions } from '#commands/global-options';
import type { ConsoleFlags } from '#context';
import type { SettingFlags } from '#settings/settings';
import { describeValues, OWN_FLAGS } from './manual.ts';
import { findBrokenRelation, refusedValue, unknownFlag } from './refusals.ts';
import { HELP_SUMMARY, helpOptions, isBranch, type Leaf, type Node, ROOT_SUMMARY, TREE } from './tree.ts';

declare module 'commander' {
  interface Option {
    risky?: boolean;
  }
}

export interface Reading {
  argv: readonly string[];
  path: Command[];
  /** Errors in flags and values, collected so that later flags are also read. */
  refused: UsageError[];
  requested?: 'help' | 'version';
  reached?: Reached;
  failure?: unknown;
}

type Reached =
  | { kind: 'command'; definition: CommandDefinition; args: string[]; options: Values<Options> }
  | { kind: 'help'; words: string[]; json: boolean; isFull: boolean }
  | { kind: 'complete'; words: string[] };

/** Parses `argv`. Loads only its command. Returns errors, because --format applies to them. */
export async function readLine(argv: readonly string[]): Promise<Reading> {
  const reading: Reading = { argv, path: [], refused: [] };
  const program = new Command('qrctl')
    .helpOption(false)
    .helpCommand(false)
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  program.command('__complete [words...]', { hidden: true });
  try {
    openGroup(program, { summary: ROOT_SUMMARY, commands: TREE }, reading);
    await program.parseAsync(argv, { from: 'user' });
  } catch (failure) {
    reading.failure = failure;
  }
  return reading;
}

export function lastOf({ path }: Reading): Command {
  const command = path.at(-1);
  if (!command) throw new Error('the program was not opened');
  return command;
}

export function namesOf({ path }: Reading): string[] {
  return path.slice(1).map((command) => command.name());
}

export function globalsOf({ path }: Reading): SettingFlags & ConsoleFlags {
  const given = path.flatMap((command) =>
    Object.keys(globalOptions)
      .filter((key) => command.getOptionValueSource(key) === 'cli')
      .map((key): [string, unknown] => [key, command.getOptionValue(key)]),
  );
  return Object.fromEntries(given);
}

function openGroup(
  command: Command,
  { summary, commands }: { summary: string; commands: readonly Node[] },
  reading: Reading,
): void {
  reading.path.push(command);
  command.usage('<command> [flags]').description(`${summary}.`);
  addGlobalOptions(command, reading);
  for (const { name, summary: does } of commands) command.command(name).summary(does);
  command.command('help [words...]', { hidden: command.parent !== null }).summary(HELP_SUMMARY);
  command.hook('preSubcommand', (_, child) => {
    const node = commands.find(({ name }) => name === child.name());
    if (!node) return openWords(child, reading);
    return isBranch(node) ? openGroup(child, node, reading) : openCommand(child, node, reading);
  });
}

async function openCommand(command: Command, { load, guide }: Leaf, reading: Reading): Promise<void> {
  reading.path.push(command);
  const { command: definition } = await load();
  const { description, arguments: given = [], options, examples } = definition;
  command.usage([...given.map(({ term }) => term), '[flags]'].join(' ')).description(description);
  Object.assign(command, { examples, guide });
  for (const definition of given) {
    const argument = new Argument(definition.term, describeValues(definition));
    const { choices } = definition;
    if (choices)
      argument.argParser((raw: string) =>
        accept(argument.name(), raw, choices, () => oneOf(raw, choices), reading),
      );
    command.addArgument(argument);
  }
  addOptions(command, options, reading);
  addGlobalOptions(command, reading);
  command.action(() => {
    const values = command.opts<Values<Options>>();
    const own = Object.fromEntries(Object.keys(options).map((key) => [key, values[key]]));
    const typed = Object.keys(options).filter((key) => command.getOptionValueSource(key) === 'cli');
    const broken = findBrokenRelation(definition, { given: typed, args: command.args, values: own });
    if (broken) reading.refused.push(broken);
    reading.reached = { kind: 'command', definition, args: command.args, options: own };
  });
}

function openWords(command: Command, reading: Reading): void {
  const before = namesOf(reading);
  command.allowUnknownOption();
  if (command.name() === '__complete') {
    command.passThroughOptions().action(() => {
      reading.reached = { kind: 'complete', words: command.args };
    });
    return;
  }
  addOptions(command, { ...helpOptions, ...globalOptions }, reading);
  addFormatOfErrors(command, reading);
  command.action(() => {
    const has = (key: string) => command.getOptionValue(key) === true;
    const words = [...before, ...command.args.filter((word) => !word.startsWith('-'))];
    reading.reached = { kind: 'help', words, json: has('json'), isFull: has('full') };
  });
}

const MOST_VALUES = 16;

function addOptions(command: Command, options: Options, reading: Reading): void {
  for (const [key, definition] of Object.entries(options)) {
    const { flags, choices = [], group = OWN_FLAGS, risky, rare, parse } = definition;
    const option = new Option(flags, describeValues(definition, MOST_VALUES)).helpGroup(group);
    option.risky = risky;
    option.rare = rare;
    if (option.attributeName() !== key) throw new Error(`option ${flags} is declared under the key ${key}`);
    if (parse) {
      option.argParser((raw, previous) => {
        refuseSingleDash(option, raw, command, reading);
        return accept(option.long ?? flags, raw, choices, () => parse(raw, previous), reading);
      });
    }
    command.addOption(option);
  }
}

/** Adds the global flags. Must be called last: `--no-color` must follow a command's own `--color`. */
function addGlobalOptions(command: Command, reading: Reading): void {
  addOptions(command, lineOptions, reading);
  for (const request of ['help', 'version'] as const) {
    command.on(`option:${request}`, () => {
      reading.requested ??= request;
    });
  }
  if (!command.options.some(({ long }) => long === '--format')) addFormatOfErrors(command, reading);
}

/** Adds a hidden, refused `--format` to commands without one, so that errors are JSON if requested. */
function addFormatOfErrors(command: Command, reading: Reading): void {
  const option = new Option('-f, --format <format>').hideHelp().argParser((raw) => {
    reading.refused.push(unknownFlag('--format', command, namesOf(reading), reading.argv));
    return raw;
  });
  command.addOption(option);
}

/** Refuses `-format` if --format exists. Commander parses it as -f with the value `ormat`. */
function refuseSingleDash({ short }: Option, raw: string, command: Command, reading: Reading): void {
  const word = `${short}${raw}`;
  const [flag = ''] = word.split('=', 1);
  if (!reading.argv.includes(word) || !command.options.some(({ long }) => long === `-${flag}`)) return;
  reading.refused.push(unknownFlag(flag, command, namesOf(reading)));
}

function accept<T>(
  name: string,
  raw: string,
  choices: readonly string[],
  parse: () => T,
  { refused }: Reading,
): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    refused.push(refusedValue(name, raw, choices, error));
    return undefined;
  }
}
