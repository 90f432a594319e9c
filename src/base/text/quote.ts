import { clean } from './clean.ts';

const LONGEST = 64;

const WORD = /^[\w.~:/+@-]{1,64}$/;

const LONGEST_PART = 1000;

export function withoutLongParts(text: string): string {
  return text.replace(/\S+/g, (part) => {
    if (part.length <= LONGEST_PART) return part;
    const start = [...part.slice(0, 4 * LONGEST)].slice(0, 2 * LONGEST).join('');
    return `${start}…${[...part.slice(-2 * LONGEST)].slice(-LONGEST).join('')}`;
  });
}

/** Returns a text as one line, cleaned and truncated, but not quoted. */
export function shown(text: string): string {
  if (text.length <= LONGEST) return clean(text);
  const start = [...text.slice(0, 2 * LONGEST)].slice(0, LONGEST).join('');
  return clean(start) + (start.length < text.length ? '…' : '');
}

export function inQuotes(text: string): string {
  return `"${shown(text).replaceAll('"', '\\"')}"`;
}

export function countOf(count: number, thing: string): string {
  return `${formatCount(count)} ${thing}${count === 1 ? '' : 's'}`;
}

export function countAmong(count: number, all: number, thing: string): string {
  return all === 1 ? countOf(count, thing) : `${formatCount(count)} of ${countOf(all, thing)}`;
}

export function joinSome(
  texts: readonly string[],
  { most, separator = ' or ' }: { most: number; separator?: string },
): string {
  const more = texts.length - most;
  return [...texts.slice(0, most), ...(more > 0 ? [countOf(more, 'other')] : [])].join(separator);
}

export function listSome(texts: readonly string[], most: number): string {
  const more = texts.length > most ? ` and ${texts.length - most} more` : '';
  return texts.slice(0, most).join(', ') + more;
}

/** Formats a count with commas, without `toLocaleString`, whose first call takes 10 ms. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

export function quote(text: string): string {
  return WORD.test(text) ? text : inQuotes(text);
}

const SHELL_WORD = /^[\w@%+=:,./-]+$/;

export function inShell(word: string): string {
  return SHELL_WORD.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Quotes a word for a POSIX shell. Returns `otherwise` if it is too long or has unsafe characters. */
export function inShellOr(otherwise: string, word: string): string {
  return shown(word) === word ? inShell(word) : otherwise;
}

export function codeInShell({ id, slug }: { id: string; slug: string }): string {
  return SHELL_WORD.test(slug) && slug.length <= LONGEST && !slug.startsWith('-') ? slug : id;
}

export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function asSentence(clause: string): string {
  return `${capitalize(clause)}${clause.endsWith('.') ? '' : '.'}`;
}
