/** The plan of dated changes as records: the changes of the due rows of a code, and the reasons why other rows change nothing. */
import { messageOf, RejectedError } from '../../../base/errors.ts';
import { formatInstant } from '../../../base/time/time.ts';
import { type DueCode, planDue, tellKept } from '../../../codes/dated/apply-plan.ts';
import type { PlanJournal } from '../../../codes/dated/plan-journal.ts';
import type { DatedRow } from '../../../codes/input/check-rows.ts';
import { placeOf, type Source } from '../../../files/formats/read/input.ts';
import { changedFields, type PlannedRow } from '../dry-run.ts';

/** Error of a due row whose values a later row replaces. */
export const SUPERSEDED = 'superseded by a later row';

/** Returns the error of a row whose time has not come. */
export function tellNotDue({ atMs }: Pick<DatedRow, 'atMs'>): string {
  return `not due until ${formatInstant(atMs)}`;
}

/** Returns the records of the pending rows of a code by row, as `applyDue` would end them: they are applied with the last one that counts. */
export function recordsOfCode(
  { code, dueRows }: DueCode<DatedRow>,
  journal: Pick<PlanJournal, 'open'>,
  file: Source,
): Map<number, PlannedRow[]> {
  const { pending, effective } = dueRows;
  const all = (record: PlannedRow) => new Map(pending.map(({ row }) => [row, [record]]));
  const last = effective.at(-1)?.row;
  try {
    const { send, left } = planDue({ code, dueRows }, journal);
    const kept = tellKept(left) ?? null;
    const fields = changedFields(code, send).map((record): PlannedRow => ({ ...record, error: kept }));
    const isChanged = last !== undefined && fields.length > 0;
    const records = all({ action: 'unchanged', error: SUPERSEDED });
    for (const { row } of effective) {
      const joined: PlannedRow = { action: 'update', error: `applied with ${placeOf(file, last?.line ?? row.line)}` };
      records.set(row.row, [isChanged ? joined : { action: 'unchanged', error: kept }]);
    }
    if (isChanged) records.set(last.row, fields);
    return records;
  } catch (error) {
    if (error instanceof RejectedError) return all({ action: 'failed', error: messageOf(error) });
    throw error;
  }
}
