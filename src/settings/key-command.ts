/** Parses the command of a profile that prints its key. Every command loads this file. */
import { isAbsolute } from 'node:path';
import { messageOf, UsageError } from '../base/errors.ts';
import { redactKeys } from '../base/text/key.ts';
import { inShellOr, shown } from '../base/text/quote.ts';
import { splitWords } from '../base/text/split-words.ts';

/**
 * Returns the program and its arguments. Throws UsageError if it requires a shell, has a relative path (the
 * current directory would choose the program), or contains a key, because arguments are public.
 */
export function parseKeyCommand(line: string): [file: string, ...args: string[]] {
  if (redactKeys(line) !== line) {
    throw refusal(
      'it contains an API key, and other users can read arguments',
      'To store a key, run `qrctl auth login`.',
    );
  }
  const [file = '', ...args] = wordsOf(line);
  if (file === '')
    throw refusal(
      'it is empty',
      'Specify a command that prints the key, such as `op read op://VAULT/ITEM/FIELD`.',
    );
  if (/[/\\]/.test(file) && !isAbsolute(file))
    throw refusal(
      `${shown(file)} depends on the current directory`,
      'Specify the program by its absolute path or its name.',
    );
  if (line.includes('\0')) throw refusal('it contains a NUL character', 'Remove that character.');
  return [file, ...args];
}

function wordsOf(line: string): string[] {
  try {
    return splitWords(line);
  } catch (error) {
    throw refusal(messageOf(error), "Quote the word, or run a shell: `sh -c 'COMMAND'`.");
  }
}

function refusal(reason: string, hint: string): UsageError {
  return new UsageError(`cannot use the key-command: ${reason}`, { hint });
}

export function commandHint(line: string, place: 'stored' | 'passed' = 'stored'): string {
  const run = `Run \`${shown(line) === line ? line : inShellOr('COMMAND', line)}\` in a terminal`;
  if (place === 'passed') return `${run}, or specify a different command with --key-command.`;
  return `${run}, or change it with \`qrctl config set key-command 'COMMAND'\`.`;
}
