/** E24: merges the due rows of a dated plan into one row per code, and splits the results by row again. */
import { groupBy } from '#base/collections';
import { addUtm, carryUtm } from '#base/text/utm';
import { formatInstant } from '#base/time/time';
import type { RowEnd } from '#codes/engine/executor/job';
import {
  type Base,
  type DueWish,
  FIELDS,
  type Field,
  type Plan,
  type PlanInput,
  type PlanItem,
  type Row,
} from '#codes/engine/plan/model';
import { codeOfCells } from '#codes/engine/plan/name-code';
import { plan } from '#codes/engine/plan/plan';
import { isUnedited } from '#codes/engine/plan/values';
import { type Fault, placeOf, type Source } from '#files/formats/read/input';
import type { CodeChanges, QrCode } from '#service/shapes';

type File = Pick<Source, 'form'>;

/** Plans the rows that are due at `nowMs`, the service's time in ms. */
export function planDue(input: PlanInput, due: { nowMs: number; file: File }): Plan {
  const { rows, faults } = dueRowsOf(input, due);
  const planned = plan({ ...input, rows });
  return { ...planned, faults: [...faults, ...planned.faults] };
}

export function itemsByRow(items: readonly PlanItem[]): PlanItem[] {
  const all = items.flatMap((item) => sharesOf(item).map((share) => itemOf(item, share)));
  return all.sort((one, other) => rowOf(one) - rowOf(other));
}

export function endsByRow(ends: readonly RowEnd[]): RowEnd[] {
  const all = ends.flatMap((end) => sharesOf(end.item).map((share) => endOf(end, share)));
  return all.sort((one, other) => rowOf(one.item) - rowOf(other.item));
}

function rowOf({ row }: PlanItem): number {
  return row?.row ?? 0;
}

function sharesOf({ row }: { row?: Row & Partial<DueRow> }): readonly Share[] {
  return row?.shares ?? [];
}

function itemOf(item: PlanItem, { row, is, fields, problem }: Share): PlanItem {
  if (item.action === 'gone') return { ...item, row };
  const quiet = (action: PlanItem['action'], reason?: string): PlanItem => {
    return { ...item, row, changes: [], send: {}, action, reason };
  };
  if (is === 'later') return quiet('later', `not due until ${formatInstant(row.atMs ?? 0)}`);
  if (is === 'skipped') return quiet('unchanged', 'skipped by your decision');
  if (problem !== undefined) return quiet('failed', problem);
  const isSuperseded = Object.keys(item.row?.due ?? {}).length > 0;
  if (fields.size === 0) return quiet('unchanged', isSuperseded ? 'superseded by a later row' : undefined);
  const changes = item.changes.filter(({ field }) => fields.has(field));
  if (changes.every(({ what }) => what === 'keep')) return { ...quiet('unchanged'), changes };
  const isLead = item.row?.row === row.row;
  const isQuestion = item.action !== 'conflict' || changes.some(({ what }) => what === 'conflict');
  return {
    ...item,
    row,
    changes,
    send: isLead ? item.send : {},
    reason: isQuestion ? item.reason : 'another change of the same code is in conflict',
  };
}

function endOf(end: RowEnd, share: Share): RowEnd {
  const item = itemOf(end.item, share);
  const { action } = item;
  if (action === 'failed' || action === 'later' || action === 'unchanged') {
    const error = action === 'failed' ? item.reason : undefined;
    return { ...end, item, outcome: action, error, altered: [] };
  }
  const altered = end.altered.filter(({ field }) => field !== 'type' && share.fields.has(field));
  return { ...end, item, altered };
}

interface Share {
  row: Row;
  is: 'due' | 'later' | 'skipped';
  /** Fields that this row sets. Empty if it is not due, or if later rows set them all. */
  fields: ReadonlySet<Field>;
  problem?: string;
}

interface DueRow extends Row {
  shares: readonly Share[];
}

export function dueRowsOf(
  { rows, listing }: Pick<PlanInput, 'rows' | 'listing'>,
  { nowMs, file }: { nowMs: number; file: File },
) {
  const bySlug = new Map([...listing.codes.values()].map((code) => [code.slug, code]));
  const faults: Fault[] = [];
  const found = new Map<Row, QrCode>();
  for (const row of rows) {
    const { code, fault } = codeOfCells(row, listing.codes, bySlug);
    if (fault) faults.push(fault);
    if (code) found.set(row, code);
  }
  const groups = groupBy(rows, (row) => found.get(row)?.id.toLowerCase() ?? nameOf(row));
  const wishes = [...groups.values()].flatMap((own) => wishOf(own, own[0] && found.get(own[0]), nowMs) ?? []);
  const conflicting = contradictions(file, rows, (row) => found.get(row)?.id ?? nameOf(row));
  return { rows: wishes, faults: [...faults, ...conflicting] };
}

