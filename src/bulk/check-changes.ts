/** Every row of an update or delete file checked before the first request. */
import { isUuid } from '../service/checks.ts';
import type { CodeChanges } from '../service/shapes.ts';
import { type CellContext, checkAddress, readName, readStatus, readText } from './cells.ts';
import { type Cell, matchColumns } from './columns.ts';
import { type Fault, refuseFaults } from './faults.ts';
import type { Input, InputRow } from './rows.ts';

/** A row that names a code; the id goes first where it has both. */
export interface TargetRow extends InputRow {
  readonly id: string | undefined;
  readonly slug: string | undefined;
}

export interface UpdateRow extends TargetRow {
  readonly changes: CodeChanges;
}

const TARGET_COLUMNS = ['id', 'slug'];
const CHANGE_COLUMNS = ['name', 'destination', 'status'];

interface Checked<R> {
  rows: R[];
  warnings: Fault[];
}

/** The rows of a file that says which codes are to be deleted. Throws UsageError with every fault. */
export function checkDelete(input: Input): Checked<TargetRow> {
  return check(input, TARGET_COLUMNS, (row) => row);
}

/** The rows of a file that says what is to be changed. An empty cell changes nothing. Throws UsageError with every fault. */
export function checkUpdate(input: Input): Checked<UpdateRow> {
  const known = [...TARGET_COLUMNS, ...CHANGE_COLUMNS];
  const isJson = input.headerLine === undefined;
  return check(input, known, (row, cell, faults, warnings) => ({
    ...row,
    changes: readChanges(row, cell, isJson, faults, warnings),
  }));
}

function check<R extends TargetRow>(
  input: Input,
  known: readonly string[],
  read: (row: TargetRow, cell: Cell, faults: Fault[], warnings: Fault[]) => R,
): Checked<R> {
  const { has, cell, faults } = matchColumns(input, { known });
  const warnings: Fault[] = [];
  const line = input.headerLine;
  const isEmpty = input.rows.length === 0 && line === undefined;
  if (!isEmpty && !TARGET_COLUMNS.some(has))
    faults.push({ line, message: 'neither a column id nor a column slug says which codes' });
  if (!isEmpty && known.includes('name') && !CHANGE_COLUMNS.some(has)) {
    faults.push({ line, message: `none of the columns ${CHANGE_COLUMNS.join(', ')} says what to change` });
  }
  const named = TARGET_COLUMNS.some(has);
  const rows = input.rows.map((row) => read({ ...row, ...readTarget(row, cell, named, faults) }, cell, faults, warnings));
  refuseFaults(input.name, faults);
  return { rows, warnings };
}

function readTarget(row: InputRow, cell: Cell, named: boolean, faults: Fault[]) {
  const { line } = row;
  const read = (column: string) => readText(cell(row, column), { line, column, faults, warnings: [] })?.trim() || undefined;
  const [id, slug] = [read('id'), read('slug')];
  if (id !== undefined && !isUuid(id))
    faults.push({ line, column: 'id', message: `${JSON.stringify(id)} is not an id (a uuid)` });
  if (named && id === undefined && slug === undefined) faults.push({ line, message: 'has neither an id nor a slug' });
  return { id: id?.toLowerCase(), slug };
}

function readChanges(row: InputRow, cell: Cell, isJson: boolean, faults: Fault[], warnings: Fault[]): CodeChanges {
  // Which type the code has is not known yet, so an odd address is only worth a warning.
  const at = (column: string): CellContext => ({ line: row.line, column, faults, warnings });
  const name = readName(cell(row, 'name'), at('name'));
  const raw = cell(row, 'destination');
  // JSON can say "empty it"; in a CSV an empty cell means "leave it".
  const destination = raw === '' && isJson ? '' : readText(raw, at('destination'));
  if (destination) checkAddress(destination, { line: row.line, column: 'destination', faults: warnings, warnings });
  const status = readStatus(cell(row, 'status'), at('status'));
  return {
    ...(name !== undefined && { name }),
    ...(destination !== undefined && { destination }),
    ...(status !== undefined && { status }),
  };
}
