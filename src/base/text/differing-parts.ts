import { graphemesOf } from './display-width.ts';

export interface Parts {
  readonly start: string;
  readonly differing: string;
  readonly end: string;
}

const LONGEST = 1000;
const CONTEXT = 40;

/**
 * Splits two values into common start, difference and common end. Long common parts are elided, differences
 * are not.
 */
export function differingParts(
  old: string,
  value: string,
  longestCommon = LONGEST,
): { old: Parts; new: Parts } {
  const [before, after] = [bounded(old), bounded(value)];
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const partsOf = (graphemes: readonly string[]): Parts => ({
    start: elide(graphemes.slice(0, start), longestCommon, false),
    differing: graphemes.slice(start, graphemes.length - end).join(''),
    end: elide(graphemes.slice(graphemes.length - end), longestCommon, true),
  });
  return { old: partsOf(before), new: partsOf(after) };
}

export function shortenPair(one: string, other: string, longestCommon: number): [string, string] {
  const parts = differingParts(one, other, longestCommon);
  const join = ({ start, differing, end }: Parts) => start + differing + end;
  return [join(parts.old), join(parts.new)];
}

function elide(common: readonly string[], longest: number, isEnd: boolean): string {
  if (common.length <= longest) return common.join('');
  return isEnd ? `${common.slice(0, CONTEXT).join('')}…` : `…${common.slice(-CONTEXT).join('')}`;
}

/** Maximum characters that are compared; values may have megabytes. */
const MOST_CHARACTERS = 20_000;

function bounded(text: string): string[] {
  const graphemes = [...graphemesOf(text.slice(0, MOST_CHARACTERS))];
  return text.length > MOST_CHARACTERS ? [...graphemes, '…'] : graphemes;
}
