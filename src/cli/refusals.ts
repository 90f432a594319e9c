/** What is said where a command line is not understood: in our words, by commander's codes, with what was probably meant. */
import type { Command, InvalidArgumentError } from 'commander';
import { type FailureDetails, UsageError } from '../errors.ts';
import { redactKeys } from '../text/key.ts';
import { nearest } from '../text/nearest.ts';
import { shown } from '../text/quote.ts';
import { commandHint, flagHint, operandHint, siblings } from './did-you-mean.ts';
import { fullName } from './help/page.ts';

/** A failure to understand; what was typed is shown, but never a key that got where it does not belong. */
function misread(message: string, details: FailureDetails = {}): UsageError {
  return new UsageError(redactKeys(message), details);
}

/**
 * What commander refused by `code` (`CommanderError.code`) in `command`, the last that was named; `names` lead to it and `argv` is
 * the whole line. Throws on a code that no line can cause.
 */
export function refusal(code: string, command: Command, names: readonly string[], argv: readonly string[]): UsageError {
  const { args, registeredArguments } = command;
  const hint = `usage: ${fullName(names)} ${command.usage()}`;
  switch (code) {
    case 'commander.unknownCommand':
      return unknownCommand(args[0] ?? '', names, argv);
    case 'commander.unknownOption':
      // `args` has first what was no flag, then the unknown flag and all behind it.
      return unknownFlag(command.parseOptions(args).unknown[0] ?? '', command, names, argv);
    case 'commander.optionMissingArgument':
      return misread(`${shorten(argv.at(-1) ?? '')} needs a value`, { hint });
    case 'commander.missingArgument':
      return misread(`missing required argument '${registeredArguments[args.length]?.name()}'`, { hint });
    case 'commander.excessArguments':
      return misread(`too many arguments: '${shorten(args[registeredArguments.length] ?? '')}'`, {
        hint: operandHint(names, args, argv) ?? hint,
      });
    case 'commander.help':
      return noCommand(command, names);
    default:
      throw new Error(`commander refused the command line with ${code}`);
  }
}

function noCommand(command: Command, names: readonly string[]): UsageError {
  if (names.length === 0) return new UsageError('which command?', { hint: 'qrctl --help lists them' });
  const list = new Intl.ListFormat('en-GB', { type: 'disjunction' });
  const verbs = list.format(siblings(names));
  return new UsageError(`${command.name()}: which command? It takes ${verbs}`, {
    hint: `${fullName(names)} --help explains them`,
  });
}

/** `raw` is no value of that flag or argument; the message of `error` is a sentence on what is. */
export function refusedValue(name: string, raw: string, choices: readonly string[], error: InvalidArgumentError): UsageError {
  const similar = nearest(raw, choices);
  const reason = error.message.replace(/^It /, 'it ').replace(/\.$/, '');
  return misread(`${name} cannot be '${shorten(raw)}': ${reason}`, {
    hint: similar && `did you mean ${name.startsWith('-') ? `${name} ` : ''}${similar}?`,
    cause: error,
  });
}

/** A flag that `command` does not have; a program or a noun has only the global ones. */
export function unknownFlag(word: string, command: Command, names: readonly string[], argv: readonly string[] = []): UsageError {
  const [flag = ''] = word.split('=', 1);
  const known = command.options.flatMap(({ long, hidden, risky }) => (long === undefined || hidden || risky ? [] : [long]));
  const similar = nearestFlag(flag, known);
  const before = command.commands.length > 0;
  const help = before
    ? `a command's own flags stand after it, as in: ${fullName(names.length > 0 ? [...names, 'list'] : ['qr', 'list'])} ${shorten(flag)}`
    : `${fullName(names)} --help shows what it takes`;
  return misread(`unknown flag '${shorten(before ? flag : word)}'${before ? ' before the command' : ''}`, {
    hint: flagHint(word, known, names, argv) ?? (similar ? `did you mean ${similar}?` : help),
  });
}

/** The flag somebody probably meant; `-format` is `--format`. The dashes are not counted: they are the same in all. */
function nearestFlag(flag: string, known: readonly string[]): string | undefined {
  const exact = known.find((long) => long === `-${flag}`);
  if (exact !== undefined || flag.length <= 2) return exact;
  const name = nearest(
    flag.replace(/^-+/, ''),
    known.map((long) => long.slice(2)),
  );
  return name === undefined ? undefined : `--${name}`;
}

/** There is no command and no topic of that name. */
export function noHelp(words: string, hint: string): UsageError {
  return misread(`no help on '${shorten(words)}'`, { hint });
}

/** What is shown of a word in a message. */
function shorten(word: string): string {
  return shown(word);
}

/** `word`, typed after `names`, is no command there. */
function unknownCommand(word: string, names: readonly string[], argv: readonly string[]): UsageError {
  const typed = [...names, word].join(' ');
  return misread(`unknown command '${shorten(typed)}'`, {
    hint: commandHint(word, names, argv) ?? `${fullName(names)} --help lists the commands`,
  });
}
