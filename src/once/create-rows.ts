/**
 * Each row of a bulk file exactly once. Rows go out in parallel; what got no clear answer is looked for in the listing when a
 * slow write has had time to land, and sent again only when it is certainly not there. The journal knows all of it at every
 * instant, so a killed run is simply run again. PROTOCOL.md beside this file says why it holds.
 */
import { type Disk, nodeDisk } from '../durable/disk.ts';
import type { Service } from '../service/service.ts';
import type { QrCode } from '../service/shapes.ts';
import type { Clock } from '../time.ts';
import { checkDecisions, type Decisions, recordDecisions } from './decisions.ts';
import { type NewRow, openJournal, readJournal } from './journal.ts';
import { waitForLanding } from './landing-delay.ts';
import { findExisting, type Reconciliation, reconcile } from './reconcile.ts';
import { openStates, type RecordedStates, type RowState, replay } from './row-states.ts';
import { type SendEnd, sendRows } from './send-rows.ts';

export interface CreateJob {
  rows: readonly NewRow[];
  /** Where the journal stands. Hold its lock. */
  journalPath: string;
  disk?: Disk;
  /** O19: what can be done here. */
  service: Pick<Service, 'baseUrl' | 'createCode' | 'getCode' | 'nowMs' | 'msToClockSample'>;
  /** Every code of the workspace, proven complete. */
  listCodes: () => Promise<QrCode[]>;
  /** Any small request: its answer shows the service's clock. */
  askClock: () => Promise<unknown>;
  clock: Clock;
  /** Ms since the machine was started. */
  uptimeMs: () => number;
  signal: AbortSignal;
  /** Rows in flight at once; the rate limit is the service's own affair. */
  concurrency: number;
  /** Stop at the first row the service rejects. */
  failFast: boolean;
  /** Rows that have a code with their values already are not sent. */
  skipExisting: boolean;
  /** What a person decided about rows of unknown outcome. */
  decisions: Decisions;
  onEvent: (event: CreateEvent) => void;
}

type CreateEvent =
  /** So many rows have no code yet. */
  | { is: 'begun'; left: number }
  | { is: 'created' | 'adopted' | 'rejected' | 'unknown'; row: number }
  /** Waiting for slow writes to land. */
  | { is: 'waiting'; ms: number }
  | { is: 'warning'; text: string };

export interface CreateEnd {
  /** In the order of the input. */
  rows: readonly RowEnd[];
  /** Why rows were left unsent: a failure that would have met every row, or undefined. */
  stop: unknown;
  /** The row that met it, if one was sent. */
  stopRow: number | undefined;
}

export interface RowEnd extends Pick<RowState, 'row' | 'state' | 'id' | 'slug' | 'error'> {
  /** A request of this run may have reached the service, and its answer was lost. */
  sentNow: boolean;
  /** Where a person must decide: the codes that could be the row's. */
  candidates: readonly QrCode[];
}

/** O17: rounds that created nothing before the rest is given up. */
const MOST_BARREN_ROUNDS = 4;

/**
 * Creates what is not created yet, going on from the journal. Failures of requests are in what it returns.
 *
 * @throws UsageError where the journal is not of these rows or the decisions do not fit it, NotFoundError for an adopted code
 * that does not exist, LocalError when the journal cannot be written, and what the listing of `skipExisting` throws.
 */
export async function createRows(job: CreateJob): Promise<CreateEnd> {
  const { rows, journalPath: path, disk = nodeDisk, service, clock, uptimeMs, onEvent } = job;
  const journal = await openJournal({ disk, path, baseUrl: service.baseUrl, rows });
  try {
    const states = await openStates(journal, rows.length, { clock, uptimeMs, serviceNowMs: service.nowMs });
    checkDecisions(job.decisions, states);
    const warn = (text: string) => onEvent({ is: 'warning', text });
    await recordDecisions(job.decisions, { ...job, states, getCode: service.getCode, warn });
    if (job.skipExisting && states.all().some(mayBeSent)) await recordExisting(job, states);
    const left = states.all().filter(({ id }) => id === undefined).length;
    if (left > 0) onEvent({ is: 'begun', left });
    const { stop, stopRow, undecided } = await sendAndReconcile(job, states);
    const candidates = new Map(undecided.map((entry) => [entry.row, entry.candidates]));
    return { rows: states.all().map((row) => endOf(row, states, candidates.get(row.row))), stop, stopRow };
  } finally {
    await journal.close();
  }
}

/** What a run would do with a row. */
export interface RowPlan {
  row: number;
  action:
    | 'create'
    | 'done' /** By an earlier run. */
    | 'exists' /** A code with its values is there (--skip-existing). */
    | 'reconcile' /** Sent by an earlier run that got no answer: looked for before it is sent again. */;
  /** Of the code it has. */
  id: string | undefined;
}

