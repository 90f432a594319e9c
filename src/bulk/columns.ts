/**
 * Which columns of a bulk file mean what (by name, in any order and case; all others belong to the person), and what the cells of
 * those may hold.
 */
import leven from 'leven';
import { quote } from '../quote.ts';
import { type Fault, fold, type Input, type InputRow, OUR_COLUMNS, showValue } from './input.ts';

/** A cell of a known column: undefined where the row has none. What is wrong or odd about it is told to it. */
export interface InputCell {
  value: unknown;
  fault(message: string): void;
  warn(message: string): void;
}

export interface Columns {
  /** Whether the file has this known column. */
  has(known: string): boolean;
  cell(row: InputRow, known: string): InputCell;
  /** What was found wrong, and odd, so far. */
  faults: Fault[];
  warnings: Fault[];
  /** Columns of the person's own, which nobody reads; those that qrctl lists codes with are not among them, but for `type` where it could be meant. */
  unread: string[];
}

/**
 * Finds the columns that this command reads, the `known` ones. `reserved` are names the results add, which the input must therefore not
 * use for something else. Faults: a known column that is there twice (`Name`, `name`), a reserved name, what looks like a typo.
 */
export function matchColumns(input: Input, known: readonly string[], reserved: readonly string[] = []): Columns {
  const line = input.headerLine;
  const faults: Fault[] = [];
  const warnings: Fault[] = [];
  const found = new Map<string, string>();
  for (const column of input.columns) {
    const folded = fold(column);
    if (reserved.includes(folded)) {
      faults.push({ line, column, message: `the results add a column of this name: rename yours (my_${folded})` });
    }
    if (!known.includes(folded)) continue;
    const other = found.get(folded);
    if (other !== undefined) faults.push({ line, column, message: `means the same as column ${quote(other)}` });
    found.set(folded, column);
  }
  const missing = (name: string, row?: InputRow) => !(row ? row.values.has(found.get(name) ?? '') : found.has(name));
  for (const column of input.columns) {
    const meant = known.includes(fold(column)) ? undefined : known.find((name) => looksLike(fold(column), name));
    if (meant === undefined) continue;
    // Where the column it resembles is there too, the name is no typo but the person's own.
    const row = input.rows.find(({ values }) => values.has(column));
    if (missing(meant, line === undefined ? row : undefined)) {
      faults.push({ line: line ?? row?.line, column, message: `unknown; is it meant to be ${meant}?` });
    }
  }
  const cell = (row: InputRow, column: string): InputCell => ({
    value: row.values.get(found.get(column) ?? ''),
    fault: (message) => faults.push({ line: row.line, column, message }),
    warn: (message) => warnings.push({ line: row.line, column, message }),
  });
  const unread = input.columns.filter((column) => !known.includes(fold(column)) && !isExpected(fold(column), known));
  return { has: (name) => found.has(name), cell, faults, warnings, unread };
}

/** A list of codes has it, and nobody thinks that it is changed by it. */
function isExpected(folded: string, known: readonly string[]): boolean {
  if (folded === 'type') return !known.includes('status');
  return OUR_COLUMNS.has(folded);
}

/** Short words have many neighbours that are words of their own (note, date, time): there only one slip counts. */
function looksLike(word: string, known: string): boolean {
  const slips = leven(word, known);
  if (known.length >= 6) return slips <= 2;
  return slips === 1 || (slips === 2 && [...word].sort().join('') === [...known].sort().join(''));
}

const HALF_CHARACTER = /\p{Surrogate}/u;

/**
 * Text, or undefined for an absent, null or empty cell. Numbers and the like are refused: 007 would come back as 7. So is half a
 * character (a lone surrogate), unless it may be one that the service has.
 */
export function readText({ value, fault }: InputCell, mayBeHalf = false): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') {
    fault(`must be text in quotes, not ${showValue(value)}`);
    return undefined;
  }
  if (!mayBeHalf && HALF_CHARACTER.test(value)) fault(`${showValue(value)} holds half a character`);
  return value;
}

/** A name that is not only spaces; undefined where the cell is empty. */
export function readName(cell: InputCell, mayBeHalf = false): string | undefined {
  const name = readText(cell, mayBeHalf);
  if (name === undefined || name.trim() !== '') return name;
  cell.fault('is only spaces');
  return undefined;
}

/** One of the words that the specification allows; undefined where the cell is empty. */
export function readWord(cell: InputCell, words: readonly string[]): string | undefined {
  const word = readText(cell)?.trim();
  if (word === undefined || word === '' || words.includes(word)) return word || undefined;
  cell.fault(`${showValue(word)} is none of ${words.join(', ')}`);
  return undefined;
}
