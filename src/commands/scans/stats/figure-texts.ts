/** Formats the cells of figures on a terminal. */
import { basename } from 'node:path';
import { formatCount } from '../../../base/text/quote.ts';
import type { Figure, Section } from '../../../scans/stats/figures.ts';

/** Signs of a drawing. Without `full` there are no bars, and without `sparks` no sparklines. */
export interface Signs {
  full: string;
  half: string;
  sparks: string;
  none: string;
  /** Mark of a previous period that begins before the data. */
  beforeData: string;
  /** Mark of a period that is not complete. */
  part: string;
}

/** `words`: for a screen reader, which skips signs or reads each of them. */
export const SIGNS = {
  blocks: { full: '█', half: '▌', sparks: '▁▂▃▄▅▆▇█', none: '–', beforeData: '†', part: '*' },
  ascii: { full: '#', half: '', sparks: '_.-=+*%#', none: '-', beforeData: '!', part: '*' },
  words: {
    full: '',
    half: '',
    sparks: '',
    none: 'none',
    beforeData: 'from before the data',
    part: 'incomplete',
  },
} as const satisfies Record<string, Signs>;

/**
 * Formats a value. A value could look like the label of empty values or of all others: values are without parentheses. `file`: the one
 * that the columns of codes are from.
 */
export function formatValue(
  { value, isRest, isPart }: Figure,
  { noneIs }: Section,
  { part }: Signs,
  file = '',
): string {
  if (isRest) return '(other)';
  if (value !== null) return `${value}${isPart ? ` ${part}` : ''}`;
  if (noneIs === 'unlisted') return `(not in ${basename(file)})`;
  return noneIs === 'both' ? `(none, or not in ${basename(file)})` : '(none)';
}

/** Formats the previous count, marked if it begins before the data. */
export function formatPrevious(
  previous: string | null,
  isBeforeData: boolean | undefined,
  { none, beforeData }: Signs,
): string {
  return `${previous ?? none}${isBeforeData ? ` ${beforeData}` : ''}`;
}

/** `0.4`, `12.5`, `1,250` */
export function formatAverage(average: number): string {
  return average >= 100 ? formatCount(Math.round(average)) : average.toFixed(1);
}

export function formatShare(share: number | null, { none }: Signs): string {
  return share === null ? none : `${(share * 100).toFixed(1)}%`;
}

/** Percentages above it are numbers that nobody can picture. */
const LARGEST_CHANGE = 9.99;

export function formatChange(change: number | null, { none }: Signs): string {
  if (change === null) return none;
  if (change > LARGEST_CHANGE) return 'more than tenfold';
  return `${change >= 0 ? '+' : '-'}${Math.abs(change * 100).toFixed(1)}%`;
}

/** Color of a change; a change of nothing has none. */
export function colourOfChange(change: number | null): 'green' | 'red' | undefined {
  const shown = Math.round((change ?? 0) * 1000);
  return shown === 0 ? undefined : shown > 0 ? 'green' : 'red';
}
