/** Applies the due rows of a plan, code by code: intent on disk, PATCH, outcome on disk. */
import { RejectedError } from '../../base/errors.ts';
import type { Service } from '../../service/service.ts';
import type { CodeChanges, QrCode } from '../../service/shapes.ts';
import { differences } from '../engine/change-rows.ts';
import type { RowResult } from '../input/outcomes.ts';
import { type DatedChange, type DueRows, keysOf, wantedOf } from './dated-plan.ts';
import type { DoneRecord, PlanJournal } from './plan-journal.ts';

export interface DueCode<R extends DatedChange> {
  /** As it was read in this run. */
  code: QrCode;
  dueRows: DueRows<R>;
}

/** Planned change of one code; `left`: fields with a later change, which is kept. */
interface DueChange {
  send: CodeChanges;
  left: readonly string[];
}

/** Changes one code and returns the outcome. Throws the service's errors, and as `planDue`; the next run then tries its rows again. */
export async function applyDue<R extends DatedChange>(
  { code, dueRows }: DueCode<R>,
  { journal, service }: { journal: PlanJournal; service: Pick<Service, 'updateCode'> },
): Promise<RowResult> {
  const { id, slug } = code;
  const { send, left } = planDue({ code, dueRows }, journal);
  const outcome = Object.keys(send).length > 0 ? 'updated' : 'unchanged';
  if (outcome === 'updated') {
    const before = Object.fromEntries(Object.keys(send).map((field) => [field, code[field as keyof CodeChanges] ?? '']));
    // O26: the change and the previous values are on disk before the request.
    await journal.record([{ is: 'intent', id, wanted: send, before }]);
    await service.updateCode(id, send);
  }
  // O26: once done, never again, whatever the code contains by then.
  await journal.record(doneRecords(id, dueRows, outcome));
  return {
    id,
    slug,
    outcome,
    error: tellKept(left),
  };
}

/** Returns the records of the pending rows: those that a later row replaces changed nothing, and later runs say so. */
function doneRecords(id: string, { pending, effective }: DueRows<DatedChange>, outcome: DoneRecord['outcome']): DoneRecord[] {
  const counting = new Set(effective.map(({ row }) => row.row));
  const keysWhere = (counts: boolean) =>
    pending.filter(({ row }) => counting.has(row) === counts).map((row) => keysOf(id, row)[0]);
  const records: DoneRecord[] = [
    { is: 'done', id, keys: keysWhere(true), outcome },
    { is: 'done', id, keys: keysWhere(false), outcome: 'unchanged' },
  ];
  return records.filter(({ keys }) => keys.length > 0);
}

/** Returns the note about fields whose later change is kept; undefined if there are none. */
export function tellKept(left: readonly string[]): string | undefined {
  return left.length > 0 ? `kept a later change made outside this plan: ${left.join(', ')}` : undefined;
}

/**
 * Plans what `applyDue` does about a code. O27: after a lost response, a value that is neither the previous nor the planned one is a later
 * change, and is kept. Throws RejectedError for tags without a web address.
 */
export function planDue<R extends DatedChange>({ code, dueRows }: DueCode<R>, journal: Pick<PlanJournal, 'open'>): DueChange {
  const wanted = wantedFor(dueRows, code);
  const send: Record<string, string> = {};
  const left: string[] = [];
  const open = journal.open(code.id);
  for (const [field, value] of Object.entries(differences(code, wanted))) {
    const name = field as keyof CodeChanges;
    const before = open && open.wanted[name] === value ? open.before[name] : undefined;
    if (before !== undefined && (code[name] ?? '') !== before) left.push(field);
    else send[field] = value;
  }
  return { send, left };
}

/** Returns `wantedOf`. Tags without a web address are a failure of that row. */
function wantedFor(dueRows: DueRows<DatedChange>, code: QrCode): CodeChanges {
  try {
    return wantedOf(dueRows, code);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new RejectedError(`the destination of ${code.slug} ${cause.message}`, { outcome: 'not-applied', cause });
  }
}
