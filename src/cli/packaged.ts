/** Returns texts that the build prepared, so that qrctl need not load other modules. */

import { isShell, readCompletionScript } from '#commands/completion-scripts';
import { readIfPackaged, readPackaged } from '#files/durable/packaged-files';
import { version } from '../../package.json';
import type { Terminal } from './help/command-help.ts';

export const HELP_COLUMNS = 80;

export function helpFile(words: readonly string[]): string {
  return `${['qrctl', ...words].join(' ')}.txt`;
}

export function readyText(argv: readonly string[], terminal: () => Terminal): string | undefined {
  const [word = '', shell] = argv;
  if (argv.length === 1 && ['--version', '-V'].includes(word)) return `${version}\n`;
  if (argv.length === 2 && word === 'completion' && isShell(shell)) return readCompletionScript(shell);
  const pages = helpPages(argv);
  return pages.length > 0 ? readHelp(pages, terminal()) : undefined;
}

function helpPages(argv: readonly string[]): (readonly string[])[] {
  const before = argv.slice(0, -1);
  if (argv[0] === 'help' && areNames(argv)) return [argv.slice(1), topicPage(argv.slice(1))];
  return ['--help', '-h'].includes(argv.at(-1) ?? '') && areNames(before) ? [before] : [];
}

export function topicPage(words: readonly string[]): string[] {
  return ['help', ...words];
}

function areNames(words: readonly string[]): boolean {
  return words.every((word) => /^[a-z]+(-[a-z]+)*$/.test(word));
}

function readHelp(
  pages: readonly (readonly string[])[],
  { columns = HELP_COLUMNS, color }: Terminal,
): string | undefined {
  if (columns < HELP_COLUMNS) return undefined;
  const [page] = pages.flatMap((words) => readIfPackaged(`dist/help/${helpFile(words)}`) ?? []);
  const text = page?.toString();
  if (text === undefined) return undefined;
  return color ? text : text.replace(/\x1b\[\d+m/g, '');
}

export function packagedDocument([word, ...rest]: readonly string[]): string | undefined {
  if ((word === 'licenses' || word === 'licences') && rest.length === 0)
    return readPackaged('dist/THIRD-PARTY-LICENSES').toString();
  if (word !== 'man' || !areNames(rest)) return undefined;
  return readIfPackaged(`dist/man/${['qrctl', ...rest].join('-')}.1`)?.toString();
}
