/** Rows of a plan as records: one per field that differs for tables, one per row for JSON. */

import { shortenPair } from '../../../base/text/differing-parts.ts';
import { joinSome } from '../../../base/text/quote.ts';
import { formatInstant } from '../../../base/time/time.ts';
import type { FieldChange, Plan } from '../../../codes/engine/plan/model.ts';
import { type PlanRow, reasonOf, stateOf, type Verb } from '../../../codes/engine/results/explain.ts';
import type { ColorName, Column } from '../../../files/formats/columns.ts';
import type { Row } from '../../../files/formats/row-sink.ts';
import type { QrCode } from '../../../service/shapes.ts';
import { ERROR, OUTCOME } from '../code-columns.ts';

/** Sentence above a plan: why it ends as it does. */
export interface Reason {
  readonly title: string;
  readonly message: string;
}

export interface PrintedPlan {
  /** Name of the file. */
  readonly name: string;
  readonly verb: Verb;
  readonly rows: readonly PlanRow[];
  readonly unmanaged: number;
  readonly absent: Plan['absent'];
  readonly reasons: readonly Reason[];
}

/** Columns of a plan. `old`: value on the service, or the codes that may be the row's; `new`: value in the file, or the whole new code. */
export const PLAN_COLUMNS: readonly Column[] = [
  'line',
  'key',
  'action',
  'id',
  'slug',
  'field',
  'old',
  'new',
].map((name) => ({
  name,
}));

/** Columns of a plan of dated changes. */
export const DUE_PLAN_COLUMNS: readonly Column[] = [
  { name: 'line' },
  { name: 'at' },
  ...PLAN_COLUMNS.slice(1),
];

/** Columns of a plan that was carried out. */
export const APPLIED_COLUMNS: readonly Column[] = [...PLAN_COLUMNS, OUTCOME, ERROR];

/** Rows that are alike may have thousands of candidates each. */
const MOST_CANDIDATES = 20;

/** Returns a record for each field in which row and code differ; one record if there are none. */
export function recordsOf(row: PlanRow): Row[] {
  const { item, end } = row;
  const about = aboutRow(row);
  const ended = end && { outcome: end.outcome, error: reasonOf(row) ?? null };
  if (item.changes.length === 0)
    return [
      { ...about, field: null, old: candidatesOf(row) ?? null, new: describeNew(row) ?? null, ...ended },
    ];
  return item.changes.map((change) => ({
    ...about,
    ...(isKept(change) && { action: 'unchanged' }),
    field: change.field,
    old: change.old,
    new: isKept(change) ? change.old : change.new,
    ...ended,
    ...(end && isKept(change) && { outcome: 'unchanged' }),
  }));
}

/** Returns the entry of a row in JSON. */
export function entryOf(row: PlanRow): Row {
  const { item, end } = row;
  const changes: Record<string, unknown> = {};
  for (const change of item.changes) changes[change.field] = changeOf(change);
  if (item.action === 'create') {
    for (const [field, value] of Object.entries({ ...item.values, ...item.send }))
      changes[field] = { old: null, new: value };
  }
  const candidates = codesOf(row).map(({ id }) => id);
  return {
    ...aboutRow(row),
    changes,
    ...(candidates.length > 0 && { candidates }),
    ...(end && { outcome: end.outcome }),
    error: reasonOf(row) ?? null,
  };
}

/** The value of the service stays, whatever the row has. */
function isKept({ what }: FieldChange): boolean {
  return what === 'keep' || what === 'drift';
}

function changeOf(change: FieldChange): Row {
  return { old: change.old, new: change.new, ...(isKept(change) && { kept: true }) };
}

function aboutRow(row: PlanRow) {
  const { item } = row;
  const { line = null, atMs } = item.row ?? {};
  const { id, slug } = codeOf(row);
  const at = atMs === undefined ? undefined : { at: formatInstant(atMs) };
  return { line, ...at, key: item.key ?? null, action: item.action, id: id ?? null, slug: slug ?? null };
}

/** Returns ID and slug of a row's code, as far as they are known. */
export function codeOf({ item, end }: PlanRow): { id: string | undefined; slug: string | undefined } {
  const code = end?.code ?? item.code;
  return { id: code?.id ?? item.goneId ?? item.row?.id, slug: code?.slug ?? item.goneSlug ?? item.row?.slug };
}

function codesOf({ item, end }: PlanRow): readonly QrCode[] {
  return end !== undefined && end.candidates.length > 0 ? end.candidates : item.candidates;
}

/** Returns the codes that may be the row's, or duplicates of its code. */
export function candidatesOf(row: PlanRow): string | undefined {
  const ids = codesOf(row).map(({ id }) => id);
  return ids.length === 0 ? undefined : joinSome(ids, { most: MOST_CANDIDATES });
}

/** Describes the code that a row would be: `Summer menu (menu) → https://example.com/summer`; undefined if the row is not a new code. */
export function describeNew({ item: { action, row, values, send } }: PlanRow): string | undefined {
  const isNew = action === 'create' || action === 'undecided' || action === 'exists' || action === 'failed';
  const { name, destination } = values ?? row?.wish ?? {};
  if (!isNew || name === undefined) return undefined;
  const type = values?.type ?? row?.type ?? 'url';
  const parts = [name, type === 'url' ? '' : ` (${type})`, destination ? ` → ${destination}` : ''];
  const { status } = send;
  return `${parts.join('')}${status === undefined ? '' : `, ${status}`}`;
}

const COLORS: ReadonlyMap<string, ColorName> = new Map([
  ['create', 'green'],
  ['adopt', 'cyan'],
  ['update', 'yellow'],
  ['removed', 'yellow'],
  ['edited', 'yellow'],
  ['unchanged', 'dim'],
]);

/** Returns the columns of the table. */
export const TABLE_COLUMNS: readonly Column[] = [
  { name: 'line', align: 'right', importance: 5 },
  { name: 'key', importance: 4 },
  { name: 'at', importance: 6 },
  {
    name: 'action',
    importance: 9,
    keepWhole: true,
    color: (action) => COLORS.get(String(action)) ?? 'red',
  },
  { name: 'code', importance: 8, leastWidth: 16 },
  OUTCOME,
  { name: 'change', importance: 7, below: true },
];

/** Graphemes of the common part of two values that are shown whole. */
const LONGEST_COMMON = 100;

/** Returns the record of a row. */
export function tableRow(row: PlanRow): Row {
  const { item, end } = row;
  const { id, slug } = codeOf(row);
  const sent = item.changes.filter(({ what }) => what === 'send');
  const changes = sent.map(({ field, old, new: value }) => {
    const [before, after] = shortenPair(old, value, LONGEST_COMMON).map(showValue);
    return `${field}: ${before} → ${after}`;
  });
  return {
    line: item.row?.line ?? null,
    key: item.key ?? null,
    at: item.row?.atMs === undefined ? null : formatInstant(item.row.atMs),
    action: stateOf(row),
    code: slug ?? id ?? describeNew(row) ?? null,
    outcome: end?.outcome ?? null,
    change: [...changes, reasonOf(row)].filter((part) => part !== undefined).join('; ') || null,
  };
}

/** An address is as it is; any other value is in quotes, so that it can't be mistaken for the sentence. */
function showValue(value: string): string {
  if (value === '') return '(empty)';
  return /^[^\s"]+$/.test(value) ? value : `"${value.replaceAll('"', '\\"')}"`;
}
