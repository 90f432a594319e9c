/**
 * Runs rounds of sending rows, looking up lost ones in the listing, and sending again those verified as absent, until each row has its
 * code, needs the user's decision, or can't be created in this run.
 */
import { groupBy } from '../../../base/collections/group-by.ts';
import { inQuotes } from '../../../base/text/quote.ts';
import type { Clock } from '../../../base/time/time.ts';
import type { Service } from '../../../service/service.ts';
import type { QrCode } from '../../../service/shapes.ts';
import type { RowState } from './apply-record.ts';
import { askListing, isUnknown, toQuestion, toResent, type Waiting, waitFor } from './ask-listing.ts';
import type { ListedCode } from './journal-records.ts';
import { landingDelayMs, lastLookDelayMs, waitForLanding } from './landing-delay.ts';
import { type NewRow, nameRow } from './new-row.ts';
import type { Reconciliation, ResentRow } from './reconcile.ts';
import { mayBeSent, type RecordedStates } from './row-states.ts';
import { type SendEnd, sendRows } from './send-rows.ts';

/** The rows that the input has, by the numbers of their entries, which are the `row` of each. */
export interface EntryRows {
  has(entry: number): boolean;
  get(entry: number): NewRow | undefined;
  values(): Iterable<NewRow>;
}

export interface RoundsJob {
  /** Others are looked for, and never sent. */
  rows: EntryRows;
  /** Codes in the results of an earlier run; undefined if the file cannot be read. */
  listed: readonly ListedCode[] | undefined;
  /** O19: the endpoints that a run uses. */
  service: Pick<Service, 'workspace' | 'createCode' | 'getCode' | 'nowMs' | 'msToClockSample' | 'externalRequests'>;
  /** Every code of the workspace, verified as complete. */
  listCodes: () => Promise<QrCode[]>;
  /** Any small request: its response shows the service's clock. */
  askClock: () => Promise<unknown>;
  clock: Clock;
  /** Ms since the machine was started. */
  uptimeMs: () => number;
  signal: AbortSignal;
  /** Rows in flight at once; the rate limit is the service's own affair. */
  concurrency: number;
  /** Stop at the first row the service rejects. */
  failFast: boolean;
  /** Rows that were sent are looked up, and none is sent. */
  lookOnly?: boolean;
  /** Visibility delay of a write whose response was lost, before its row is sent again. */
  settleMs: number;
  onEvent: (event: CreateEvent) => void;
}

type CreateEvent =
  /** So many rows have no code yet. */
  | { is: 'begun'; left: number }
  | { is: 'created' | 'adopted' | 'rejected' | 'unknown'; row: number }
  | Waiting
  | { is: 'warning'; text: string };

/** O17: rounds one after the other that created nothing, before the rest is given up. */
const MOST_IN_VAIN = 4;

export interface RoundsEnd extends Pick<SendEnd, 'stop' | 'stopRow'> {
  undecided: Reconciliation['undecided'];
}

/** Runs `sendAndReconcile`, and records the candidates that the user will be shown. */
export async function sendAndAsk(job: RoundsJob, states: RecordedStates): Promise<RoundsEnd> {
  const end = await sendAndReconcile(job, states);
  const alike = groupBy(end.undecided, ({ candidates }) => candidates);
  const asked = [...alike].map(([codes, rows]) => {
    const [row = 0, ...more] = rows.map((undecided) => undecided.row);
    return { is: 'asked' as const, row, more, candidates: codes.map(({ id }) => id) };
  });
  if (asked.length > 0) await states.record(asked);
  return end;
}

/** Sends rows, looks up lost ones, and sends those again that certainly do not exist, until nothing is left or the run gives up. */
async function sendAndReconcile(job: RoundsJob, states: RecordedStates): Promise<RoundsEnd> {
  let undecided: Reconciliation['undecided'] = [];
  const isWanted = ({ row }: RowState) => job.rows.has(row);
  const isLost = (row: RowState) => isUnknown(row) && isWanted(row);
  if (states.all().some(isLost)) {
    const failure = await failureOf(recordClock(job, states));
    if (failure !== undefined) return { stop: failure, stopRow: undefined, undecided };
  }
  // Rows that the service rejected in an earlier run are tried once more: its rules may have changed, or the plan.
  let due = states.all().filter((row) => !job.lookOnly && mayBeSent(row) && isWanted(row));
  for (let inVain = 0; ; ) {
    const done = countDone(states);
    const sending = await send(job, states, due);
    if (sending.stop !== undefined) return { ...sending, undecided };
    if (!states.all().some(isLost)) break;

    try {
      undecided = await reconcileUnknown(job, states);
    } catch (stop) {
      return { stop, stopRow: undefined, undecided };
    }
    inVain = countDone(states) > done ? 0 : inVain + 1;
    // A rejected row is not tried twice in one run.
    due = states.all().filter((row) => !job.lookOnly && mayBeSent(row) && isWanted(row) && row.state !== 'rejected');
    if (due.length === 0) break;
    if (inVain >= MOST_IN_VAIN) return { stop: reasonToGiveUp(states, due, sending.lastError), stopRow: undefined, undecided };
  }
  try {
    if (undecided.length === 0) undecided = await lookAgain(job, states);
    if (undecided.length === 0) undecided = await lookForRepeats(job, states);
    return { stop: undefined, stopRow: undefined, undecided };
  } catch (stop) {
    return { stop, stopRow: undefined, undecided };
  }
}

