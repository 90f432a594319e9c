/**
 * Plans an input whose rows need no recognition: the journal is empty, or the input is unchanged, in the same order. This covers nearly
 * every run, and comparing each row with all entries takes several times the memory of the rows. Pure.
 */
import { numberSet } from '../../../base/collections/number-set.ts';
import { entriesRecords, seenOf, toRuns } from './entries.ts';
import { type InputPlan, isRecorded, PlannedRows } from './input-plan.ts';
import type { NewRow } from './new-row.ts';
import { doubtOf } from './recognize-rows.ts';
import type { RowStates } from './row-states.ts';

/** Returns the plan like `planInput`, without the user's decisions, or undefined if recognition is needed. */
export function planPlainly(rows: readonly NewRow[], states: RowStates): InputPlan | undefined {
  if (states.all().length === 0 && states.runs() === undefined)
    return planOf(
      rows,
      Int32Array.from(rows, (_, place) => numberOf(place)),
      entriesOf(rows),
    );
  const order = states.order();
  return isUnchanged(rows, order, states) ? planOf(rows, order, []) : undefined;
}

function planOf(rows: readonly NewRow[], entries: Iterable<number>, records: InputPlan['records']): InputPlan {
  return { rows: new PlannedRows(rows, Int32Array.from(entries)), held: [], records };
}

/** Entries are numbered from 1 in the order in which they were first seen. */
function numberOf(place: number): number {
  return place + 1;
}

function entriesOf(rows: readonly NewRow[]): InputPlan['records'] {
  return entriesRecords(rows.map((row, place) => [numberOf(place), seenOf(row)] as const));
}

/** O14: each row is the entry at its place, and none is gone that another row could be. */
function isUnchanged(rows: readonly NewRow[], order: readonly number[], states: RowStates): boolean {
  if (rows.length !== order.length || !isRecorded(toRuns(order), states)) return false;
  const present = numberSet(order);
  if (states.all().some((state) => doubtOf(state) < 2 && !present.has(state.row))) return false;
  return rows.every((row, place) => {
    const before = states.of(order[place] ?? 0).seen;
    if (before?.name === undefined) return false;
    // All of it: results that are believed without a journal have the fingerprint of a row that was edited, and the values of its code.
    const now = seenOf(row);
    return (['all', 'own', 'name', 'type', 'destination'] as const).every((part) => now[part] === before[part]);
  });
}
