/** Checks every row about existing codes before the first request: returns the requested changes, and every fault by line and column. */
import { UsageError } from '../../base/errors.ts';
import { countOf, inQuotes, quote } from '../../base/text/quote.ts';
import { normaliseUtm, UTM_NAMES, type UtmTags } from '../../base/text/utm.ts';
import {
  type Checked,
  type Fault,
  fold,
  type Input,
  type InputRow,
  mapRows,
  UTM_COLUMNS,
} from '../../files/formats/read/input.ts';
import { isUuid } from '../../service/checks.ts';
import { CODE_TYPES, type CodeChanges } from '../../service/shapes.ts';
import { type Columns, type InputCell, matchColumns, readText, type Words } from './columns.ts';
import { instead, renameAdvice } from './missing-destination.ts';
import { omitUnfinished } from './omit-unfinished.ts';
import { type Doubt, readChanges } from './read-changes.ts';

export const TYPES: Words = { what: 'a valid type', all: CODE_TYPES };

/** Returns the kind of a file that a spreadsheet may have saved. */
export function throughOf({ form }: Input): 'csv' | 'xlsx' | undefined {
  return form?.is === 'csv' || form?.is === 'xlsx' ? form.is : undefined;
}

/** Row that specifies a code; the id takes precedence over the slug. */
export interface TargetRow extends InputRow {
  readonly id: string | undefined;
  readonly slug: string | undefined;
}

export interface UpdateRow extends TargetRow {
  readonly changes: CodeChanges;
  /** About its changes; `judgeRows` decides when the codes are known. */
  readonly doubts?: readonly Doubt[] | undefined;
  /** The type in the row, which cannot be changed. */
  readonly type?: string | undefined;
  /** Kind of file, if a spreadsheet may have saved it. */
  readonly through?: 'csv' | 'xlsx' | undefined;
  /** Tags for its destination, the new one or the one that it has. */
  readonly utm?: UtmTags | undefined;
}

