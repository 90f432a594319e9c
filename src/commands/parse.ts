/** From the words after a command to its typed values, by commander. */
import { Argument, Command, CommanderError, Option } from 'commander';
import { fullName, usage } from '../help/page.ts';
import { nearest } from '../nearest.ts';
import {
  type ArgumentDefinition,
  type CommandDefinition,
  InvalidArgumentError,
  type OptionDefinition,
  type Options,
  oneOf,
  type Values,
} from './define.ts';
import { takesNext } from './find-command.ts';
import { commandPage, flagsOf, GLOBALS } from './manual.ts';
import { misread, nearestFlag, shorten } from './unknown.ts';

export interface Parsed<G extends Options> {
  args: string[];
  /** The values of the command's own options. */
  options: Values<Options>;
  globals: Values<G>;
}

/**
 * Reads `words`, which are everything typed but the command's names. Throws UsageError on what the command does not take,
 * with what was probably meant as its hint.
 */
export function parseWords<G extends Options>(
  names: readonly string[],
  definition: CommandDefinition,
  globals: G,
  words: readonly string[],
): Parsed<G> {
  const command = new Command(fullName(names))
    .helpOption(false)
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  for (const argument of definition.arguments ?? []) command.addArgument(toArgument(argument));
  addOptions(command, { ...globals, ...definition.options });
  refuseSingleDash(words, definition.options, globals);
  try {
    command.parse([...words], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) throw refusal(error, names, definition);
    throw error;
  }
  const values = command.opts<Values<Options>>();
  return { args: command.args, options: pick(values, definition.options), globals: pick(values, globals) };
}

function addOptions(command: Command, options: Options): void {
  for (const [key, definition] of Object.entries(options)) {
    const option = new Option(definition.flags, definition.description);
    if (option.attributeName() !== key) throw new Error(`option ${definition.flags} is declared under the key ${key}`);
    const { parse } = definition;
    const name = option.long ?? definition.flags;
    if (parse) option.argParser((raw, previous) => accept(name, raw, definition, () => parse(raw, previous)));
    command.addOption(option);
  }
}

function toArgument(definition: ArgumentDefinition): Argument {
  const argument = new Argument(definition.name, definition.description);
  const { choices } = definition;
  if (!choices) return argument;
  return argument.argParser((raw: string) => accept(argument.name(), raw, definition, () => oneOf(raw, choices)));
}

/** What `parse` makes of the value, or a UsageError in the words all flags and arguments share. */
function accept<T>(name: string, raw: string, { choices = [] }: Pick<OptionDefinition<T>, 'choices'>, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    const similar = nearest(raw, choices);
    const reason = error.message.replace(/^It /, 'it ').replace(/\.$/, '');
    throw misread(`${name} cannot be '${shorten(raw)}': ${reason}`, {
      hint: similar && `did you mean ${name.startsWith('-') ? `${name} ` : ''}${similar}?`,
      cause: error,
    });
  }
}

/** `-format json` is -f with the value `ormat` to commander, which is never what was meant. */
function refuseSingleDash(words: readonly string[], own: Options, globals: Options): void {
  const flags = [...flagsOf(own), ...flagsOf(globals)];
  for (let i = 0; i < words.length && words[i] !== '--'; i++) {
    const word = words[i] ?? '';
    const [name = ''] = word.split('=', 1);
    if (name.length > 2 && flags.some(({ long }) => long === `-${name}`)) {
      throw misread(`unknown flag '${name}'`, { hint: `did you mean -${name}?` });
    }
    if (takesNext(word, flags)) i += 1;
  }
}

/** Commander's refusal in our words. */
function refusal({ code, message }: CommanderError, names: readonly string[], definition: CommandDefinition) {
  const page = commandPage(names, '', definition);
  const [line = ''] = message.replace(/^error: /, '').split('\n');
  if (code !== 'commander.unknownOption') return misread(line, { hint: `usage: ${usage(page)}` });
  const flag = /'(.*)'/.exec(line)?.[1] ?? '';
  const similar = nearestFlag(
    flag.split('=', 1)[0] ?? '',
    [...page.flags, ...GLOBALS].map(({ long }) => long),
  );
  const hint = similar ? `did you mean ${similar}?` : `${fullName(names)} --help shows what it takes`;
  return misread(`unknown flag '${shorten(flag)}'`, { hint });
}

function pick<O extends Options>(values: Values<Options>, options: O): Values<O> {
  return Object.fromEntries(Object.keys(options).map((key) => [key, values[key]])) as Values<O>;
}
