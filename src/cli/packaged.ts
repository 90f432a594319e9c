/**
 * Answers that come with the program as files, or with it: what scripts and shells ask for often is printed before commander or
 * anything else is loaded. They are whole command lines; reading one is the work of cli/program.ts.
 */
import { version } from '../../package.json';
import { isShell, readCompletionScript } from '../commands/completion-scripts.ts';
import { readIfPackaged, readPackaged } from '../durable/packaged-files.ts';
import type { Terminal } from './help/command-help.ts';

/** What help is laid out for by the build; wider terminals get the same. */
export const HELP_COLUMNS = 80;

/** The file under dist/help of a page: the words of a command or a noun, none for the program, or a topic's. */
export function helpFile(words: readonly string[]): string {
  return `${['qrctl', ...words].join(' ')}.txt`;
}

/** The answer to exactly this command line, where it lies ready; `terminal` tells where it would be read. */
export function readyAnswer(argv: readonly string[], terminal: () => Terminal): string | undefined {
  const [word = '', shell] = argv;
  if (argv.length === 1 && ['--version', '-V'].includes(word)) return `${version}\n`;
  if (argv.length === 2 && word === 'completion' && isShell(shell)) return readCompletionScript(shell);
  const pages = helpPages(argv);
  return pages.length > 0 ? readHelp(pages, terminal()) : undefined;
}

/** What a line that asks for help may mean: the command or the topic behind `help`, or the command before `--help`. */
function helpPages(argv: readonly string[]): (readonly string[])[] {
  const before = argv.slice(0, -1);
  if (argv[0] === 'help' && areNames(argv)) return [argv.slice(1), topicPage(argv.slice(1))];
  return ['--help', '-h'].includes(argv.at(-1) ?? '') && areNames(before) ? [before] : [];
}

/** The page of a topic; as a command its name is not known. */
export function topicPage(words: readonly string[]): string[] {
  return ['help', ...words];
}

/** What commands and topics are called; so, no part of a path. */
function areNames(words: readonly string[]): boolean {
  return words.every((word) => /^[a-z]+(-[a-z]+)*$/.test(word));
}

/** The first of the pages that the build laid out; undefined where it has none, or for another kind of terminal. */
function readHelp(pages: readonly (readonly string[])[], { columns = HELP_COLUMNS, colour }: Terminal): string | undefined {
  if (columns < HELP_COLUMNS) return undefined;
  const [page] = pages.flatMap((words) => readIfPackaged(`dist/help/${helpFile(words)}`) ?? []);
  const text = page?.toString();
  if (text === undefined) return undefined;
  return colour ? text : text.replace(/\x1b\[\d+m/g, '');
}

/**
 * What else comes with the program, behind `qrctl help`: the licences of the libraries in it, and its manual pages as man reads them.
 * From a package both are files; from one executable this is the way to them. Undefined for other words.
 */
export function packagedDocument([word, ...rest]: readonly string[]): string | undefined {
  if (word === 'licences' && rest.length === 0) return readPackaged('dist/THIRD-PARTY-LICENSES').toString();
  if (word !== 'man' || !areNames(rest)) return undefined;
  return readIfPackaged(`dist/man/${['qrctl', ...rest].join('-')}.1`)?.toString();
}
