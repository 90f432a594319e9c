/**
 * Each row exactly once. Rows go out in parallel; what got no clear answer is looked for in the listing when a slow write has
 * had time to land, and sent again only when it is certainly not there. The journal knows all of it at every instant, so a
 * killed run is simply run again.
 */

import type { CreateRow } from '../bulk/check-create.ts';
import { inParallel } from '../bulk/in-parallel.ts';
import type { Service } from '../service/service.ts';
import type { QrCode } from '../service/shapes.ts';
import type { Clock } from '../time.ts';
import { settleMs } from './landing-delay.ts';
import { reconcile, type Verdict } from './reconcile.ts';
import type { Ledger, Standing } from './row-states.ts';
import { type Sent, sendRow } from './send-row.ts';

export interface CreateJob {
  rows: readonly CreateRow[];
  ledger: Ledger;
  service: Pick<Service, 'createCode' | 'nowMs' | 'msToClockSample'>;
  /** Every code of the workspace, proven complete. */
  listCodes: () => Promise<QrCode[]>;
  /** Any small request: its answer shows the service's clock. */
  askClock: () => Promise<unknown>;
  clock: Clock;
  signal: AbortSignal;
  /** Rows in flight at once; the rate limit is the service's own affair. */
  concurrency: number;
  /** Stop at the first row the service rejects. */
  failFast: boolean;
  onEvent: (event: CreateEvent) => void;
}

export type CreateEvent = { is: 'created' | 'adopted' | 'rejected' | 'unknown'; row: number } | { is: 'settling'; ms: number };

export interface CreateEnd {
  /** Why rows were left unsent: a failure that would have met every row, or undefined. */
  stop: unknown;
  /** The row that met it, if one was sent. */
  stopRow: number | undefined;
  /** Rows on which a person must decide, with the codes that could be theirs. */
  undecided: Verdict['undecided'];
}

/** So many lost answers in a row are no accident: look first what became of them. */
const MOST_LOST_IN_A_ROW = 10;
/** Rounds that created nothing before the rest is given up. */
const MOST_BARREN_ROUNDS = 4;

/** Creates what is not created yet; how each row stands then is in the ledger. Throws when the journal cannot be written. */
export async function createRows(job: CreateJob): Promise<CreateEnd> {
  const { ledger } = job;
  let undecided: Verdict['undecided'] = [];
  if (ledger.all().some(isUnknown)) {
    // Something goes wrong hereabouts: what this run sends should not hang on the machine's clock if it is killed in turn.
    const failure = await job.askClock().then(
      () => undefined,
      (error) => error,
    );
    if (failure !== undefined) return { stop: failure, stopRow: undefined, undecided };
    await ledger.record({ is: 'clock' });
  }
  // What an earlier run was refused is tried once more: the service's rules may have changed, or the plan.
  let due = ledger.all().filter((standing) => isOpen(standing) || standing.state === 'rejected');
  for (let barren = 0; ; ) {
    const done = countDone(ledger);
    const sending = await send(job, due);
    if (sending.stop !== undefined) return { ...sending, undecided };
    if (!ledger.all().some(isUnknown)) return { stop: undefined, stopRow: undefined, undecided: [] };

    try {
      undecided = await settleAndReconcile(job);
    } catch (stop) {
      return { stop, stopRow: undefined, undecided };
    }
    barren = countDone(ledger) > done ? 0 : barren + 1;
    due = ledger.all().filter(isOpen);
    if (due.length === 0) return { stop: undefined, stopRow: undefined, undecided };
    if (barren >= MOST_BARREN_ROUNDS) return { ...giveUp(ledger, due, sending.lastError), undecided };
  }
}

interface Sending {
  stop: unknown;
  stopRow: number | undefined;
  lastError: unknown;
}

