/** What people do to sheets and to codes in the course of a week. */
import type { RowDecision } from '#codes/engine/plan/model';
import type { Memory } from './memory.ts';
import type { Random } from './random.ts';
import { copyRow, listRow, type RowReport, type Sheet, type SheetRow, type SortedColumn } from './sheet.ts';
import type { Truth } from './truth.ts';
import { isEqual, sharesDestination, sharesName, someDestination, someName, someStatus } from './values.ts';

/** Most rows of a sheet: small sheets have every kind of accident. */
const MOST_ROWS = 7;

/** Returns a row that a user typed. */
export function newRow(random: Random, { newToken }: Truth, isKeyed: boolean): SheetRow {
  const token = newToken();
  const isBlank = random.chance(0.08);
  return {
    token,
    key: isKeyed ? `k${token}` : undefined,
    name: someName(random),
    type: isBlank ? 'vcard' : 'url',
    destination: isBlank ? '' : someDestination(random),
    status: random.chance(0.15) ? someStatus(random) : '',
    id: undefined,
    slug: undefined,
    base: undefined,
    updatedAtMs: undefined,
    decision: undefined,
    seen: {},
  };
}

/** Edits one cell. A cell of a blank destination stays blank. */
function editCell(random: Random, row: SheetRow): void {
  const which = random.below(5);
  if (which < 2) row.name = someName(random);
  else if (which < 4 && row.destination !== '') row.destination = someDestination(random);
  else row.status = someStatus(random);
}

/** One edit of a sheet, as people make them. */
export function editSheet(random: Random, truth: Truth, sheet: Sheet, isKeyed: boolean): string {
  const { rows } = sheet;
  const what =
    rows.length === 0
      ? 'add'
      : random.pick(['add', 'cell', 'cell', 'cell', 'copy', 'remove', 'sort', 'column', 'clear']);
  const row = rows.length === 0 ? undefined : random.pick(rows);
  if (what === 'add' && rows.length < MOST_ROWS)
    rows.splice(random.below(rows.length + 1), 0, newRow(random, truth, isKeyed));
  if (!row) return what;
  if (what === 'cell') editCell(random, row);
  if (what === 'copy' && rows.length < MOST_ROWS)
    rows.splice(random.below(rows.length + 1), 0, duplicate(random, truth, row, isKeyed));
  if (what === 'remove') rows.splice(rows.indexOf(row), 1);
  if (what === 'sort') rows.sort((one, other) => (one.name < other.name ? -1 : 1));
  if (what === 'column')
    sortColumn(sheet, random.pick(['name', 'destination', 'status', 'id', 'key'] as const));
  if (what === 'clear' && random.chance(0.3)) clearColumn(rows, random.pick(['base', 'id', 'slug'] as const));
  return what;
}

/** A row with equal values that is another one. The cells of the id are rarely left in it. */
function duplicate(random: Random, { newToken }: Truth, row: SheetRow, isKeyed: boolean): SheetRow {
  const token = newToken();
  const result = { ...copyRow(row), token, key: isKeyed ? `k${token}` : undefined, decision: undefined };
  if (random.chance(0.1)) return result;
  return { ...result, id: undefined, slug: undefined, base: undefined, updatedAtMs: undefined, seen: {} };
}

/** A row needs its id or its slug. */
function clearColumn(rows: readonly SheetRow[], column: 'base' | 'id' | 'slug'): void {
  if (column === 'base') for (const row of rows) row.base = undefined;
  if (column === 'id') for (const row of rows) if (row.slug !== undefined) row.id = undefined;
  if (column === 'slug') for (const row of rows) if (row.id !== undefined) row.slug = undefined;
}

/** Sorts one column by itself; a user notices after the next run. */
function sortColumn(sheet: Sheet, column: SortedColumn): void {
  if (sheet.rows.length < 3 || sheet.sorted || sheet.rows.some((row) => row[column] === undefined)) return;
  sheet.sorted = { column, before: new Map(sheet.rows.map((row) => [row, row[column]])) };
  const values = sheet.rows.map((row) => row[column] ?? '').sort();
  for (const [index, row] of sheet.rows.entries()) row[column] = values[index] ?? '';
}

/** Somebody notices that a column was sorted by itself, and puts it right. */
export function unsortColumn(sheet: Sheet): void {
  if (!sheet.sorted) return;
  const { column, before } = sheet.sorted;
  for (const row of sheet.rows) if (before.has(row)) row[column] = before.get(row) ?? '';
  sheet.sorted = undefined;
}

