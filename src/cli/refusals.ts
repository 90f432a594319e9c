import type { Command, InvalidArgumentError } from 'commander';
import { type FailureDetails, UsageError } from '#base/errors';
import { redactKeys } from '#base/text/key';
import { nearest } from '#base/text/nearest';
import { shown } from '#base/text/quote';
import { anyOf, type CommandDefinition, type Flag, type Options, type Values } from '#commands/define';
import { commandHint, flagHint, operandHint, siblings } from './did-you-mean.ts';
import { argumentsOf, flagsOf, fullName, relationName } from './manual.ts';

function misread(message: string, details: FailureDetails = {}): UsageError {
  return new UsageError(redactKeys(message), details);
}

/** Returns the error for a code of commander. Throws for codes that no command line causes. */
export function refusal(
  code: string,
  command: Command,
  names: readonly string[],
  argv: readonly string[],
): UsageError {
  const { args, registeredArguments } = command;
  const hint = `usage: ${fullName(names)} ${command.usage()}`;
  switch (code) {
    case 'commander.unknownCommand':
      return unknownCommand(args[0] ?? '', names, argv);
    case 'commander.unknownOption':
      // `args` ends with the unknown flag and the words after it.
      return unknownFlag(command.parseOptions(args).unknown[0] ?? '', command, names, argv);
    case 'commander.optionMissingArgument':
      return misread(`${shown(argv.at(-1) ?? '')} requires a value`, { hint });
    case 'commander.missingArgument':
      return misread(`missing argument '${registeredArguments[args.length]?.name()}'`, { hint });
    case 'commander.excessArguments':
      return misread(`too many arguments: '${shown(args[registeredArguments.length] ?? '')}'`, {
        hint: operandHint(names, args, argv) ?? hint,
      });
    case 'commander.help':
      return noCommand(command, names);
    default:
      throw new Error(`commander refused the command line with ${code}`);
  }
}

function noCommand(command: Command, names: readonly string[]): UsageError {
  if (names.length === 0)
    return new UsageError('no command specified', { hint: 'List the commands with `qrctl --help`.' });
  const verbs = anyOf(siblings(names));
  return new UsageError(`no command specified for ${command.name()} (expected ${verbs})`, {
    hint: `List the commands with \`${fullName(names)} --help\`.`,
  });
}

export function refusedValue(
  name: string,
  raw: string,
  choices: readonly string[],
  error: InvalidArgumentError,
): UsageError {
  const similar = nearest(raw, choices);
  const isWorkbook = name === '--format' && /^(xlsx?|excel)$/i.test(raw) && choices.includes('table');
  const problem =
    name === 'setting' ? `unknown setting '${shown(raw)}'` : `invalid value for ${name}: '${shown(raw)}'`;
  return misread(`${problem} (expected ${error.message})`, {
    hint: isWorkbook
      ? 'To write a workbook, use -o FILE.xlsx.'
      : similar && `Did you mean ${name.startsWith('-') ? `${name} ` : ''}${similar}?`,
    cause: error,
  });
}

export function unknownFlag(
  word: string,
  command: Command,
  names: readonly string[],
  argv: readonly string[] = [],
): UsageError {
  const [flag = ''] = word.split('=', 1);
  const known = command.options.flatMap(({ long, hidden, risky }) =>
    long === undefined || hidden || risky ? [] : [long],
  );
  const similar = nearestFlag(flag, known);
  const before = command.commands.length > 0;
  const help = before
    ? 'Put the flags of a command after its name, as in `qrctl qr list --limit 10`.'
    : `List the flags with \`qrctl help ${names.join(' ')} --full\`.`;
  return misread(`unknown flag '${shown(before ? flag : word)}'${before ? ' before the command' : ''}`, {
    hint: flagHint(word, known, names, argv) ?? (similar ? `Did you mean ${similar}?` : help),
  });
}

function nearestFlag(flag: string, known: readonly string[]): string | undefined {
  const names = known.map((long) => long.slice(2));
  const name = nearest(flag.replace(/^-+/, ''), names);
  return name === undefined ? undefined : `--${name}`;
}

export function noHelp(words: string, hint: string): UsageError {
  return misread(`no help for '${shown(words)}'`, { hint });
}

function unknownCommand(word: string, names: readonly string[], argv: readonly string[]): UsageError {
  const typed = [...names, word].join(' ');
  return misread(`unknown command '${shown(typed)}'`, {
    hint: commandHint(word, names, argv) ?? `List the commands with \`${fullName(names)} --help\`.`,
  });
}

export function findBrokenRelation(
  { options, arguments: terms = [] }: CommandDefinition,
  { given, args, values }: { given: readonly string[]; args: readonly string[]; values: Values<Options> },
): UsageError | undefined {
  const flags = flagsOf(options, terms);
  const keys = new Map(flags.map(({ long }, at) => [long, Object.keys(options)[at] ?? '']));
  const used = flags.filter(({ long }) => given.includes(keys.get(long) ?? ''));
  const words = argumentsOf(terms).map(relationName).slice(0, args.length);
  const present = new Set([...used.map(({ long }) => long), ...words]);
  for (const { long, requires } of used) {
    const missing = requires.filter((names) => !names.some((name) => present.has(name)));
    if (missing.length > 0) return missingFlags(long, missing, flags);
  }
  const pairs = used.flatMap(({ long, conflicts }) =>
    conflicts.filter((other) => present.has(other)).map((other) => ({ long, other })),
  );
  // A flag may change the meaning of the arguments, so a conflict between flags is reported first.
  const pair = pairs.find(({ other }) => keys.has(other)) ?? pairs[0];
  if (!pair) return undefined;
  const { long, other } = pair;
  const key = keys.get(long) ?? '';
  const hint = options[key]?.hintFor?.(values[key]) ?? `Omit either ${other} or ${long}.`;
  return new UsageError(`${other} can't be used with ${long}`, { hint });
}

function missingFlags(
  flag: string,
  missing: readonly (readonly string[])[],
  flags: readonly Flag[],
): UsageError {
  const list = (form: (name: string) => string) =>
    missing.map((names) => anyOf(names.map(form))).join(' and ');
  const withValue = (name: string) => {
    const value = flags.find(({ long }) => long === name)?.value?.replace(/\|-$/, '');
    if (value === undefined) return name;
    return `${name} ${/[A-Z]/.test(value) ? value : value.toUpperCase()}`;
  };
  return new UsageError(`${flag} requires ${list((name) => name)}`, {
    hint: `Add ${list(withValue)}, or omit ${flag}.`,
  });
}
