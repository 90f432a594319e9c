import { shortenPair } from '#base/text/differing-parts';
import { joinSome } from '#base/text/quote';
import { formatInstant } from '#base/time/time';
import type { FieldChange, Plan } from '#codes/engine/plan/model';
import { candidatesOf, type PlanRow, reasonOf, stateOf, type Verb } from '#codes/engine/results/explain';
import { ERROR, OUTCOME } from '#commands/qr/code-columns';
import { type Column, colorBy, wholeColumn } from '#files/formats/columns';
import type { Row } from '#files/formats/row-sink';

export interface Reason {
  title: string;
  message: string;
  /** Whether the table omits this reason, because the counts in the closing note state it. */
  isCount?: boolean;
}

export interface PrintedPlan {
  name: string;
  verb: Verb;
  rows: readonly PlanRow[];
  unmanaged: number;
  absent: Plan['absent'];
  reasons: readonly Reason[];
}

const PLAN_NAMES = ['line', 'key', 'action', 'id', 'slug', 'field', 'old', 'new'];

/** Columns of a plan. `old` is the current value or candidates, `new` the later value or new code. */
export const PLAN_COLUMNS: readonly Column[] = PLAN_NAMES.map((name) => ({ name }));
/** Documented columns of a plan. In JSON, `changes` maps each field to `old` and `new`. */
export const PLAN_OUTPUT = [
  { when: '--dry-run', columns: PLAN_COLUMNS },
  {
    when: '--dry-run --format json',
    columns: [...PLAN_NAMES.slice(0, 5), 'changes', 'error'].map((name) => ({ name })),
    optional: ['at', 'candidates'],
  },
] as const;
export const DUE_PLAN_COLUMNS: readonly Column[] = [
  { name: 'line' },
  { name: 'at' },
  ...PLAN_COLUMNS.slice(1),
];
export const APPLIED_COLUMNS: readonly Column[] = [...PLAN_COLUMNS, OUTCOME, ERROR];

/** Maximum number of candidates to print. Equal rows may have thousands. */
const MOST_CANDIDATES = 20;

export function recordsOf(row: PlanRow): Row[] {
  const { item, outcome } = row;
  const about = aboutRow(row);
  const ended = outcome && { outcome, error: reasonOf(row) ?? null };
  if (item.changes.length === 0) {
    const [old, fresh] = [describeCandidates(row) ?? null, describeNew(row) ?? null];
    return [{ ...about, field: null, old, new: fresh, ...ended }];
  }
  return item.changes.map((change) => ({
    ...about,
    ...(isKept(change) && { action: 'unchanged' }),
    field: change.field,
    old: change.old,
    new: valueAfter(change),
    ...ended,
    ...(outcome && isKept(change) && { outcome: 'unchanged' }),
  }));
}

export function entryOf(row: PlanRow): Row {
  const { item, outcome } = row;
  const changes: Record<string, unknown> = {};
  for (const change of item.changes) changes[change.field] = { old: change.old, new: valueAfter(change) };
  if (item.action === 'create') {
    for (const [field, value] of Object.entries({ ...item.values, ...item.send }))
      changes[field] = { old: null, new: value };
  }
  const candidates = candidatesOf(row).map(({ id }) => id);
  return {
    ...aboutRow(row),
    changes,
    ...(candidates.length > 0 && { candidates }),
    ...(outcome && { outcome }),
    error: reasonOf(row) ?? null,
  };
}

function isKept({ what }: FieldChange): boolean {
  return what === 'keep' || what === 'drift';
}

export function valueAfter(change: FieldChange): string {
  return isKept(change) ? change.old : change.new;
}

function aboutRow(row: PlanRow) {
  const { item } = row;
  const { line = null, atMs } = item.row ?? {};
  const { id, slug } = codeOf(row);
  const at = atMs === undefined ? {} : { at: formatInstant(atMs) };
  return { line, ...at, key: item.key ?? null, action: item.action, id: id ?? null, slug: slug ?? null };
}

export function codeOf({ item, code = item.code }: PlanRow): { id?: string; slug?: string } {
  return { id: code?.id ?? item.goneId ?? item.row?.id, slug: code?.slug ?? item.goneSlug ?? item.row?.slug };
}

export function describeCandidates(row: PlanRow): string | undefined {
  const ids = candidatesOf(row).map(({ id }) => id);
  return ids.length === 0 ? undefined : joinSome(ids, { most: MOST_CANDIDATES });
}

/** Describes the code that a row requests, also if it exists, is undecided or failed: `Summer menu (menu) → https://example.com/summer, paused`. */
export function describeNew({ item: { action, row, values, send } }: PlanRow): string | undefined {
  const isNew = ['create', 'undecided', 'exists', 'failed'].includes(action);
  const { name, destination } = values ?? row?.wish ?? {};
  if (!isNew || name === undefined) return undefined;
  const type = values?.type ?? row?.type ?? 'url';
  const parts = [name, type === 'url' ? '' : ` (${type})`, destination ? ` → ${destination}` : ''];
  const { status } = send;
  return `${parts.join('')}${status === undefined ? '' : `, ${status}`}`;
}

const ACTION_COLORS = {
  green: ['create'],
  cyan: ['adopt'],
  yellow: ['update', 'removed', 'edited'],
  dim: ['unchanged'],
};

export const TABLE_COLUMNS: readonly Column[] = [
  { name: 'line', align: 'right', importance: 5 },
  { name: 'key', importance: 4 },
  { name: 'at', importance: 6 },
  { ...wholeColumn('action', 9), color: colorBy(ACTION_COLORS, 'red') },
  { name: 'code', importance: 8, leastWidth: 16 },
  OUTCOME,
  { name: 'change', importance: 7, below: true },
];

const LONGEST_COMMON = 100;

function nameCodeOf(row: PlanRow): string | undefined {
  const { id, slug } = codeOf(row);
  const { name } = row.code ?? row.item.code ?? {};
  return slug === undefined || !name ? (slug ?? id) : `${slug} (${name})`;
}

export function tableRow(row: PlanRow): Row {
  const { item, outcome } = row;
  const sent = item.changes.filter(({ what }) => what === 'send');
  const changes = sent.map(({ field, old, new: value }) => {
    const [before, after] = shortenPair(old, value, LONGEST_COMMON).map(showValue);
    return `${field}: ${before} → ${after}`;
  });
  const { line, key, at = null } = aboutRow(row);
  return {
    line,
    key,
    at,
    action: stateOf(row),
    code: nameCodeOf(row) ?? describeNew(row) ?? null,
    outcome: outcome ?? null,
    change: [...changes, reasonOf(row)].filter((part) => part !== undefined).join('; ') || null,
  };
}

function showValue(value: string): string {
  if (value === '') return '(empty)';
  return /^[^\s"]+$/.test(value) ? value : `"${value.replaceAll('"', '\\"')}"`;
}