/** Sends rows until all are sent or a reason comes up to stop. */
async function send(job: CreateJob, due: readonly Standing[]): Promise<Sending> {
  const { rows, signal, onEvent } = job;
  const sending: Sending = { stop: undefined, stopRow: undefined, lastError: undefined };
  let lost = 0;
  const stop = (reason: unknown, row?: number) => {
    if (reason === undefined || sending.stop !== undefined) return;
    Object.assign(sending, { stop: reason, stopRow: row });
  };
  const stopped = () => sending.stop !== undefined || lost >= MOST_LOST_IN_A_ROW || signal.aborted;

  const ended = (row: number, sent: Sent) => {
    if (sent.is === 'refused') return stop(sent.stop, sent.tried ? row : undefined);
    lost = sent.is === 'unknown' ? lost + 1 : 0;
    onEvent({ is: sent.is, row });
    if (sent.is === 'rejected' && job.failFast) stop(sent.error, row);
    if (sent.is !== 'unknown') return;
    sending.lastError = sent.error;
    stop(sent.stop, row);
  };

  await inParallel(due, job.concurrency, ({ row }) => sendRow(rowOf(rows, row), { ...job, stopped, ended }), stopped);
  if (signal.aborted) stop(signal.reason);
  return sending;
}

/** Decides about rows of unknown outcome, by a listing taken when their codes must be in it. Returns those left undecided. */
async function settleAndReconcile(job: CreateJob): Promise<Verdict['undecided']> {
  const { ledger, rows, onEvent } = job;
  const unknown = ledger.all().filter(isUnknown);
  await settle(job, unknown);
  const listing = await job.listCodes();
  await ledger.record({ is: 'clock' });
  const questions = unknown.map(({ row, attempts, before }) => {
    return { row, code: rowOf(rows, row).code, window: ledger.timeline.window(attempts), before };
  });
  const verdict = reconcile(questions, listing, ledger.claimed());
  await ledger.record(
    ...verdict.adopted.map(({ row, code: { id, slug } }) => ({ is: 'adopted' as const, row, id, slug })),
    ...verdict.absent.map(({ row, before }) => ({ is: 'absent' as const, row, before, word: false })),
  );
  for (const { row } of verdict.adopted) onEvent({ is: 'adopted', row });
  return verdict.undecided;
}

/** Requests that ask for nothing but the service's clock; each halves what is not known of it, so this many leave milliseconds. */
const MOST_SAMPLES = 8;

/** Waits until the last write could have landed. Where no code created tells the service's clock, asks for it meanwhile. */
async function settle(
  { ledger, service, clock, signal, askClock, onEvent }: CreateJob,
  unknown: readonly Standing[],
): Promise<void> {
  const ms = settleMs(unknown, ledger, service.nowMs());
  if (ms > 0) onEvent({ is: 'settling', ms });
  const end = clock.monotonic() + ms;
  const blind = unknown.some(({ attempts }) => !ledger.timeline.isCalibrated(attempts[0]?.session ?? 0));
  for (let sample = 0; blind && sample < MOST_SAMPLES; sample++) {
    const pause = service.msToClockSample();
    if (clock.monotonic() + pause > end) break;
    await clock.sleep(pause, signal);
    await askClock();
  }
  await clock.sleep(Math.max(0, end - clock.monotonic()), signal);
}

/** The rest is certainly not created. Where that is everything, or rows were not even tried, the failure is the whole run's. */
function giveUp(ledger: Ledger, due: readonly Standing[], error: unknown): { stop: unknown; stopRow: undefined } {
  const whole = countDone(ledger) === 0 || due.some(({ attempts }) => attempts.length === 0);
  return { stop: whole ? error : undefined, stopRow: undefined };
}

function rowOf(rows: readonly CreateRow[], row: number): CreateRow {
  const found = rows[row - 1];
  if (!found) throw new Error(`there is no row ${row}`);
  return found;
}

function isUnknown({ state }: Standing): boolean {
  return state === 'unknown';
}

function isOpen({ state }: Standing): boolean {
  return state === 'open';
}

function countDone(ledger: Ledger): number {
  return ledger.all().filter(({ id }) => id !== undefined).length;
}
