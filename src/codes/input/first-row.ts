import { inQuotes } from '#base/text/quote';
import { fold, isAddress, OUR_COLUMNS, refuseFaults } from '#files/formats/read/input';
import { isUuid } from '#service/checks';
import { isHeaderWord } from './header-words.ts';

export interface FirstRow {
  line: number;
  cells: readonly string[];
}

export const MOST_TITLE_ROWS = 6;

/** Refuses a first row that looks like a title (one cell above a likely header) or has an address or ID. */
export function refuseFirstRow(name: string, [first, ...others]: readonly FirstRow[]): void {
  if (first === undefined) return;
  const message = titleFault(first, others) ?? dataFault(first);
  if (message !== undefined) refuseFaults({ name }, [{ line: first.line, message }]);
}

function titleFault(first: FirstRow, others: readonly FirstRow[]): string | undefined {
  const [title, ...more] = wordsOf(first);
  if (title === undefined || more.length > 0 || isKnown(title)) return undefined;
  const header = others.slice(0, MOST_TITLE_ROWS - 1).find((row) => {
    const words = wordsOf(row);
    return words.length > 1 && words.some(isKnown);
  });
  if (header === undefined) return undefined;
  return `${inQuotes(title)} looks like a title: delete the rows above the header, which seems to be line ${header.line}`;
}

function dataFault({ cells }: FirstRow): string | undefined {
  const value = cells.find((cell) => isAddress(cell) || isUuid(cell.trim()));
  if (value === undefined) return undefined;
  return `${inQuotes(value)} looks like data, not like a column name: add a line above it with the names of the columns`;
}

function wordsOf(row: FirstRow): string[] {
  const cells = row.cells.filter((cell) => cell.trim() !== '');
  const [only = ''] = cells;
  return cells.length === 1 ? only.split(/[,;\t]/) : cells;
}

function isKnown(cell: string): boolean {
  return OUR_COLUMNS.has(fold(cell)) || isHeaderWord(cell);
}
