/** Every row of a bulk file checked before the first request: what it asks for, or all that is wrong with it. */
import { findDestinationProblem } from '../destination.ts';
import { valuesKey } from '../once/reconcile.ts';
import { inQuotes } from '../quote.ts';
import { isUuid } from '../service/checks.ts';
import { CODE_STATUSES, CODE_TYPES, type CodeChanges, type NewCode } from '../service/shapes.ts';
import { type Columns, type InputCell, matchColumns, readName, readText, readWord } from './columns.ts';
import { type Fault, fold, type Input, type InputRow, refuseFaults } from './input.ts';
import { RESULT_COLUMNS } from './results.ts';

export const CREATE_COLUMNS = ['name', 'type', 'destination'] as const;

/** A row that may be sent. */
export interface CreateRow extends InputRow {
  readonly code: NewCode;
}

interface Checked<R> {
  rows: R[];
  warnings: Fault[];
  /** Columns that mean nothing here. */
  unread: string[];
}

/** The rows with the codes they ask for, and warnings. Throws UsageError with every fault by line and column. */
export function checkCreate(input: Input): Checked<CreateRow> {
  const columns = matchColumns(input, CREATE_COLUMNS, RESULT_COLUMNS);
  const { has, faults, warnings, unread } = columns;
  if (!has('name') && (input.rows.length > 0 || input.headerLine !== undefined)) {
    const message = `is missing; every code needs a name${instead(unread)}`;
    faults.push({ line: input.headerLine, column: 'name', message });
  }
  const rows = input.rows.map((row): CreateRow => ({ ...row, code: readCode(row, columns) }));
  refuseFaults(input.name, faults);
  return { rows, unread, warnings: [...warnings, ...noteRepeated(rows)] };
}

/** Most of a screen's width. */
const MOST_NAMED = 5;

/** What the file has in place of the columns that are missing. */
function instead(unread: readonly string[]): string {
  if (unread.length === 0) return '';
  const more = unread.length > MOST_NAMED ? ` and ${unread.length - MOST_NAMED} more` : '';
  return ` (the file has ${unread.slice(0, MOST_NAMED).map(inQuotes).join(', ')}${more})`;
}

function readCode(row: InputRow, { has, cell, faults }: Columns): NewCode {
  const before = faults.length;
  const nameCell = cell(row, 'name');
  const name = readName(nameCell);
  if (name === undefined && has('name') && faults.length === before) nameCell.fault('is empty');
  const type = readWord(cell(row, 'type'), CODE_TYPES);
  const address = cell(row, 'destination');
  const destination = readText(address);
  warnOfDestination(address, destination, type);
  return { name: name ?? '', ...(type === undefined ? {} : { type }), ...(destination === undefined ? {} : { destination }) };
}

/** Repeated rows are wanted at times (two posters, one address), so they are noted, not refused. */
function noteRepeated(rows: readonly CreateRow[]): Fault[] {
  const first = new Map<string, CreateRow>();
  return rows.flatMap((row) => {
    const key = valuesKey(row.code);
    const same = first.get(key);
    if (same) return [{ line: row.line, message: `has the same values as line ${same.line}: both will be created` }];
    first.set(key, row);
    return [];
  });
}

/** A row that names a code; the id goes first where it has both. */
export interface TargetRow extends InputRow {
  readonly id: string | undefined;
  readonly slug: string | undefined;
}

export interface UpdateRow extends TargetRow {
  readonly changes: CodeChanges;
  /** The kind of file, where a spreadsheet may have saved it. */
  readonly through?: 'csv' | 'xlsx' | undefined;
}

const TARGET_COLUMNS = ['id', 'slug'];
const CHANGE_COLUMNS = ['name', 'destination', 'status'];

/** The rows of a file that says which codes are to be deleted. Throws UsageError with every fault. */
export function checkDelete(input: Input): Checked<TargetRow> {
  return checkTargets(input, { known: TARGET_COLUMNS, needsChange: false }, (row) => row);
}

/** The rows of a file that says what is to be changed. An empty cell changes what `common` says, or nothing. Throws UsageError with every fault. */
export function checkUpdate(input: Input, common: CodeChanges = {}): Checked<UpdateRow> {
  const isJson = input.headerLine === undefined;
  const typeColumn = input.columns.find((column) => fold(column) === 'type') ?? '';
  const needsChange = Object.keys(common).length === 0;
  const through = input.form?.is === 'csv' || input.form?.is === 'xlsx' ? input.form.is : undefined;
  return checkTargets(input, { known: [...TARGET_COLUMNS, ...CHANGE_COLUMNS], needsChange }, (row, columns) => ({
    ...row,
    through,
    changes: { ...common, ...readChanges(row, columns, { isJson, type: row.values.get(typeColumn) }) },
  }));
}

function checkTargets<R extends TargetRow>(
  input: Input,
  { known, needsChange }: { known: readonly string[]; needsChange: boolean },
  read: (row: TargetRow, columns: Columns) => R,
): Checked<R> {
  const columns = matchColumns(input, known);
  const { has, faults, warnings, unread } = columns;
  const line = input.headerLine;
  const isEmpty = input.rows.length === 0 && line === undefined;
  if (!isEmpty && !TARGET_COLUMNS.some(has))
    faults.push({ line, message: `neither a column id nor a column slug says which codes${instead(unread)}` });
  if (!isEmpty && needsChange && !CHANGE_COLUMNS.some(has)) {
    faults.push({ line, message: `none of the columns ${CHANGE_COLUMNS.join(', ')} says what to change` });
  }
  const rows = input.rows.map((row) => read({ ...row, ...readTarget(row, columns) }, columns));
  refuseFaults(input.name, faults);
  return { rows, warnings, unread };
}

function readTarget(row: InputRow, { has, cell, faults }: Columns): Pick<TargetRow, 'id' | 'slug'> {
  const read = (column: string) => readText(cell(row, column))?.trim() || undefined;
  const [id, slug] = [read('id'), read('slug')];
  if (id !== undefined && !isUuid(id)) cell(row, 'id').fault(`${inQuotes(id)} is not an id (a uuid)`);
  if (TARGET_COLUMNS.some(has) && id === undefined && slug === undefined)
    faults.push({ line: row.line, message: 'has neither an id nor a slug' });
  return { id: id?.toLowerCase(), slug };
}

function warnOfDestination({ warn }: InputCell, destination: string | undefined, type: string | undefined): void {
  const problem = findDestinationProblem(destination, type?.trim() || undefined);
  if (problem) warn(problem.words);
}

/** `type`: what the row says of its code's type; nothing is changed by it. */
function readChanges(row: InputRow, { cell }: Columns, { isJson, type }: { isJson: boolean; type: unknown }): CodeChanges {
  // Half a character may be the service's own: a list that nobody edited changes nothing.
  const name = readName(cell(row, 'name'), true);
  const address = cell(row, 'destination');
  // JSON can say "empty it"; in a CSV an empty cell means "leave it".
  const destination = address.value === '' && isJson ? '' : readText(address, true);
  // Which type the code has only its row may tell, as in a list that was edited; an empty cell changes nothing.
  if (destination !== undefined) warnOfDestination(address, destination, typeof type === 'string' ? type : undefined);
  const status = readWord(cell(row, 'status'), CODE_STATUSES);
  return {
    ...(name !== undefined && { name }),
    ...(destination !== undefined && { destination }),
    ...(status !== undefined && { status }),
  };
}
