/** Looks up rows in a listing that is not stale. */
import type { Clock } from '../../../base/time/time.ts';
import type { Service } from '../../../service/service.ts';
import type { QrCode } from '../../../service/shapes.ts';
import type { RowState } from './apply-record.ts';
import { listCurrentCodes } from './current-listing.ts';
import type { RowToFind } from './deal-out.ts';
import type { ListedCode } from './journal-records.ts';
import { type Question, type Reconciliation, type ResentRow, reconcile } from './reconcile.ts';
import type { RecordedStates } from './row-states.ts';

/** Reason for the wait: lost responses, or duplicate codes of rows that have one. */
export interface Waiting {
  is: 'waiting';
  ms: number;
  of: 'lost' | 'second';
}

/** Fields of a `RoundsJob`. */
interface AskJob {
  service: Pick<Service, 'getCode' | 'nowMs'>;
  listCodes: () => Promise<QrCode[]>;
  listed: readonly ListedCode[] | undefined;
  clock: Clock;
  signal: AbortSignal;
  settleMs: number;
  onEvent: (event: Waiting) => void;
}

/** Matches rows with the current listing. The query is built after it was read: times that it shows count in the bounds. */
export async function askListing(
  job: AskJob,
  states: RecordedStates,
  question: () => Pick<Question, 'unknown' | 'resent'>,
): Promise<Reconciliation> {
  const of = states.all().some(isUnknown) ? 'lost' : 'second';
  const listing = await listCurrentCodes({ ...job, waitFor: (ms) => waitFor(ms, of, job) }, states);
  await states.record([{ is: 'clock' }]);
  states.evidence.addListing(listing, job.service.nowMs());
  return reconcile({ ...question(), listing, claimedIds: states.claimedIds(), signal: job.signal });
}

/** Returns a function that asks for the code of a row. */
export function toQuestion({ evidence }: RecordedStates) {
  return ({ row, code, attempts, foreign }: RowState): RowToFind => {
    if (!code) throw new Error(`nobody knows what row ${row} says`);
    return { row, code, bounds: evidence.boundsOf(attempts), foreign };
  };
}

/** Returns a function that asks for a second code of a row that has one. */
export function toResent(states: RecordedStates) {
  const toRow = toQuestion(states);
  return (row: RowState): ResentRow => ({ ...toRow(row), ownId: row.id ?? '' });
}

/** Resolves to whether there was anything to wait for. */
export async function waitFor(
  ms: number,
  of: Waiting['of'],
  { onEvent, clock, signal }: Pick<AskJob, 'onEvent' | 'clock' | 'signal'>,
): Promise<boolean> {
  if (ms > 0) onEvent({ is: 'waiting', ms, of });
  await clock.sleep(ms, signal);
  return ms > 0;
}

/** Returns whether the response to a row's request was lost. */
export function isUnknown({ state }: RowState): boolean {
  return state === 'unknown';
}
