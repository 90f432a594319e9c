import { isAbsolute } from 'node:path';
import { UsageError } from '#base/errors';
import { redactKeys } from '#base/text/key';
import { inShellOr, shown } from '#base/text/quote';

/** Parses a key-command. Throws UsageError, for example for a relative path or an API key. */
export function parseKeyCommand(line: string): [file: string, ...args: string[]] {
  const refuse = (reason: string, hint: string): never => {
    throw new UsageError(`cannot use the key-command: ${reason}`, { hint });
  };
  if (redactKeys(line) !== line) {
    const hint = 'To store a key, run `qrctl auth login`.';
    refuse('it contains an API key, and other users can read arguments', hint);
  }
  const [file = '', ...args] = splitWords(line, (reason) =>
    refuse(reason, "Quote the word, or run a shell: `sh -c 'COMMAND'`."),
  );
  if (file === '')
    refuse('it is empty', 'Specify a command that prints the key, such as `op read op://VAULT/ITEM/FIELD`.');
  if (/[/\\]/.test(file) && !isAbsolute(file)) {
    const hint = 'Specify the program by its absolute path or its name.';
    refuse(`${shown(file)} depends on the current directory`, hint);
  }
  if (line.includes('\0')) refuse('it contains a NUL character', 'Remove that character.');
  return [file, ...args];
}

const SHELL_SYNTAX = /[|&;<>$`]/;

/** Splits a line as a shell does, but refuses its operators. A backslash can escape only quotes. */
export function splitWords(line: string, refuse: (reason: string) => never): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (const [piece, single, double] of line.matchAll(
    /'([^']*)'|"((?:\\"|[^"])*)"|\s+|(?:\\['"]|[^\s'"])+|['"]/g,
  )) {
    const quoted = single ?? double?.replaceAll('\\"', '"');
    if (quoted === undefined && (piece === "'" || piece === '"'))
      refuse(`it has an opening ${piece} without a closing one`);
    if (quoted === undefined && /^\s/.test(piece)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    const syntax = quoted === undefined ? SHELL_SYNTAX.exec(piece) : null;
    if (syntax) refuse(`it runs without a shell, so an unquoted ${syntax[0]} has no effect`);
    word = (word ?? '') + (quoted ?? piece.replace(/\\(['"])/g, '$1'));
  }
  return word === undefined ? words : [...words, word];
}

export function commandHint(line: string, place: 'stored' | 'passed' = 'stored'): string {
  const run = `Run \`${shown(line) === line ? line : inShellOr('COMMAND', line)}\` in a terminal`;
  if (place === 'passed') return `${run}, or specify a different command with --key-command.`;
  return `${run}, or change it with \`qrctl config set key-command 'COMMAND'\`.`;
}
