/** E24: merges the due rows of a dated plan into one row per code, and splits the results by row again. */
import { groupBy } from '#base/collections';
import { formatInstant } from '#base/time/time';
import type { RowEnd } from '#codes/engine/executor/job';
import { judgeItem } from '#codes/engine/plan/judge';
import {
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
import { isUnedited, lacksUtm, wantedValue } from '#codes/engine/plan/values';
import { type Fault, placeOf, type Source } from '#files/formats/read/input';
import type { QrCode } from '#service/shapes';

type File = Pick<Source, 'form'>;

export function planDue(input: PlanInput, due: { nowMs: number; file: File }): Plan {
  const { rows, faults } = dueRowsOf(input, due);
  const planned = plan({ ...input, rows });
  // Judges the rows of the file, because the merged rows lack the type and have the slug of the code.
  const judged = itemsByRow(planned.items).filter(({ row }) => row?.decision?.is !== 'skip');
  const warnings = judged.flatMap((item) => judgeItem(item, input.policy).warnings);
  return {
    ...planned,
    faults: [...faults, ...planned.faults],
    warnings: [...warnings, ...planned.warnings],
  };
}

export function itemsByRow(items: readonly PlanItem[]): PlanItem[] {
  return sharesByRow(items, (item) => item).map(([item, share]) => itemOf(item, share));
}

export function endsByRow(ends: readonly RowEnd[]): RowEnd[] {
  return sharesByRow(ends, ({ item }) => item).map(([end, share]) => endOf(end, share));
}

function sharesByRow<T>(all: readonly T[], planned: (one: T) => { row?: Row & Partial<DueRow> }) {
  const pairs = all.flatMap((one) => (planned(one).row?.shares ?? []).map((share) => [one, share] as const));
  return pairs.sort(([, one], [, other]) => one.row.row - other.row.row);
}

function itemOf(item: PlanItem & { row?: Partial<DueRow> }, { row, is, fields, problem }: Share): PlanItem {
  if (item.action === 'gone') return { ...item, row };
  const quiet = (action: PlanItem['action'], reason?: string): PlanItem => {
    return { ...item, row, changes: [], send: {}, action, reason };
  };
  if (is === 'later') return quiet('later', `not due until ${formatInstant(row.atMs ?? 0)}`);
  if (is === 'skipped') return quiet('unchanged', 'skipped by your decision');
  if (is === 'superseded') return quiet('unchanged', 'superseded by a later row');
  if (problem !== undefined) return quiet('failed', problem);
  const changes = item.changes.filter(({ field }) => fields.has(field));
  if (changes.every(({ what }) => what === 'keep')) return { ...quiet('unchanged'), changes };
  const isSent = (one: Share) =>
    FIELDS.some((field) => one.fields.has(field) && item.send[field] !== undefined);
  const isLead = item.row?.shares?.findLast(isSent)?.row === row;
  const isQuestion = item.action !== 'conflict' || changes.some(({ what }) => what === 'conflict');
  return {
    ...item,
    row,
    changes,
    // Only one row per code gets `send`, so that the request is counted once.
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
  const altered = end.altered.filter(({ field }) => share.fields.has(field));
  return { ...end, item, altered };
}

interface Share {
  row: Row;
  is: 'due' | 'later' | 'skipped' | 'superseded';
  /** Fields that get their value, or its UTM tags, from this row. */
  fields: ReadonlySet<string>;
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
  const found = new Map<Row, QrCode | undefined>();
  for (const row of rows) {
    const { code, fault } = codeOfCells(row, listing.codes, bySlug);
    if (fault) faults.push(fault);
    found.set(row, code);
  }
  const codeOf = (row: Row) => found.get(row)?.id ?? nameOf(row);
  const wishes = [...groupBy(rows, codeOf).values()].flatMap((own) => wishOf(own, found, nowMs) ?? []);
  return { rows: wishes, faults: [...faults, ...contradictions(file, rows, codeOf)] };
}

export function nameOf({ id, slug }: Pick<Row, 'id' | 'slug'>): string {
  return id ?? `slug ${slug}`;
}

function wishOf(
  rows: readonly Row[],
  codes: ReadonlyMap<Row, QrCode | undefined>,
  nowMs: number,
): DueRow | undefined {
  const [first] = rows;
  if (!first) return undefined;
  const code = codes.get(first);
  const open = { wish: {}, type: undefined, utm: undefined, decision: undefined };
  if (!code) return { ...first, ...open, shares: rows.map((row) => ({ row, is: 'due', fields: NO_FIELDS })) };
  const isSkipped = (row: Row) => row.decision?.is === 'skip';
  const isDue = (row: Row) => timeOf(row) <= nowMs && !isSkipped(row);
  const due = rows.filter(isDue).sort((one, other) => timeOf(one) - timeOf(other));
  const { wishes, asking, problems } = collectWishes(due, code);
  const fieldsOf = (row: Row) => FIELDS.filter((field) => wishes.get(field)?.rows.has(row));
  const shares = rows.map((row): Share => {
    const fields = new Set<string>(fieldsOf(row));
    const isNow = asking.has(row) && fields.size === 0 ? 'superseded' : 'due';
    const is = isDue(row) ? isNow : 'later';
    return { row, is: isSkipped(row) ? 'skipped' : is, fields, problem: problems.get(row) };
  });
  const setting = due.filter((row) => fieldsOf(row).length > 0);
  const all = [...wishes];
  const untagged = wishes.has('destination') ? undefined : due.find((row) => lacksUtm(row, code));
  return {
    ...(setting.at(-1) ?? first),
    ...open,
    utm: untagged?.utm,
    mayLackUtm: true,
    id: code.id.toLowerCase(),
    slug: code.slug,
    wish: Object.fromEntries(all.map(([field, { value }]) => [field, value])),
    base: Object.fromEntries(all.map(([field, { base }]) => [field, base])),
    due: Object.fromEntries(all.map(([field, { atMs, says, earlier }]) => [field, { atMs, says, earlier }])),
    decision: setting.findLast((row) => row.decision)?.decision,
    shares,
  };
}

const NO_FIELDS: ReadonlySet<string> = new Set();

interface FieldWish extends DueWish {
  value: string;
  base: string | undefined;
  /** Row that sets the value, plus later rows that only add UTM tags to it. */
  rows: Set<Row>;
  earlier: string[];
}

interface Wishes {
  wishes: ReadonlyMap<Field, FieldWish>;
  /** Rows that request a change, even if a later row replaces it. */
  asking: ReadonlySet<Row>;
  problems: ReadonlyMap<Row, string>;
}

/** Collects the latest wish per field. A row with a problem sets no field. */
function collectWishes(due: readonly Row[], code: QrCode): Wishes {
  const wishes = new Map<Field, FieldWish>();
  const asking = new Set<Row>();
  const problems = new Map<Row, string>();
  for (const row of due) for (const field of FIELDS) add(row, field);
  if (problems.size === 0) return { wishes, asking, problems };
  return {
    ...collectWishes(
      due.filter((row) => !problems.has(row)),
      code,
    ),
    problems,
  };

  function add(row: Row, field: Field): void {
    const before = wishes.get(field);
    const says = wishedText(row, field);
    // An unedited cell requests no change, unless it reverts an earlier row.
    const isQuiet = isUnedited(row, field) && !(before && timeOf(row) > before.atMs);
    if (says === undefined || isQuiet) return;
    if (field === 'destination' && row.wish.destination !== undefined) problems.clear();
    const value = read(row, field);
    if (value === undefined) return;
    asking.add(row);
    const tagged = row.wish[field] === undefined ? before : undefined;
    const earlier = before?.earlier ?? [];
    if (before) earlier.push(before.value);
    wishes.set(field, {
      value,
      base: row.base?.[field],
      rows: tagged ? tagged.rows.add(row) : new Set([row]),
      atMs: timeOf(row),
      says: tagged ? `${tagged.says}\n${says}` : says,
      earlier,
    });
  }

  function read(row: Row, field: Field): string | undefined {
    const destination = wishes.get('destination')?.value ?? code.destination;
    try {
      return wantedValue(row, field, { ...code, destination });
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      problems.set(row, `its destination ${error.message}`);
      return undefined;
    }
  }
}

function timeOf({ atMs }: Row): number {
  return atMs ?? Number.POSITIVE_INFINITY;
}

function wishedText({ wish, utm }: Row, field: Field): string | undefined {
  const tags = field === 'destination' && utm ? Object.entries(utm).sort() : undefined;
  return wish[field] ?? (tags && `tags ${JSON.stringify(tags)}`);
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
