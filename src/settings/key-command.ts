import { isAbsolute } from 'node:path';
import { messageOf, UsageError } from '../base/errors.ts';
import { redactKeys } from '../base/text/key.ts';
import { inShellOr, shown } from '../base/text/quote.ts';
import { splitWords } from '../base/text/split-words.ts';

/**
 * Refuses a relative path (the current directory would choose the program), and a key, because arguments are
 * public.
 */
export function parseKeyCommand(line: string): [file: string, ...args: string[]] {
  const refuse = (reason: string, hint: string): never => {
    throw new UsageError(`cannot use the key-command: ${reason}`, { hint });
  };
  const wordsOf = () => {
    try {
      return splitWords(line);
    } catch (error) {
      return refuse(messageOf(error), "Quote the word, or run a shell: `sh -c 'COMMAND'`.");
    }
  };
  if (redactKeys(line) !== line) {
    const hint = 'To store a key, run `qrctl auth login`.';
    refuse('it contains an API key, and other users can read arguments', hint);
  }
  const [file = '', ...args] = wordsOf();
  if (file === '')
    refuse('it is empty', 'Specify a command that prints the key, such as `op read op://VAULT/ITEM/FIELD`.');
  if (/[/\\]/.test(file) && !isAbsolute(file)) {
    const hint = 'Specify the program by its absolute path or its name.';
    refuse(`${shown(file)} depends on the current directory`, hint);
  }
  if (line.includes('\0')) refuse('it contains a NUL character', 'Remove that character.');
  return [file, ...args];
}

export function commandHint(line: string, place: 'stored' | 'passed' = 'stored'): string {
  const run = `Run \`${shown(line) === line ? line : inShellOr('COMMAND', line)}\` in a terminal`;
  if (place === 'passed') return `${run}, or specify a different command with --key-command.`;
  return `${run}, or change it with \`qrctl config set key-command 'COMMAND'\`.`;
}
