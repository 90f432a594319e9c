/** Sheets of people, with the hidden identity of each row, and the results that a run writes. */
import type { LockEntry } from '#codes/engine/lock/lock-file';
import type { Base, Field, PlanItem, Row, RowDecision } from '#codes/engine/plan/model';
import { FIELDS } from '#codes/engine/plan/model';
import type { CodeChanges, QrCode } from '#service/shapes';
import { rowOf } from '../make.ts';
import { fieldOf, isSame, printOf } from './values.ts';

export interface SheetRow {
  /** Hidden identity: the same in every copy. */
  token: number;
  key: string | undefined;
  name: string;
  type: string;
  /** '' is a blank cell. */
  destination: string;
  status: string;
  id: string | undefined;
  slug: string | undefined;
  base: Base | undefined;
  updatedAtMs: number | undefined;
  decision: RowDecision | undefined;
  /** Values of the code that this copy has seen; a field that is missing was never seen. */
  readonly seen: Partial<Record<Field, string>>;
}

/** Column that a user may sort by itself. */
export type SortedColumn = Field | 'id' | 'key';

export interface Sheet {
  /** Number of this copy. */
  readonly copy: number;
  rows: SheetRow[];
  /** Lock file beside it. */
  readonly lock: Map<string, LockEntry>;
  /** Column that was sorted by itself, and its values before. */
  sorted:
    | { readonly column: SortedColumn; readonly before: ReadonlyMap<SheetRow, string | undefined> }
    | undefined;
}

/** Tests whether rows have the ids or keys of others, until a user notices. */
export function isMixedUp({ sorted }: Sheet): boolean {
  return sorted?.column === 'id' || sorted?.column === 'key';
}

/** Returns an exact copy, of which nothing is shared. */
export function copyRow(row: SheetRow): SheetRow {
  return { ...row, seen: { ...row.seen } };
}

/** Stands for a field whose value at saving is not known. */
const UNKNOWN = 'ffffff';

/** Returns the row as it is read. */
export function readRow(row: SheetRow, index: number): Row {
  const wish: CodeChanges = { name: row.name };
  if (row.destination !== '') wish.destination = row.destination;
  if (row.status !== '') wish.status = row.status;
  const { key, id, slug, type, base, updatedAtMs, decision } = row;
  return rowOf(index + 2, { key, id, slug, wish, type, base, updatedAtMs, decision, through: 'csv' });
}

/** Returns the row of a saved list. */
export function listRow(code: QrCode, token: number, hasBase: boolean): SheetRow {
  return {
    token,
    key: undefined,
    name: code.name,
    type: code.type,
    destination: fieldOf(code, 'destination'),
    status: code.status,
    id: code.id,
    slug: code.slug,
    base: hasBase ? inStep(code) : undefined,
    updatedAtMs: Date.parse(code.updated_at),
    decision: undefined,
    seen: { name: code.name, destination: fieldOf(code, 'destination'), status: code.status },
  };
}

/** Returns the base of a code that its row agrees with. */
function inStep(code: QrCode): Base {
  return {
    name: printOf(code.name),
    destination: printOf(fieldOf(code, 'destination')),
    status: printOf(code.status),
  };
}

/** What a run says about a row at its end. */
export interface RowReport {
  readonly row: SheetRow;
  readonly item: PlanItem;
  readonly outcome: string;
  /** Code as the run left it. */
  readonly code: QrCode | undefined;
}

/** Returns the row of the results: ids where the row's code is known, and the base of each field that is in step. */
export function resultsRow({ row, item, outcome, code }: RowReport): SheetRow {
  const result = copyRow(row);
  result.decision = undefined;
  if (code === undefined || (outcome === 'edited' && item.how === 'guess')) return result;
  result.id = code.id;
  result.slug = code.slug;
  result.updatedAtMs = undefined;
  result.base = {
    ...fieldwise((field) =>
      isOpen(item, outcome, field) ? row.base?.[field] : printOf(fieldOf(code, field)),
    ),
  };
  for (const field of FIELDS) if (!isOpen(item, outcome, field)) result.seen[field] = fieldOf(code, field);
  if (row.decision?.is === 'theirs')
    Object.assign(
      result,
      fieldwise((field) => fieldOf(code, field)),
    );
  return result;
}

function fieldwise(of: (field: Field) => string | undefined): Record<Field, string> {
  return {
    name: of('name') ?? UNKNOWN,
    destination: of('destination') ?? UNKNOWN,
    status: of('status') ?? UNKNOWN,
  };
}

const CLOSED: ReadonlySet<string> = new Set(['created', 'updated', 'adopted', 'unchanged', 'exists']);

/** Tests whether the row and its code differ in a field, or may differ. */
function isOpen({ changes, row }: PlanItem, outcome: string, field: Field): boolean {
  const what = changes.find((change) => change.field === field)?.what;
  if (row?.decision?.is === 'theirs') return false;
  if (what === undefined) return false;
  return (
    what === 'keep' || what === 'conflict' || what === 'drift' || what === 'edit' || !CLOSED.has(outcome)
  );
}

/** After a run the person knows the fields in which the sheet and the code that it names agree. */
export function noteAgreement({ row, code }: RowReport): void {
  if (!code || (row.id ?? code.id) !== code.id || (row.slug ?? code.slug) !== code.slug) return;
  for (const field of FIELDS)
    if (row[field] !== '' && isSame(field, row[field], fieldOf(code, field)))
      row.seen[field] = fieldOf(code, field);
}