/**
 * Looks up lost requests of removed rows before anything is sent, because they decide whether a new row is an edit of one of them. Returns
 * the failure that prevented it, or undefined.
 */
export async function lookForLost(job: RoundsJob, states: RecordedStates): Promise<unknown> {
  return failureOf(recordClock(job, states).then(() => reconcileUnknown(job, states)));
}

/** Responses are being lost: in case this run is killed, its times should not depend on the machine's clock alone. */
async function recordClock({ askClock }: RoundsJob, states: RecordedStates): Promise<void> {
  await askClock();
  await states.record([{ is: 'clock' }]);
}

/** O20: rows that were sent more than once and have a code: has the listing a second one by now? Returns those that may have. */
async function lookAgain(job: RoundsJob, states: RecordedStates): Promise<Reconciliation['undecided']> {
  const resent = states.all().filter(({ row, id, attempts }) => id !== undefined && attempts.length > 0 && job.rows.has(row));
  if (resent.length === 0) return [];
  const look = () => askListing(job, states, () => ({ unknown: [], resent: resent.map(toResent(states)) }));
  const wait = () => waitFor(lastLookDelayMs(resent, { ...job, states }), 'second', job);
  const isFirstRequest = job.service.nowMs() === undefined;
  if (!isFirstRequest) await wait();
  const { undecided } = await look();
  // The response's Date shows how long ago the previous run ended: usually that is enough.
  if (!isFirstRequest || undecided.length > 0 || !(await wait())) return undecided;
  return (await look()).undecided;
}

/**
 * O29: the service counted more requests than this run sent. Usually other clients sent them; but a gateway may have repeated ours, and no
 * response shows the first code: then the listing has two codes of a row. Returns the rows that may have one.
 */
async function lookForRepeats(job: RoundsJob, states: RecordedStates): Promise<Reconciliation['undecided']> {
  if (job.service.externalRequests() === 0) return [];
  const created = states.all().flatMap((state) => {
    const answered = states.answeredOf(state.row);
    return answered ? [{ ...state, attempts: [answered] }] : [];
  });
  if (created.length === 0) return [];
  await waitFor(landingDelayMs(created, { ...job, states }), 'second', job);
  // A code created at another time is of another run: without a lost response, there is no wider time to search.
  const narrowed = ({ bounds, ...rest }: ResentRow): ResentRow => {
    return { ...rest, bounds: { ...bounds, doubtfulFromMs: bounds.fromMs, doubtfulToMs: bounds.toMs } };
  };
  const question = () => ({ unknown: [], resent: created.map(toResent(states)).map(narrowed) });
  return (await askListing(job, states, question)).undecided;
}

function send(job: RoundsJob, states: RecordedStates, due: readonly RowState[]): Promise<SendEnd> {
  const rows = due.flatMap(({ row }) => job.rows.get(row) ?? []);
  let told = false;
  const onAltered = ({ line, code: sent }: NewRow, code: QrCode) => {
    if (told) return;
    told = true;
    const wanted = { type: 'url', ...sent };
    const field = (['name', 'type'] as const).find((one) => code[one] !== wanted[one]) ?? 'destination';
    const text =
      `the service changed a value: ${nameRow({ line })} was sent with the ${field} ${inQuotes(wanted[field] ?? '')}, but its code has ${inQuotes(code[field] ?? '')}. ` +
      "Check the codes before you print them. Keep the journal: --skip-existing can't match such rows.";
    job.onEvent({ is: 'warning', text });
  };
  const nameOf = (row: number) => nameRow(job.rows.get(row) ?? states.of(row));
  return sendRows(rows, { ...job, states, nameOf, onSent: job.onEvent, onAltered });
}

/** Decides about rows of unknown outcome, by a listing taken when their codes must be in it. Returns those left undecided. */
async function reconcileUnknown(job: RoundsJob, states: RecordedStates): Promise<Reconciliation['undecided']> {
  const { onEvent } = job;
  // Also of rows that are gone: their codes are not those of others.
  const unknown = states.all().filter((row) => isUnknown(row) && row.code !== undefined);
  await waitForLanding(unknown, { ...job, states, onWait: (ms) => onEvent({ is: 'waiting', ms, of: 'lost' }) });
  const question = () => ({ unknown: unknown.map(toQuestion(states)), resent: [] });
  const { adopted, absent, undecided } = await askListing(job, states, question);
  await states.record([
    ...adopted.map(({ row, code: { id, slug } }) => ({ is: 'adopted' as const, row, id, slug })),
    ...absent.map(({ rows: [row = 0, ...more], foreignIds: before }) => ({
      is: 'absent' as const,
      row,
      more,
      before,
      word: false,
    })),
  ]);
  for (const { row } of adopted) if (job.rows.has(row)) onEvent({ is: 'adopted', row });
  return undecided.filter(({ row }) => job.rows.has(row));
}

/** The other rows are certainly not created. If these are all rows, or some were not even tried, the failure is of the whole run. */
function reasonToGiveUp(states: RecordedStates, due: readonly RowState[], error: unknown): unknown {
  return countDone(states) === 0 || due.some(({ attempts }) => attempts.length === 0) ? error : undefined;
}

function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error) => error,
  );
}

function countDone(states: RecordedStates): number {
  return states.all().filter(({ id }) => id !== undefined).length;
}