/** What `createRows` would do, in the order of the rows; `listCodes` for --skip-existing. The journal is only read; throws as above. */
export async function planRows(
  { rows, journalPath: path, baseUrl, disk = nodeDisk }: Pick<CreateJob, 'rows' | 'journalPath' | 'disk'> & { baseUrl: string },
  listCodes: () => Promise<readonly QrCode[]> = async () => [],
): Promise<RowPlan[]> {
  const states = replay(await readJournal({ disk, path, baseUrl, rows }), rows.length);
  const existing = new Map(findExisting(rows, states, await listCodes()).map(({ row, code }) => [row, code.id]));
  return states.all().map(({ row, state, id }) => {
    if (id !== undefined) return { row, action: 'done', id };
    if (existing.has(row)) return { row, action: 'exists', id: existing.get(row) };
    return { row, action: state === 'unknown' ? 'reconcile' : 'create', id };
  });
}

async function recordExisting({ rows, listCodes }: CreateJob, states: RecordedStates): Promise<void> {
  const existing = findExisting(rows, states, await listCodes());
  await states.record(existing.map(({ row, code: { id, slug } }) => ({ is: 'exists', row, id, slug })));
}

interface RoundsEnd extends Pick<SendEnd, 'stop' | 'stopRow'> {
  undecided: Reconciliation['undecided'];
}

const NOTHING_TO_DO: RoundsEnd = { stop: undefined, stopRow: undefined, undecided: [] };

/** Sends, looks for what was lost, and sends again what certainly is not there, until nothing is left or it is hopeless. */
async function sendAndReconcile(job: CreateJob, states: RecordedStates): Promise<RoundsEnd> {
  let undecided: Reconciliation['undecided'] = [];
  if (states.all().some(isUnknown)) {
    // Answers get lost: where this run is killed in turn, its times should not depend on the machine's clock alone.
    const failure = await failureOf(job.askClock());
    if (failure !== undefined) return { stop: failure, stopRow: undefined, undecided };
    await states.record([{ is: 'clock' }]);
  }
  // What the service rejected in an earlier run is tried once more: its rules may have changed, or the plan.
  let due = states.all().filter(mayBeSent);
  for (let barren = 0; ; ) {
    const done = countDone(states);
    const sending = await send(job, states, due);
    if (sending.stop !== undefined) return { ...sending, undecided };
    if (!states.all().some(isUnknown)) return NOTHING_TO_DO;

    try {
      undecided = await reconcileUnknown(job, states);
    } catch (stop) {
      return { stop, stopRow: undefined, undecided };
    }
    barren = countDone(states) > done ? 0 : barren + 1;
    due = states.all().filter(isOpen);
    if (due.length === 0) return { stop: undefined, stopRow: undefined, undecided };
    if (barren >= MOST_BARREN_ROUNDS)
      return { stop: reasonToGiveUp(states, due, sending.lastError), stopRow: undefined, undecided };
  }
}

function send(job: CreateJob, states: RecordedStates, due: readonly RowState[]): Promise<SendEnd> {
  const rows = due.map(({ row }) => rowOf(job.rows, row));
  return sendRows(rows, { ...job, states, onSent: job.onEvent });
}

/** Decides about rows of unknown outcome, by a listing taken when their codes must be in it. Returns those left undecided. */
async function reconcileUnknown(job: CreateJob, states: RecordedStates): Promise<Reconciliation['undecided']> {
  const { rows, onEvent } = job;
  const unknown = states.all().filter(isUnknown);
  await waitForLanding(unknown, { ...job, states, onWait: (ms) => onEvent({ is: 'waiting', ms }) });
  const listing = await job.listCodes();
  await states.record([{ is: 'clock' }]);
  const questions = unknown.map(({ row, attempts, foreignIds }) => {
    return { row, code: rowOf(rows, row).code, bounds: states.evidence.boundsOf(attempts), foreignIds };
  });
  const { adopted, absent, undecided } = reconcile(questions, listing, states.claimedIds());
  await states.record([
    ...adopted.map(({ row, code: { id, slug } }) => ({ is: 'adopted' as const, row, id, slug })),
    ...absent.map(({ row, foreignIds }) => ({ is: 'absent' as const, row, before: foreignIds, word: false })),
  ]);
  for (const { row } of adopted) onEvent({ is: 'adopted', row });
  return undecided;
}

/** The rest is certainly not created. Where that is everything, or rows were not even tried, the failure is the whole run's. */
function reasonToGiveUp(states: RecordedStates, due: readonly RowState[], error: unknown): unknown {
  return countDone(states) === 0 || due.some(({ attempts }) => attempts.length === 0) ? error : undefined;
}

function endOf(
  { row, state, id, slug, error, attempts }: RowState,
  { evidence }: RecordedStates,
  candidates: readonly QrCode[] = [],
): RowEnd {
  const sentNow = attempts.some(({ session }) => session === evidence.session());
  return { row, state, id, slug, error, sentNow, candidates };
}

function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error) => error,
  );
}

function rowOf(rows: readonly NewRow[], row: number): NewRow {
  const found = rows[row - 1];
  if (!found) throw new Error(`there is no row ${row}`);
  return found;
}

function isUnknown({ state }: RowState): boolean {
  return state === 'unknown';
}

/** O4: after a round, what it proved not created; what the service rejected is not tried twice in one run. */
function isOpen({ state }: RowState): boolean {
  return state === 'open';
}

/** O4: neither unknown nor done. */
function mayBeSent({ state }: RowState): boolean {
  return state === 'open' || state === 'rejected';
}

function countDone(states: RecordedStates): number {
  return states.all().filter(({ id }) => id !== undefined).length;
}
