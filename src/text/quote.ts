/**
 * How a value stands in a sentence. One that is not ours, of the service, of a file, of the command line, is cleaned, so that it has no
 * line of its own and nothing that a terminal obeys; bounded; and in quotes where it could be taken for our own words.
 */
import { clean } from './clean.ts';

const LONGEST = 64;

/** An id, a slug, a time, an address: one word, whose ends are seen without quotes. */
const WORD = /^[\w.~:/+@-]{1,64}$/;

/** No path or address that works has a longer part without a space. */
const LONGEST_PART = 1000;

/** A sentence without what nobody reads: a path or an address that was refused because it is longer than any loses its middle. */
export function withoutLongParts(text: string): string {
  return text.replace(/\S+/g, (part) => {
    if (part.length <= LONGEST_PART) return part;
    const start = [...part.slice(0, 4 * LONGEST)].slice(0, 2 * LONGEST).join('');
    return `${start}…${[...part.slice(-2 * LONGEST)].slice(-LONGEST).join('')}`;
  });
}

/** On one line and short, without quotes: for a sentence that has its own. */
export function shown(text: string): string {
  if (text.length <= LONGEST) return clean(text);
  // By code points, so that none is cut in two.
  const start = [...text.slice(0, 2 * LONGEST)].slice(0, LONGEST).join('');
  return clean(start) + (start.length < text.length ? '…' : '');
}

/** As `shown`, in quotes; those within it cannot end them. */
export function inQuotes(text: string): string {
  return `"${shown(text).replaceAll('"', '\\"')}"`;
}

/** So many things: `1 scan`, `2,000 scans`. */
export function countOf(count: number, thing: string): string {
  return `${formatCount(count)} ${thing}${count === 1 ? '' : 's'}`;
}

/** `12,000` of 12000, the same in every locale. Not by `toLocaleString`, whose first call takes node 10 ms. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** As it is where it is a plain word, else in quotes. */
export function quote(text: string): string {
  return WORD.test(text) ? text : inQuotes(text);
}

/** What any POSIX shell takes for itself. */
const SHELL_WORD = /^[\w@%+=:,./-]+$/;

/** A word of a line that is proposed to be pasted into a POSIX shell: in single quotes, where nothing has a meaning, unless it is a plain one. */
export function inShell(word: string): string {
  return SHELL_WORD.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** As `inShell`; a word that cannot be shown as it is, or is long, is left to be typed in the place of `otherwise`. */
export function inShellOr(otherwise: string, word: string): string {
  return shown(word) === word ? inShell(word) : otherwise;
}

/** A code in such a line: by its slug where that is a plain word and no flag, else by its id, which is a uuid. */
export function codeInShell({ id, slug }: { id: string; slug: string }): string {
  return SHELL_WORD.test(slug) && slug.length <= LONGEST && !slug.startsWith('-') ? slug : id;
}
