/** E24: reduces the rows of a dated plan to one wish for each code: in each field, what the latest row says whose time has come. Pure. */
import { groupBy } from '../../base/collections.ts';
import { addUtm } from '../../base/text/utm.ts';
import { type Fault, placeOf, type Source } from '../../files/formats/read/input.ts';
import type { CodeChanges, QrCode } from '../../service/shapes.ts';
import {
  type Base,
  type DueWish,
  FIELDS,
  type Field,
  type PlanInput,
  type Row,
} from '../engine/plan/model.ts';
import { codeOfCells } from '../engine/plan/name-code.ts';
import { isUnedited } from '../engine/plan/values.ts';

/** Part of a row in the wish of its code. */
export interface Share {
  readonly row: Row;
  /** `due`: its time has come. `skipped`: the user decided to do nothing. */
  readonly is: 'due' | 'later' | 'skipped';
  /** Fields in which it counts. A due row without any is superseded. */
  readonly fields: ReadonlySet<Field>;
  /** Why it cannot be applied. */
  readonly problem: string | undefined;
}

/** Row that represents all rows of a code, with the number and line of the latest one that counts. */
export interface DueRow extends Row {
  /** In the order of the file. */
  readonly shares: readonly Share[];
}

/** Returns whether a row represents the rows of a code. */
export function isDueRow(row: Row | undefined): row is DueRow {
  return row !== undefined && 'shares' in row;
}

/**
 * Returns a wish for each code, and faults: rows whose ID and slug belong to two codes, and contradictions. `nowMs`: by the service's clock.
 */
export function dueRowsOf(
  { rows, listing }: Pick<PlanInput, 'rows' | 'listing'>,
  { nowMs, file }: { nowMs: number; file: File },
): { rows: DueRow[]; faults: Fault[] } {
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
  for (const fault of contradictions(file, rows, (row) => found.get(row)?.id ?? nameOf(row)))
    faults.push(fault);
  return { rows: wishes, faults };
}

type File = Pick<Source, 'form'>;

/** Returns the name by which a row specifies its code. */
export function nameOf({ id, slug }: Pick<Row, 'id' | 'slug'>): string {
  return id ?? `slug ${slug}`;
}

/** What the due rows of a code say about a field. */
interface FieldWish {
  /** Rows that count, in the order of their times: several if tags are added to a destination. */
  rows: Row[];
  readonly earlier: string[];
}

/** What the due rows of a code say together. */
interface CodeWishes {
  readonly wishes: Map<Field, FieldWish>;
  readonly wish: CodeChanges;
  /** Why a row cannot be applied. */
  readonly problems: Map<Row, string>;
}

function wishOf(rows: readonly Row[], code: QrCode | undefined, nowMs: number): DueRow | undefined {
  const isSkipped = (row: Row) => row.decision?.is === 'skip';
  const isDue = (row: Row) => timeOf(row) <= nowMs && !isSkipped(row);
  // Of a code that is gone, nothing is sent.
  const due = code ? rows.filter(isDue).sort((one, other) => timeOf(one) - timeOf(other)) : [];
  const { wishes, wish, problems } = collectWishes(due, code);
  const counting = new Set([...wishes.values()].flatMap((one) => one.rows));
  const lead = due.findLast((row) => counting.has(row)) ?? rows[0];
  if (!lead) return undefined;
  const shares = rows.map((row): Share => {
    const fields = new Set(
      FIELDS.filter((field) => counting.has(row) && wishes.get(field)?.rows.includes(row)),
    );
    const isNow = isDue(row) ? 'due' : 'later';
    return {
      row,
      is: isSkipped(row) ? 'skipped' : isNow,
      fields,
      problem: problems.get(row),
    };
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

/** Goes through the due rows of a code in the order of their times. */
function collectWishes(due: readonly Row[], code: QrCode | undefined): CodeWishes {
  const saying: CodeWishes = { wishes: new Map(), wish: {}, problems: new Map() };
  for (const row of due) {
    for (const field of FIELDS) {
      const before = saying.wishes.get(field);
      // An unedited cell of a list asks for nothing, unless it undoes what an earlier row changes.
      const isQuiet =
        wishedText(row, field) === undefined || (isUnedited(row, field) && !isAfter(row, before));
      if (!isQuiet) add(saying, row, { field, before, present: code?.[field] ?? '' });
    }
  }
  return saying;
}

/** Tags are added to what an earlier row says, or to what the code has; all else replaces it. */
function add(
  { wishes, wish, problems }: CodeWishes,
  row: Row,
  { field, before, present }: { field: Field; before: FieldWish | undefined; present: string },
): void {
  const isAdded = row.wish[field] === undefined;
  if (!isAdded && field === 'destination') problems.clear();
  const earlier = wish[field];
  try {
    wish[field] = row.wish[field] ?? addUtm(earlier ?? present, row.utm ?? {});
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    problems.set(row, `its destination ${error.message}`);
    return;
  }
  if (!before) return void wishes.set(field, { rows: [row], earlier: [] });
  if (isAdded) before.rows.push(row);
  else before.rows = [row];
  if (earlier !== undefined) before.earlier.push(earlier);
}

function isAfter(row: Row, before: FieldWish | undefined): boolean {
  return before !== undefined && timeOf(row) > timeOf(before.rows.at(-1) ?? row);
}

function timeOf({ atMs }: Row): number {
  return atMs ?? Number.POSITIVE_INFINITY;
}

/** Returns what a row says about a field, as text; undefined if nothing. Tags without a destination are for the one that is there. */
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

/** Returns a fault for each row that sets a field of a code to another value than an earlier line does for the same time. */
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
