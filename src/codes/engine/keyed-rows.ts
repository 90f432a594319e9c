/** Checks the rows of a file of codes, each known by its key, before the first request. */
import { inQuotes } from '../../base/text/quote.ts';
import { type Checked, type Fault, fold, type Input, type InputRow, mapRows, placeOf } from '../../files/formats/read/input.ts';
import { isUuid } from '../../service/checks.ts';
import type { CodeChanges } from '../../service/shapes.ts';
import { TYPES, throughOf } from '../input/check-rows.ts';
import { findWord, matchColumns, readText, wrongWord } from '../input/columns.ts';
import { instead } from '../input/missing-destination.ts';
import { type Doubt, readChanges } from '../input/read-changes.ts';
import { isShortened } from '../input/shortened-number.ts';
import { foldKey } from './lock-file.ts';
import { RESULT_COLUMNS } from './results.ts';

/** Row of the file. A value that is absent leaves the field of an existing code as it is. */
export interface KeyedRow extends InputRow {
  readonly key: string;
  readonly changes: CodeChanges;
  readonly type: string | undefined;
  /** The code that the row specifies by a column of its own. */
  readonly id: string | undefined;
  readonly slug: string | undefined;
  /** Faults of cells that are valid if the code already has their value. */
  readonly doubts: readonly Doubt[];
  /** Fault of a type that qrctl doesn't know, valid for a code that has it. */
  readonly typeFault: Fault | undefined;
  /** Fault of the whole file, if a new code needs a destination and the file has no column of them. */
  readonly noDestination?: Fault | undefined;
  /** The kind of file, if a spreadsheet may have saved it. */
  readonly through: 'csv' | 'xlsx' | undefined;
}

const FIELD_COLUMNS = ['name', 'type', 'destination', 'status', 'id', 'slug'] as const;

/** Columns of the plan that a file of codes can't have. */
const RESERVED: readonly string[] = RESULT_COLUMNS.filter((name) => name !== 'id' && name !== 'slug');

interface KeyedOptions {
  /** Name of the key column. */
  key: string;
  /** Destinations that cannot be opened are wanted. */
  force?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** Y1: returns the rows with their keys, and everything wrong or odd about them, by line and column. */
export async function checkKeyed(input: Input, { key: keyName, force, signal }: KeyedOptions): Promise<Checked<KeyedRow>> {
  const keyColumn = fold(keyName);
  const columns = matchColumns(input, [...new Set([keyColumn, ...FIELD_COLUMNS])], RESERVED);
  const { has, cell, faults, warnings, unread, notes, noDestination } = columns;
  const isJson = input.headerLine === undefined;
  const isEmptyList = isJson && input.rows.length === 0;
  if (!has(keyColumn) && !isEmptyList) {
    const message = `is missing: each row needs a key that never changes${instead(unread)}`;
    faults.push({ line: input.headerLine, column: keyName, message });
  }
  const through = throughOf(input);
  const check = (read: InputRow): KeyedRow => {
    const { row, line, values, defused } = read;
    const { changes, doubts } = readChanges(read, columns, { force }, isJson);
    const typeCell = cell(read, 'type');
    const typed = readText(typeCell)?.trim() || undefined;
    const word = findWord(typed ?? '', TYPES);
    const type = word ?? typed;
    const { message, explanation } = wrongWord(typed ?? '', TYPES);
    const typeFault = type === word ? undefined : { ...typeCell.faultOf(message), explanation };
    const target = readTarget(read);
    const key = readKey(read);
    const found = { row, line, values, defused, key, changes, type, ...target, typeFault, noDestination, through };
    return { ...found, doubts: doubts ?? [] };
  };
  const rows = await mapRows(input.rows, check, signal);

  function readTarget(read: InputRow): Pick<KeyedRow, 'id' | 'slug'> {
    const text = (column: string) => readText(cell(read, column))?.trim() || undefined;
    const [id, slug] = [text('id'), text('slug')];
    if (id !== undefined && !isUuid(id)) cell(read, 'id').fault(`${inQuotes(id)} is not a valid ID (expected a UUID)`);
    return { id: id?.toLowerCase(), slug };
  }

  function readKey(read: InputRow): string {
    const keyCell = cell(read, keyColumn);
    const before = faults.length;
    const key = readText(keyCell)?.normalize('NFC').trim() ?? '';
    if (has(keyColumn) && key === '' && faults.length === before) keyCell.fault('is empty: each row needs a key');
    if (isShortened(key)) {
      keyCell.fault(`${inQuotes(key)} was shortened by a spreadsheet: format the column as text and retype the value`);
    }
    return key;
  }

  for (const fault of repeatedKeys(input, rows)) faults.push({ ...fault, column: keyName });
  return { rows, faults, warnings, doubts: [], unread, notes, start: START };
}

const START = 'Run `qrctl qr apply --init -o codes.csv` to create a file of the existing codes.';

/** Keys that are equal, or that nobody could tell apart. */
function repeatedKeys(input: Input, rows: readonly KeyedRow[]): Fault[] {
  const first = new Map<string, KeyedRow>();
  return rows.flatMap((row): Fault[] => {
    const { key, line } = row;
    if (key === '') return []; // a fault of its own
    const other = first.get(foldKey(key));
    if (!other) {
      first.set(foldKey(key), row);
      return [];
    }
    const place = placeOf(input, other.line);
    if (other.key === key) return [{ line, message: `${inQuotes(key)} is also the key of ${place}` }];
    return [
      { line, message: `${inQuotes(key)} differs from the key ${inQuotes(other.key)} of ${place} only in case or spacing` },
    ];
  });
}
