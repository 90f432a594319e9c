/** The plan as records: one per field that changes, or one per key. */
import type { Outcome } from '../../../base/run/outcomes.ts';
import type { EndedItem } from '../../../codes/engine/lock-entries.ts';
import type { PlanItem } from '../../../codes/engine/plan.ts';
import type { Column } from '../../../files/formats/columns.ts';
import type { Row } from '../../../files/formats/row-sink.ts';
import { ERROR, OUTCOME } from '../code-columns.ts';

/** Item of a plan; of a run that was carried out with its end. */
export type ShownItem = PlanItem | EndedItem;

export const PLAN_COLUMNS: readonly Column[] = ['key', 'action', 'id', 'slug', 'field', 'old', 'new'].map((name) => ({ name }));

export const APPLIED_COLUMNS: readonly Column[] = [...PLAN_COLUMNS, OUTCOME, ERROR];

/** Returns the item of a plan, however it ended. */
export function itemOf(shown: ShownItem): PlanItem {
  return 'item' in shown ? shown.item : shown;
}

/** Returns how an item ended; undefined for a plan. */
export function endOf(shown: ShownItem): EndedItem | undefined {
  return 'item' in shown ? shown : undefined;
}

/** Returns whether an item is as the file says, so that a plan for people does not list it. */
export function isQuiet(shown: ShownItem): boolean {
  const { action, isNews, changes } = itemOf(shown);
  const isOld = action === 'removed' && !isNews && changes.length === 0;
  return (action === 'unchanged' || isOld) && endOf(shown)?.outcome !== 'failed';
}

export interface ShownField {
  readonly field: string;
  /** Null where there is no value yet. */
  readonly old: string | null;
  readonly new: string;
  readonly isKept: boolean;
  readonly isEdited: boolean;
}

/** Returns the fields that an item would set: of a new code all that its row gives it. */
export function fieldsOf({ action, row, changes }: PlanItem): ShownField[] {
  if (action !== 'create' || !row) return [...changes];
  const { name, destination, status } = row.changes;
  const given = Object.entries({ name, type: row.type ?? 'url', destination, status });
  return given.flatMap(([field, value]) =>
    value === undefined ? [] : [{ field, old: null, new: value, isKept: false, isEdited: false }],
  );
}

export function recordsOf(shown: ShownItem): Row[] {
  const item = itemOf(shown);
  const end = endOf(shown);
  const { key, action, entry } = item;
  const code = end?.code ?? item.code ?? entry;
  const about = { key, action, id: code?.id ?? item.row?.id ?? null, slug: code?.slug ?? item.row?.slug ?? null };
  const ended = end && { outcome: end.outcome, error: end.error ?? null };
  const fields = fieldsOf(item);
  if (fields.length === 0) return [{ ...about, field: null, old: null, new: null, ...ended }];
  return fields.map(({ field, old, new: value, isKept }) => {
    const kept = isKept && end ? { outcome: 'edited' satisfies Outcome } : {};
    return { ...about, field, old, new: value, ...ended, ...kept };
  });
}
