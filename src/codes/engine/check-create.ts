/** Checks every row of a file of new codes before the first request: returns the requested codes, and every fault by line and column. */
import { inQuotes } from '../../base/text/quote.ts';
import { addUtm, type UtmTags } from '../../base/text/utm.ts';
import {
  type Checked,
  type Fault,
  type Input,
  type InputRow,
  mapRows,
  placeOf,
  UTM_COLUMNS,
} from '../../files/formats/read/input.ts';
import { type NewCode, newCode } from '../../service/shapes.ts';
import { findDestinationProblem, isDead } from '../destinations/destination.ts';
import { readUtm, TYPES } from '../input/check-rows.ts';
import { BLANK_NAME, type Columns, findWord, type InputCell, matchColumns, readText, wrongWord } from '../input/columns.ts';
import { instead } from '../input/missing-destination.ts';
import { isShortened } from '../input/shortened-number.ts';
import { createCodeNumbering } from './creation/same-values.ts';
import { RESULT_COLUMNS } from './results.ts';

export const CREATE_COLUMNS = ['name', 'type', 'destination'] as const;

/** Row that may be sent. */
export interface CreateRow extends InputRow {
  readonly code: NewCode;
  /** The columns that only the user reads. */
  readonly own: readonly string[];
}

interface CreateOptions {
  /** Tags of destinations that have none of their own. */
  utm?: UtmTags | undefined;
  /** Accept destinations that cannot be opened. */
  force?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** Returns the rows with the codes they request, and all faults and warnings about them, by line and column. Throws the signal's reason. */
export async function checkCreate(input: Input, options: CreateOptions = {}): Promise<Checked<CreateRow>> {
  const columns = matchColumns(input, [...CREATE_COLUMNS, ...UTM_COLUMNS], RESULT_COLUMNS);
  const { has, faults, warnings, unread, notes, noDestination } = columns;
  if (!has('name') && (input.rows.length > 0 || input.headerLine !== undefined)) {
    const message = `is missing; every code needs a name${instead(unread)}`;
    faults.push({ line: input.headerLine, column: 'name', message });
  }
  let needsDestination = false;
  const need = () => {
    needsDestination = true;
  };
  // Without a column of destinations, the problems of all rows are one.
  const addressOf = (row: InputRow) => (noDestination ? noCell(need) : columns.cell(row, 'destination'));
  const check = (read: InputRow): CreateRow => {
    const { row, line, defused } = read;
    const code = readCode(read, addressOf(read), columns, options);
    // Each by its name: a copy of an object with more added takes twice the memory.
    return { row, line, values: withCommon(read, options.utm), defused, own: unread, code };
  };
  const rows = await mapRows(input.rows, check, options.signal);
  if (noDestination && needsDestination) faults.push(noDestination);
  for (const fault of await mapRows(rows, repeatedIn(input), options.signal)) if (fault) warnings.push(fault);
  return { rows, faults, warnings, doubts: [], unread, notes, start: 'Run `qrctl qr create --template` to print a sample file.' };
}

/** Values that flags add are part of the row: its journal must not treat it as the same row under other flags. */
function withCommon({ values }: InputRow, common: UtmTags | undefined): InputRow['values'] {
  return common === undefined ? values : new Map([...values, ['the flags --utm-…', JSON.stringify(common)]]);
}

function noCell(onProblem: () => void): InputCell {
  return { value: undefined, faultOf: (message) => ({ message }), fault: onProblem, warn: onProblem };
}

function readCode(row: InputRow, address: InputCell, columns: Columns, { utm, force }: CreateOptions): NewCode {
  const name = readName(row, columns);
  const typeCell = columns.cell(row, 'type');
  const typed = readText(typeCell);
  const type = typed === undefined ? undefined : findWord(typed, TYPES);
  const destination = tagged(address, readText(address), readUtm(row, columns, utm));
  if (typed === undefined || typed.trim() === '' || type !== undefined) judgeDestination(address, destination, type, force);
  else {
    const { message, explanation } = wrongWord(typed, TYPES);
    typeCell.fault(message, { explanation });
  }
  return newCode(name ?? '', type, destination);
}

function readName(row: InputRow, { has, cell, faults }: Columns): string | undefined {
  const before = faults.length;
  const nameCell = cell(row, 'name');
  const name = readText(nameCell);
  if (name === undefined) {
    if (has('name') && faults.length === before) nameCell.fault('is empty');
    return undefined;
  }
  if (name.trim() === '') nameCell.fault(BLANK_NAME);
  else if (name !== name.trim()) nameCell.warn(`${inQuotes(name)} has leading or trailing spaces, which are kept`);
  if (isShortened(name))
    nameCell.warn(
      `${inQuotes(name)} looks like a long number shortened by a spreadsheet: format the column as text and retype the value`,
    );
  return name;
}

function judgeDestination(cell: InputCell, destination: string | undefined, type: string | undefined, force = false): void {
  const problem = findDestinationProblem(destination, type);
  if (problem === undefined) return;
  if (isDead(problem) && !force) cell.fault(problem.words, { mayForce: true });
  else cell.warn(problem.words);
}

function tagged(cell: InputCell, destination: string | undefined, utm: UtmTags | undefined): string | undefined {
  if (utm === undefined) return destination;
  try {
    return addUtm(destination ?? '', utm);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    cell.fault(error.message);
    return destination;
  }
}

/**
 * Returns a function that returns a warning for a row with the values of an earlier one. Repeated rows are wanted at times (two posters, one
 * address), so they are not refused.
 */
function repeatedIn(input: Input): (row: CreateRow) => Fault | undefined {
  const { numberOf } = createCodeNumbering();
  /** By the number of their values, the lines of the first rows. */
  const lines: number[] = [];
  return ({ line, code }) => {
    if (code.name.trim() === '') return undefined; // a fault of its own
    const number = numberOf(code);
    const first = lines[number];
    if (first !== undefined) return { line, message: `has the same values as ${placeOf(input, first)}: both will be created` };
    lines[number] = line;
    return undefined;
  };
}