export function nameOf({ id, slug }: Pick<Row, 'id' | 'slug'>): string {
  return id ?? `slug ${slug}`;
}

interface FieldWish {
  rows: Row[];
  earlier: string[];
}

function wishOf(rows: readonly Row[], code: QrCode | undefined, nowMs: number): DueRow | undefined {
  const isSkipped = (row: Row) => row.decision?.is === 'skip';
  const isDue = (row: Row) => timeOf(row) <= nowMs && !isSkipped(row);
  const due = code ? rows.filter(isDue).sort((one, other) => timeOf(one) - timeOf(other)) : [];
  const { wishes, wish, problems } = collectWishes(due, code);
  const counting = new Set([...wishes.values()].flatMap((one) => one.rows));
  const lead = due.findLast((row) => counting.has(row)) ?? rows[0];
  if (!lead) return undefined;
  const shares = rows.map((row): Share => {
    const fields = new Set(FIELDS.filter((field) => wishes.get(field)?.rows.includes(row)));
    const isNow = isDue(row) ? 'due' : 'later';
    return { row, is: isSkipped(row) ? 'skipped' : isNow, fields, problem: problems.get(row) };
  });
  const decision = due.findLast((row) => counting.has(row) && row.decision)?.decision;
  const { id, slug } = code ? { id: code.id.toLowerCase(), slug: code.slug } : lead;
  return {
    ...lead,
    id,
    slug,
    wish,
    utm: undefined,
    base: baseOf(wishes),
    due: marksOf(wishes),
    decision,
    shares,
  };
}

function collectWishes(due: readonly Row[], code: QrCode | undefined) {
  const wishes = new Map<Field, FieldWish>();
  const wish: CodeChanges = {};
  const problems = new Map<Row, string>();
  for (const row of due) {
    for (const field of FIELDS) {
      // An unedited cell requests no change, unless it reverts an earlier row.
      const isQuiet = isUnedited(row, field) && !isAfter(row, wishes.get(field));
      if (wishedText(row, field) !== undefined && !isQuiet) add(row, field);
    }
  }
  return { wishes, wish, problems };

  function add(row: Row, field: Field): void {
    const before = wishes.get(field);
    const [own, earlier] = [row.wish[field], wish[field]];
    if (own !== undefined && field === 'destination') problems.clear();
    const old = earlier ?? code?.[field] ?? '';
    try {
      const isCarried = row.keepUtm && field === 'destination' && own !== undefined;
      wish[field] = isCarried ? carryUtm(old, own) : (own ?? addUtm(old, row.utm ?? {}));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      problems.set(row, `its destination ${error.message}`);
      return;
    }
    if (!before) return void wishes.set(field, { rows: [row], earlier: [] });
    if (own === undefined) before.rows.push(row);
    else before.rows = [row];
    if (earlier !== undefined) before.earlier.push(earlier);
  }
}

function isAfter(row: Row, before: FieldWish | undefined): boolean {
  return before !== undefined && timeOf(row) > timeOf(before.rows.at(-1) ?? row);
}

function timeOf({ atMs }: Row): number {
  return atMs ?? Number.POSITIVE_INFINITY;
}

function wishedText({ wish, utm }: Row, field: Field): string | undefined {
  if (field !== 'destination' || wish.destination !== undefined || !utm) return wish[field];
  return `tags ${JSON.stringify(Object.entries(utm).sort())}`;
}

function marksOf(wishes: ReadonlyMap<Field, FieldWish>): DueRow['due'] {
  const marks: Partial<Record<Field, DueWish>> = {};
  for (const [field, { rows, earlier }] of wishes) {
    const says = rows.map((row) => wishedText(row, field)).join('\n');
    marks[field] = { atMs: rows.at(-1)?.atMs ?? 0, says, earlier };
  }
  return marks;
}

function baseOf(wishes: ReadonlyMap<Field, FieldWish>): Base {
  const base: Partial<Record<Field, string>> = {};
  for (const [field, { rows }] of wishes) {
    const print = rows.at(-1)?.base?.[field];
    if (print !== undefined) base[field] = print;
  }
  return base;
}

export function contradictions(file: File, rows: readonly Row[], codeOf: (row: Row) => string): Fault[] {
  const seen = new Map<string, { line: number; says: string }>();
  const faults: Fault[] = [];
  for (const row of rows) {
    for (const field of FIELDS) {
      const says = wishedText(row, field);
      if (says === undefined || row.atMs === undefined || isUnedited(row, field)) continue;
      const key = JSON.stringify([codeOf(row), row.atMs, field]);
      const other = seen.get(key);
      if (!other) seen.set(key, { line: row.line, says });
      else if (other.says !== says)
        faults.push({
          line: row.line,
          column: field,
          message: `conflicts with ${placeOf(file, other.line)} (same code and time)`,
        });
    }
  }
  return faults;
}
