/** Refuses a title above the header, as reports have one: otherwise every row below it would be a fault. */
import { inQuotes } from '../text/quote.ts';
import { ALIASES, fold, OUR_COLUMNS, refuseFaults } from './input.ts';

export interface FirstRow {
  line: number;
  cells: readonly string[];
}

/** Titles are not longer: a title, a date, an empty line. */
export const MOST_TITLE_ROWS = 6;

/** Throws UsageError if the first row has one cell, and a row soon after it looks like the header. */
export function refuseTitle(name: string, [first, ...others]: readonly FirstRow[]): void {
  const [title, ...more] = wordsOf(first);
  if (first === undefined || title === undefined || more.length > 0 || isKnown(title)) return;
  const header = others.slice(0, MOST_TITLE_ROWS - 1).find((row) => {
    const words = wordsOf(row);
    return words.length > 1 && words.some(isKnown);
  });
  if (header === undefined) return;
  const message = `${inQuotes(title)} looks like a title: delete the rows above the header, which seems to be line ${header.line}`;
  refuseFaults({ name }, [{ line: first.line, message }]);
}

/** The cells with any text; those that are still together, because the title has none of their separators, taken apart. */
function wordsOf(row: FirstRow | undefined): string[] {
  const cells = (row?.cells ?? []).filter((cell) => cell.trim() !== '');
  const [only = ''] = cells;
  return cells.length === 1 ? only.split(/[,;\t]/) : cells;
}

function isKnown(cell: string): boolean {
  return OUR_COLUMNS.has(fold(cell)) || ALIASES.has(fold(cell));
}
