/** Applies edited rows to their codes: one PATCH per row, with only the edited fields. */
import { NotFoundError, RejectedError } from '../../base/errors.ts';
import type { Service } from '../../service/service.ts';
import type { CodeChanges } from '../../service/shapes.ts';
import type { RowResult } from '../input/outcomes.ts';
import { changeRows, refuseUnchanged } from './change-rows.ts';
import { changesOf } from './creation/input-plan.ts';
import type { ApplyEdits, EditsLog, OwnedEdit } from './creation/input-rows.ts';

interface EditsJob {
  service: Pick<Service, 'getCode' | 'updateCode'>;
  concurrency: number;
  failFast: boolean;
  signal: AbortSignal;
}

/** Returns the function that `createRows` applies edits with. */
export function createEditor({ service, ...job }: EditsJob): ApplyEdits {
  return async (edits, log) => {
    const end = await changeRows({
      ...job,
      groups: edits.map((edit) => [{ row: edit.row.row, edit }]),
      apply: ({ edit }) => apply(edit, log, service),
      onEvent: () => undefined,
    });
    const failed = [...end.results].flatMap(([row, { error }]) => (error === undefined ? [] : [[row, error] as const]));
    // With --fail-fast a row's own fault stops the run; it is reported with the row.
    return { stop: end.stop, failed: new Map(failed) };
  };
}

/** O35: idempotent: a PATCH contains the target values, and fields that were not edited stay as they are. */
async function apply(edit: OwnedEdit, log: EditsLog, service: EditsJob['service']): Promise<RowResult> {
  const { id, slug, row } = edit;
  // A journal of version 1 does not contain the row's values: its code does.
  const changes = edit.changes ?? changesOf(await requireThere(service.getCode(id), edit), row.code) ?? [];
  if (changes.some(({ field }) => field === 'type')) {
    throw new RejectedError('the service cannot change the type of a code', { outcome: 'not-applied' });
  }
  const wanted: CodeChanges = Object.fromEntries(changes.map(({ field, new: now }) => [field, now]));
  if (changes.length > 0) {
    await log.begin(edit);
    const after = await requireThere(service.updateCode(id, wanted), edit);
    const before = Object.fromEntries(changes.map(({ field, old }) => [field, old]));
    refuseUnchanged({ ...after, ...before }, wanted, after);
  }
  await log.done(edit);
  return { id, slug, outcome: 'updated' };
}

async function requireThere<T>(work: Promise<T>, { row: { line } }: OwnedEdit): Promise<T> {
  return work.catch((error) => {
    if (!(error instanceof NotFoundError)) throw error;
    throw new NotFoundError(`${error.message}; pass --as-new ${line} to create a new code`, {
      outcome: 'not-applied',
      cause: error,
    });
  });
}
