import { firstIndex } from '#base/collections';

const IDEOGRAPH = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\u30fc\uff00-\uffef]/u;
/** Matches characters that must not begin a line (JLREQ 3.1.7). */
const NOT_FIRST = /[、。，．・：；？！）］｝」』】〉》〕ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ％]/u;
/** Matches characters that must not end a line (JLREQ 3.1.8). */
const NOT_LAST = /[（［｛「『【〈《〔]/u;

const ELLIPSIS = '…';
const FIRST_TRY = 32;

/** Breaks a text into at most `most` lines, if possible between words. Truncates the last line if needed. */
export function breakLines(
  text: string,
  most: number,
  widthOf: (text: string) => number,
  room: number,
): string[] {
  const lines: string[] = [];
  let left = text;
  while (left !== '' && lines.length < most) {
    const fit = longestFit(left, widthOf, room);
    if (fit.length === left.length) return [...lines, left];
    if (lines.length === most - 1) return [...lines, cut(left, widthOf, room)];
    const line = left.slice(0, lastBreak(left, fit.length) ?? fit.length);
    lines.push(line.trimEnd());
    left = left.slice(Math.max(1, line.length)).trimStart();
  }
  return lines;
}

function lastBreak(text: string, end: number): number | undefined {
  for (let at = end; at > 0; at--) if (canBreak(text[at - 1] ?? '', text[at] ?? '')) return at;
  return undefined;
}

function canBreak(before: string, after: string): boolean {
  if (after === ' ') return true;
  return (
    (IDEOGRAPH.test(before) || IDEOGRAPH.test(after)) && !NOT_FIRST.test(after) && !NOT_LAST.test(before)
  );
}

function cut(text: string, widthOf: (text: string) => number, room: number): string {
  const fit = longestFit(text, (part) => widthOf(part + ELLIPSIS), room);
  return `${fit.trimEnd()}${ELLIPSIS}`;
}

function longestFit(text: string, widthOf: (text: string) => number, room: number): string {
  const characters = [...text];
  const start = (count: number) => characters.slice(0, count).join('');
  let high = Math.min(characters.length, FIRST_TRY);
  while (high < characters.length && widthOf(start(high)) <= room)
    high = Math.min(characters.length, 2 * high);
  const count = firstIndex(high, (index) => widthOf(start(index + 1)) > room);
  return start(Math.max(1, count));
}
