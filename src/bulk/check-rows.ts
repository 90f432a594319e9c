/** Every row of a bulk file checked before the first request: what it asks for, or all that is wrong with it. */
import { findDestinationProblem } from '../destination.ts';
import { valuesKey } from '../once/same-values.ts';
import { inQuotes } from '../quote.ts';
import { isUuid } from '../service/checks.ts';
import { CODE_STATUSES, CODE_TYPES, type CodeChanges, type NewCode } from '../service/shapes.ts';
import { addUtm, normaliseUtm, UTM_NAMES, type UtmTags } from '../utm.ts';
import { type Columns, type InputCell, matchColumns, readName, readText, readWord } from './columns.ts';
import { type Fault, fold, type Input, type InputRow, refuseFaults } from './input.ts';
import { RESULT_COLUMNS } from './results.ts';
import { isShortened } from './shortened-number.ts';

const UTM_COLUMNS = UTM_NAMES.map((name) => `utm_${name}`);

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

/** The rows with the codes they ask for, with the tags of `common` where they have none of their own, and warnings. Throws UsageError with every fault by line and column. */
export function checkCreate(input: Input, common?: UtmTags): Checked<CreateRow> {
  const columns = matchColumns(input, [...CREATE_COLUMNS, ...UTM_COLUMNS], RESULT_COLUMNS);
  const { has, faults, warnings, unread } = columns;
  if (!has('name') && (input.rows.length > 0 || input.headerLine !== undefined)) {
    const message = `is missing; every code needs a name${instead(unread)}`;
    faults.push({ line: input.headerLine, column: 'name', message });
  }
  const rows = input.rows.map(
    (row): CreateRow => ({ ...row, values: withCommon(row, common), code: readCode(row, columns, common) }),
  );
  refuseFaults(input.name, faults, '--template prints one to start from');
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

/** What flags add is a part of the row: its journal must not take it for the same row under other flags. */
function withCommon({ values }: InputRow, common: UtmTags | undefined): InputRow['values'] {
  return common === undefined ? values : new Map([...values, ['the flags --utm-…', JSON.stringify(common)]]);
}

function readCode(row: InputRow, columns: Columns, common: UtmTags | undefined): NewCode {
  const { has, cell, faults } = columns;
  const before = faults.length;
  const nameCell = cell(row, 'name');
  const name = readName(nameCell);
  if (name === undefined && has('name') && faults.length === before) nameCell.fault('is empty');
  if (name !== undefined && isShortened(name))
    nameCell.warn(`${inQuotes(name)} is what a spreadsheet makes of a long number: format the column as text and type it again`);
  const type = readWord(cell(row, 'type'), CODE_TYPES);
  const address = cell(row, 'destination');
  const destination = tagged(address, readText(address), readUtm(row, columns, common));
  warnOfDestination(address, destination, type);
  return { name: name ?? '', ...(type === undefined ? {} : { type }), ...(destination === undefined ? {} : { destination }) };
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
  /** Tags for its destination, the new one or the one that it has. */
  readonly utm?: UtmTags | undefined;
}

/** What all rows change that do not say otherwise: what the flags say. */
export interface CommonChanges {
  changes?: CodeChanges;
  utm?: UtmTags | undefined;
}

const TARGET_COLUMNS = ['id', 'slug'];
const CHANGE_COLUMNS = ['name', 'destination', 'status'];

/** The rows of a file that says which codes are to be deleted. Throws UsageError with every fault. */
export function checkDelete(input: Input): Checked<TargetRow> {
  return checkTargets(input, { known: TARGET_COLUMNS, needsChange: false }, (row) => row);
}

/** The rows of a file that says what is to be changed. An empty cell changes what `common` says, or nothing. Throws UsageError with every fault. */
export function checkUpdate(input: Input, common: CommonChanges = {}): Checked<UpdateRow> {
  return checkTargets(input, wantsOf(common), updateReader(input, common));
}

/** A row that is to be done when its time has come. */
export interface DatedRow extends UpdateRow {
  readonly atMs: number;
}

/** As `checkUpdate`, for rows that say when; `readAt` reads that cell, or tells it what is wrong. */
export function checkDated(
  input: Input,
  common: CommonChanges,
  readAt: (cell: InputCell) => number | undefined,
): Checked<DatedRow> {
  const read = updateReader(input, common);
  const { known, needsChange } = wantsOf(common);
  return checkTargets(input, { known: [...known, 'at'], needsChange, needs: ['at'] }, (row, columns) => ({
    ...read(row, columns),
    atMs: (columns.has('at') ? readAt(columns.cell(row, 'at')) : undefined) ?? 0,
  }));
}

function wantsOf({ changes = {}, utm }: CommonChanges): { known: string[]; needsChange: boolean } {
  const needsChange = Object.keys(changes).length === 0 && utm === undefined;
  return { known: [...TARGET_COLUMNS, ...CHANGE_COLUMNS, ...UTM_COLUMNS], needsChange };
}

function updateReader(input: Input, { changes, utm }: CommonChanges): (row: TargetRow, columns: Columns) => UpdateRow {
  const isJson = input.headerLine === undefined;
  const typeColumn = input.columns.find((column) => fold(column) === 'type') ?? '';
  const through = input.form?.is === 'csv' || input.form?.is === 'xlsx' ? input.form.is : undefined;
  return (row, columns) => ({
    ...row,
    through,
    changes: { ...changes, ...readChanges(row, columns, { isJson, type: row.values.get(typeColumn) }) },
    utm: readUtm(row, columns, utm),
  });
}

/** The tags of a row, each in its one form; undefined where it has none. */
function readUtm(row: InputRow, { cell, has }: Columns, common: UtmTags | undefined): UtmTags | undefined {
  const own = UTM_NAMES.flatMap((name) => {
    const value = has(`utm_${name}`) ? readText(cell(row, `utm_${name}`)) : undefined;
    const tag = value === undefined ? '' : normaliseUtm(value);
    return tag === '' ? [] : [[name, tag] as const];
  });
  const tags = { ...common, ...Object.fromEntries(own) };
  return Object.keys(tags).length > 0 ? tags : undefined;
}

function checkTargets<R extends TargetRow>(
  input: Input,
  { known, needsChange, needs = [] }: { known: readonly string[]; needsChange: boolean; needs?: readonly string[] },
  read: (row: TargetRow, columns: Columns) => R,
): Checked<R> {
  const columns = matchColumns(input, known);
  const { has, faults, warnings, unread } = columns;
  const line = input.headerLine;
  const isEmpty = input.rows.length === 0 && line === undefined;
  if (!isEmpty && !TARGET_COLUMNS.some(has))
    faults.push({ line, message: `neither a column id nor a column slug says which codes${instead(unread)}` });
  for (const column of needs) {
    if (!isEmpty && !has(column))
      faults.push({ line, column, message: `is missing: when is each row to apply?${instead(unread)}` });
  }
  if (!isEmpty && needsChange && !input.isBare && ![...CHANGE_COLUMNS, ...UTM_COLUMNS].some(has)) {
    faults.push({ line, message: `none of the columns ${CHANGE_COLUMNS.join(', ')} says what to change` });
  }
  if (input.isBare && needsChange && input.rows.length > 0) {
    faults.push({ message: 'a list of codes does not say what to change: add --name, --destination or --status' });
  }
  const rows = input.rows.map((row) => read({ ...row, ...readTarget(row, columns) }, columns));
  refuseFaults(input.name, faults, '`qrctl qr list -o codes.csv` writes one to start from');
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
