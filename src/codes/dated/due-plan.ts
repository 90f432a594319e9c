/** E24: merges the rows of a dated plan by code. */
import { formatInstant } from '#base/time/time';
import type { RowEnd } from '#codes/engine/executor/job';
import type { Plan, PlanInput, PlanItem } from '#codes/engine/plan/model';
import { plan } from '#codes/engine/plan/plan';
import type { Source } from '#files/formats/read/input';
import { dueRowsOf, isDueRow, type Share } from './due-wishes.ts';

/** Plans the rows that are due at `nowMs`, the time of the service. */
export function planDue(input: PlanInput, due: { nowMs: number; file: Pick<Source, 'form'> }): Plan {
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

function sharesOf({ row }: PlanItem): readonly Share[] {
  return isDueRow(row) ? row.shares : [];
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
