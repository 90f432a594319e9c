import { graphemesOf } from './display-width.ts';

const CONTEXT = 40;

/** Shortens a common start or end of two values if it is longer than `longestCommon` graphemes. */
export function shortenPair(one: string, other: string, longestCommon: number): [string, string] {
  const [before, after] = [bounded(one), bounded(other)];
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const shorten = (graphemes: readonly string[]) =>
    elide(graphemes.slice(0, start), longestCommon, false) +
    graphemes.slice(start, graphemes.length - end).join('') +
    elide(graphemes.slice(graphemes.length - end), longestCommon, true);
  return [shorten(before), shorten(after)];
}

function elide(common: readonly string[], longest: number, isEnd: boolean): string {
  if (common.length <= longest) return common.join('');
  return isEnd ? `${common.slice(0, CONTEXT).join('')}…` : `…${common.slice(-CONTEXT).join('')}`;
}

/** Maximum number of characters to compare: values may have megabytes. */
const MOST_CHARACTERS = 20_000;

function bounded(text: string): string[] {
  const graphemes = [...graphemesOf(text.slice(0, MOST_CHARACTERS))];
  return text.length > MOST_CHARACTERS ? [...graphemes, '…'] : graphemes;
}