/** Somebody changes, deletes or creates a code directly on the service. */
export function editService(random: Random, truth: Truth, rows: readonly SheetRow[]): string {
  const { service } = truth;
  service.isCalm = true;
  const live = service.live().filter(({ code }) => service.get(code.id));
  const what = live.length === 0 ? 'create' : random.pick(['edit', 'edit', 'edit', 'delete', 'create']);
  if (what === 'create') {
    const like = rows.length > 0 && random.chance(0.4) ? random.pick(rows) : newRow(random, truth, false);
    const { name, type, destination } = like;
    service.post(destination === '' ? { name, type } : { name, type, destination }, truth.newToken(), 0);
  } else {
    const { code } = random.pick(live);
    const field = random.pick(['name', 'destination', 'status'] as const);
    const value = { name: someName, destination: someDestination, status: someStatus }[field](random);
    if (what === 'delete') service.delete(code.id);
    else service.patch(code.id, { [field]: value }, 0);
  }
  service.isCalm = false;
  return what;
}

/** Notes the rows of which the design says that their codes cannot be known. */
export function noteExcluded(
  { service, excluded }: Truth,
  memories: readonly Memory[],
  rows: readonly SheetRow[],
): void {
  for (const { values, firstIds } of memories.flatMap((memory) => memory.view().unclear)) {
    const since = [...service.codes.values()].filter(({ code }) => !firstIds.has(code.id));
    const equal = since.filter(({ sent }) => isEqual(sent, values));
    if (equal.length > 1)
      for (const row of rows) if (isEqual(row, values)) excluded.set(row.token, 'equal values in the window');
    for (const { code, tokens } of equal) {
      if (sharesName(code, values) || sharesDestination(code, values)) continue;
      for (const token of tokens) excluded.set(token, 'lost, then both values edited by hand');
    }
  }
}

/** Somebody saves a list of the codes and works on it. */
export function saveList({ service, newToken }: Truth, random: Random): SheetRow[] {
  const hasBase = random.chance(0.8);
  const hasTime = hasBase || random.chance(0.7);
  const listed = new Set<number>();
  return [...service.list().values()].slice(0, MOST_ROWS).map((code) => {
    const tokens = service.codes.get(code.id)?.tokens ?? new Set();
    const token = [...tokens].find((one) => !listed.has(one)) ?? newToken();
    tokens.add(token);
    listed.add(token);
    const row = listRow(code, token, hasBase);
    if (!hasTime) row.updatedAtMs = undefined;
    return row;
  });
}

/** Returns the truthful answer to a question about a row; undefined if there is none. Notes the wish for one more code. */
export function answer(
  random: Random,
  { service, permits }: Truth,
  { row, item, outcome }: RowReport,
): RowDecision | undefined {
  const own = service.live().filter(({ tokens, code }) => tokens.has(row.token) && service.get(code.id));
  const newOne = () => {
    permits.set(row.token, 1);
    return { is: 'new' } as const;
  };
  const code = own.length > 0 ? random.pick(own).code : undefined;
  const which = code && ({ is: 'code', name: random.chance(0.5) ? code.id : code.slug } as const);
  if (outcome === 'undecided' || outcome === 'exists') return which ?? newOne();
  if (outcome === 'gone') return random.pick([newOne(), { is: 'skip' }]);
  if (outcome === 'conflict') return { is: random.pick(['mine', 'theirs', 'skip'] as const) };
  if (outcome !== 'edited') return undefined;
  if (item.how === 'none') return which ?? newOne();
  if (!random.chance(0.15)) return { is: random.pick(['mine', 'theirs', 'skip'] as const) };
  return newOne();
}

/** Copies ids and bases of results into a sheet, row by row. */
export function mergeResults(sheet: Sheet, results: readonly SheetRow[]): void {
  const byToken = new Map(results.map((row) => [row.token, row]));
  for (const row of sheet.rows) {
    const result = byToken.get(row.token);
    if (result?.id === undefined) continue;
    Object.assign(row, { id: result.id, slug: result.slug, base: result.base, seen: { ...result.seen } });
  }
}

/** Returns rows of another file; its keys may be those of the first one. */
export function otherRows(random: Random, truth: Truth, isKeyed: boolean): SheetRow[] {
  const keys = random.chance(0.5) ? 'k' : 'other';
  return [1, 2].map((number) => ({
    ...newRow(random, truth, isKeyed),
    key: isKeyed ? `${keys}${number}` : undefined,
  }));
}