/** Changes by flags, for all rows without their own. */
export interface CommonChanges {
  changes?: CodeChanges;
  utm?: UtmTags | undefined;
  /** Accept destinations that cannot be opened. */
  force?: boolean | undefined;
  /** A column `at` means nothing. */
  ignoreDates?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

const TARGET_COLUMNS = ['id', 'slug'];
const CHANGE_COLUMNS = ['name', 'destination', 'status'];
const LIST = 'Run `qrctl qr list -o codes.csv` to create a file to start from.';

/** Reads the rows of a file of codes to delete. */
export function checkDelete(input: Input, signal?: AbortSignal): Promise<Checked<TargetRow>> {
  return checkTargets(input, { known: TARGET_COLUMNS, needsChange: false, start: LIST, signal }, (row) => row);
}

/** Reads the rows of a file that chooses codes. */
export function checkChosen(input: Input, signal?: AbortSignal): Promise<Checked<TargetRow>> {
  const wanted = { known: TARGET_COLUMNS, needsChange: false, start: LIST, signal, isChoice: true };
  return checkTargets(input, wanted, (row) => row);
}

/** Reads the rows of a file with changes. An empty cell takes the value of `common`, or changes nothing. */
export async function checkUpdate(input: Input, common: CommonChanges = {}): Promise<Checked<UpdateRow>> {
  if (!common.ignoreDates) refuseDates(input);
  const read = updateReader(input, common);
  return checkTargets(
    input,
    { ...wantsOf(common), start: LIST, signal: common.signal },
    (row, columns) => read(row, columns).row,
  );
}

/** Throws UsageError for a plan of dated changes: without its dates the last change of each code would win now. */
function refuseDates({ name, columns, rows }: Input): void {
  const at = columns.find((column) => fold(column) === 'at');
  const isDated = ({ values }: InputRow) => at !== undefined && String(values.get(at) ?? '').trim() !== '';
  const count = rows.filter(isDated).length;
  if (count === 0) return;
  throw new UsageError(
    `${name} has dates in column ${quote(at ?? '')} (${countOf(count, 'row')}), but without --due all rows would be applied now`,
    {
      hint: 'Add --due to apply only rows that are due, or --ignore-dates to apply all rows.',
    },
  );
}

/** Row to be applied when its time has come. */
export interface DatedRow extends UpdateRow {
  readonly atMs: number;
  /** Its values without the flags. */
  readonly own: Pick<UpdateRow, 'changes' | 'utm'>;
}

/**
 * Checks rows with times, as `checkUpdate`; `readAt` reads the time of a cell or reports its fault. A plan is not a list of codes: its
 * doubts are faults.
 */
export async function checkDated(
  input: Input,
  common: CommonChanges,
  readAt: (cell: InputCell) => number | undefined,
): Promise<Checked<DatedRow>> {
  const read = updateReader(input, common);
  const { known, needsChange } = wantsOf(common);
  const start = 'To make a plan, run `qrctl qr list -o plan.csv` and add a column named at.';
  const wanted = { known: [...known, 'at'], needsChange, needs: ['at'], start, signal: common.signal };
  const checked = await checkTargets(input, wanted, (target, columns) => {
    const { row, own } = read(target, columns);
    return { ...row, own, atMs: (columns.has('at') ? readAt(columns.cell(row, 'at')) : undefined) ?? 0 };
  });
  for (const { type = 'url', doubts = [] } of checked.rows)
    for (const { field, fault, isOdd } of doubts)
      if (field !== 'destination' || type === 'url') (isOdd ? checked.warnings : checked.faults).push(fault);
  return { ...checked, doubts: [] };
}

function wantsOf({ changes = {}, utm }: CommonChanges): { known: string[]; needsChange: boolean } {
  const needsChange = Object.keys(changes).length === 0 && utm === undefined;
  return { known: [...TARGET_COLUMNS, ...CHANGE_COLUMNS, ...UTM_COLUMNS], needsChange };
}

/** Reads a row with the values of the flags, and its own values. */
function updateReader(
  input: Input,
  common: CommonChanges,
): (row: TargetRow, columns: Columns) => { row: UpdateRow } & Pick<DatedRow, 'own'> {
  const isJson = input.headerLine === undefined;
  const typeColumn = input.columns.find((column) => fold(column) === 'type') ?? '';
  const through = throughOf(input);
  return (row, columns) => {
    const type = row.values.get(typeColumn);
    const { changes, doubts } = readChanges(row, columns, common, isJson);
    const own = { changes, utm: readUtm(row, columns, undefined) };
    // Each by its name: an object that is put together of parts takes several times the memory.
    const { line, values, defused, id, slug } = row;
    const typeText = typeof type === 'string' ? fold(type) || undefined : undefined;
    const all = common.changes === undefined ? changes : Object.assign({}, common.changes, changes);
    const utm = common.utm === undefined ? own.utm : { ...common.utm, ...own.utm };
    const said = { row: row.row, line, values, defused, id, slug, changes: all, doubts, type: typeText, through, utm };
    return { row: said, own };
  };
}

/** Returns the tags of a row in canonical form; undefined if it has none. */
export function readUtm(row: InputRow, { cell, has }: Columns, common: UtmTags | undefined): UtmTags | undefined {
  if (common === undefined && !UTM_COLUMNS.some(has)) return undefined;
  const own = UTM_NAMES.flatMap((name) => {
    const value = has(`utm_${name}`) ? readText(cell(row, `utm_${name}`)) : undefined;
    const tag = value === undefined ? '' : normaliseUtm(value);
    return tag === '' ? [] : [[name, tag] as const];
  });
  const tags = { ...common, ...Object.fromEntries(own) };
  return Object.keys(tags).length > 0 ? tags : undefined;
}

interface Wanted {
  known: readonly string[];
  needsChange: boolean;
  needs?: readonly string[];
  start: string;
  signal: AbortSignal | undefined;
  /** The file chooses codes, so that rows of its results that failed are omitted even if they have a code. */
  isChoice?: boolean;
}

async function checkTargets<R extends TargetRow & { doubts?: readonly Doubt[] }>(
  input: Input,
  { known, needsChange, needs = [], start, signal, isChoice = false }: Wanted,
  read: (row: TargetRow, columns: Columns) => R,
): Promise<Checked<R>> {
  const columns = matchColumns(input, known);
  const { has, faults, warnings, unread, notes } = columns;
  const line = input.headerLine;
  const isEmpty = input.rows.length === 0 && line === undefined;
  if (!isEmpty && !TARGET_COLUMNS.some(has))
    faults.push({ line, message: `no column identifies the codes: add an id or slug column${instead(unread)}` });
  for (const column of needs) {
    if (!isEmpty && !has(column)) faults.push({ line, column, message: `is missing: each row needs a time${instead(unread)}` });
  }
  if (!isEmpty && needsChange && ![...CHANGE_COLUMNS, ...UTM_COLUMNS].some(has)) {
    const advice = renameAdvice(input, unread);
    const message = input.isBare
      ? 'a list of codes contains no changes: add --name, --destination or --status'
      : `no column contains changes: ${advice ?? 'add a name, destination or status column'}`;
    faults.push({ line, message });
  }
  const check = (found: InputRow) => {
    const { id, slug } = readTarget(found, columns);
    const { row, line, values, defused } = found;
    return read({ row, line, values, defused, id, slug }, columns);
  };
  const { kept, omitted } = omitUnfinished(input, isChoice);
  warnings.push(...omitted);
  const rows = await mapRows(kept, check, signal);
  const doubts: Fault[] = [];
  // A row without a code has nothing that its cells could be equal to.
  for (const { id, slug, doubts: own = [] } of rows)
    for (const { fault } of own) (id === undefined && slug === undefined ? faults : doubts).push(fault);
  return { rows, faults, warnings, doubts, unread, notes, start };
}

function readTarget(row: InputRow, { has, cell, faults }: Columns): Pick<TargetRow, 'id' | 'slug'> {
  const read = (column: string) => readText(cell(row, column))?.trim() || undefined;
  const [id, slug] = [read('id'), read('slug')];
  if (id !== undefined && !isUuid(id)) cell(row, 'id').fault(`${inQuotes(id)} is not a valid ID (expected a UUID)`);
  if (TARGET_COLUMNS.some(has) && id === undefined && slug === undefined)
    faults.push({ line: row.line, message: 'has neither an ID nor a slug' });
  return { id: id?.toLowerCase(), slug };
}
