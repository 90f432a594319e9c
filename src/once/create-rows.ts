/**
 * Each row of a bulk file exactly once. Rows go out in parallel; what got no clear answer is looked for in the listing when a
 * slow write has had time to land, and sent again only when it is certainly not there. The journal knows all of it at every
 * instant, so a killed run is simply run again. PROTOCOL.md beside this file says why it holds.
 */
import { type Disk, nodeDisk } from '../durable/disk.ts';
import { LocalError } from '../errors.ts';
import type { Service } from '../service/service.ts';
import type { QrCode } from '../service/shapes.ts';
import type { Clock } from '../time.ts';
import { listCurrentCodes } from './current-listing.ts';
import { checkDecisions, type Decisions, recordDecisions } from './decisions.ts';
import { type NewRow, openJournal, readJournal, type Stamp } from './journal.ts';
import { lastLookDelayMs, waitForLanding } from './landing-delay.ts';
import { findExisting, type Reconciliation, reconcile, type UnknownRow } from './reconcile.ts';
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
  /** How long a write may take to land whose answer was lost, before its row is sent again. */
  settleMs: number;
  /** Ids that the results of an earlier run list. */
  listedIds: readonly string[];
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
  /** It had its code when this run began. */
  before: boolean;
  /** Where a person must decide: the codes that could be the row's, beside the one it has. */
  candidates: readonly QrCode[];
}

/** O17: rounds that created nothing before the rest is given up. */
const MOST_BARREN_ROUNDS = 4;

/**
 * Creates what is not created yet, going on from the journal. Failures of requests, and of the journal once rows were sent, are in what it
 * returns.
 *
 * @throws UsageError where the journal is not of these rows or the decisions do not fit it, NotFoundError for an adopted code
 * that does not exist, LocalError when the journal cannot be begun, and what the listing of `skipExisting` throws.
 */
export async function createRows(job: CreateJob): Promise<CreateEnd> {
  const { rows, journalPath: path, disk = nodeDisk, service, clock, uptimeMs, onEvent } = job;
  const listedIds = job.skipExisting ? [] : job.listedIds;
  const journal = await openJournal({ disk, path, baseUrl: service.baseUrl, rows, listedIds });
  try {
    const states = await openStates(journal, rows.length, { clock, uptimeMs, serviceNowMs: service.nowMs });
    const before = states.claimedIds();
    checkDecisions(job.decisions, states);
    const warn = (text: string) => onEvent({ is: 'warning', text });
    await recordDecisions(job.decisions, { ...job, states, getCode: service.getCode, warn });
    if (job.skipExisting && states.all().some(mayBeSent)) await recordExisting(job, states);
    const left = states.all().filter(({ id }) => id === undefined).length;
    if (left > 0) onEvent({ is: 'begun', left });
    const { stop, stopRow, undecided } = await sendAndAsk(job, states).catch((error): RoundsEnd => {
      // O2: what was sent is in the results at least, where the journal could not take it.
      if (error instanceof LocalError) return { stop: error, stopRow: undefined, undecided: [] };
      throw error;
    });
    const candidates = new Map(undecided.map((entry) => [entry.row, entry.candidates]));
    return { rows: states.all().map((row) => endOf(row, states, before, candidates.get(row.row))), stop, stopRow };
  } finally {
    await journal.close().catch(() => undefined); // what it failed with was told to those who waited
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
  /** It was sent more than once: the listing is looked at for a second code of it. */
  resent: boolean;
}

/** What `createRows` would do, in the order of the rows; `listCodes` for --skip-existing. The journal is only read; throws as above. */
export async function planRows(
  { rows, journalPath: path, baseUrl, listedIds, disk = nodeDisk }: PlanJob,
  listCodes: () => Promise<readonly QrCode[]> = async () => [],
): Promise<RowPlan[]> {
  const found = await readJournal({ disk, path, baseUrl, rows, listedIds });
  const at: Stamp = { t: 0, w: 0, b: 0 };
  const states = replay([...found, { is: 'session', ...at }], rows.length);
  const existing = new Map<number, string>();
  for (const { row, code } of await findExisting(rows, states, await listCodes())) existing.set(row, code.id);
  return states.all().map(({ row, state, id, attempts }) => {
    const resent = id !== undefined && attempts.length > 0;
    if (id !== undefined) return { row, action: 'done', id, resent };
    if (existing.has(row)) return { row, action: 'exists', id: existing.get(row), resent };
    return { row, action: state === 'unknown' ? 'reconcile' : 'create', id, resent };
  });
}

type PlanJob = Pick<CreateJob, 'rows' | 'journalPath' | 'listedIds' | 'disk'> & { baseUrl: string };

async function recordExisting({ rows, listCodes, signal }: CreateJob, states: RecordedStates): Promise<void> {
  const existing = await findExisting(rows, states, await listCodes(), signal);
  await states.record(existing.map(({ row, code: { id, slug } }) => ({ is: 'exists', row, id, slug })));
}

interface RoundsEnd extends Pick<SendEnd, 'stop' | 'stopRow'> {
  undecided: Reconciliation['undecided'];
}

/** As `sendAndReconcile`; what a person will be shown is on disk then. */
async function sendAndAsk(job: CreateJob, states: RecordedStates): Promise<RoundsEnd> {
  const end = await sendAndReconcile(job, states);
  const rowsOf = new Map<readonly QrCode[], number[]>();
  for (const { row, candidates } of end.undecided) {
    const rows = rowsOf.get(candidates);
    if (rows) rows.push(row);
    else rowsOf.set(candidates, [row]);
  }
  const asked = [...rowsOf].map(([codes, [row = 0, ...more]]) => {
    return { is: 'asked' as const, row, more, candidates: codes.map(({ id }) => id) };
  });
  if (asked.length > 0) await states.record(asked);
  return end;
}

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
    if (!states.all().some(isUnknown)) break;

    try {
      undecided = await reconcileUnknown(job, states);
    } catch (stop) {
      return { stop, stopRow: undefined, undecided };
    }
    barren = countDone(states) > done ? 0 : barren + 1;
    due = states.all().filter(isOpen);
    if (due.length === 0) break;
    if (barren >= MOST_BARREN_ROUNDS)
      return { stop: reasonToGiveUp(states, due, sending.lastError), stopRow: undefined, undecided };
  }
  try {
    if (undecided.length === 0) undecided = await lookAgain(job, states);
    return { stop: undefined, stopRow: undefined, undecided };
  } catch (stop) {
    return { stop, stopRow: undefined, undecided };
  }
}

/** O20: rows that were sent more than once and have a code: has the listing a second one by now? Returns those that may have. */
async function lookAgain(job: CreateJob, states: RecordedStates): Promise<Reconciliation['undecided']> {
  const resent = states.all().filter(({ id, attempts }) => id !== undefined && attempts.length > 0);
  if (resent.length === 0) return [];
  const look = async () => {
    const listing = await listCurrentCodes(job, states);
    await states.record([{ is: 'clock' }]);
    return reconcile({ ...questionOf(job, states), unknown: [], resent: resent.map(toQuestion(job, states)), listing });
  };
  const wait = async () => {
    const ms = lastLookDelayMs(resent, { ...job, states });
    if (ms > 0) job.onEvent({ is: 'waiting', ms });
    await job.clock.sleep(ms, job.signal);
    return ms > 0;
  };
  const isFirstRequest = job.service.nowMs() === undefined;
  if (!isFirstRequest) await wait();
  const { undecided } = await look();
  // How long ago the run before this one ended is known only now, by the answer's Date: mostly that is enough.
  if (!isFirstRequest || undecided.length > 0 || !(await wait())) return undecided;
  return (await look()).undecided;
}

function send(job: CreateJob, states: RecordedStates, due: readonly RowState[]): Promise<SendEnd> {
  const rows = due.map(({ row }) => rowOf(job.rows, row));
  return sendRows(rows, { ...job, states, onSent: job.onEvent });
}

/** Decides about rows of unknown outcome, by a listing taken when their codes must be in it. Returns those left undecided. */
async function reconcileUnknown(job: CreateJob, states: RecordedStates): Promise<Reconciliation['undecided']> {
  const { onEvent } = job;
  const unknown = states.all().filter(isUnknown);
  await waitForLanding(unknown, { ...job, states, onWait: (ms) => onEvent({ is: 'waiting', ms }) });
  const listing = await listCurrentCodes(job, states);
  await states.record([{ is: 'clock' }]);
  const question = { ...questionOf(job, states), unknown: unknown.map(toQuestion(job, states)), resent: [], listing };
  const { adopted, absent, undecided } = await reconcile(question);
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
  for (const { row } of adopted) onEvent({ is: 'adopted', row });
  return undecided;
}

function questionOf({ signal }: CreateJob, states: RecordedStates) {
  return { claimedIds: states.claimedIds(), signal };
}

function toQuestion({ rows }: CreateJob, { evidence }: RecordedStates) {
  return ({ row, attempts, foreign }: RowState): UnknownRow => {
    return { row, code: rowOf(rows, row).code, bounds: evidence.boundsOf(attempts), foreign };
  };
}

/** The rest is certainly not created. Where that is everything, or rows were not even tried, the failure is the whole run's. */
function reasonToGiveUp(states: RecordedStates, due: readonly RowState[], error: unknown): unknown {
  return countDone(states) === 0 || due.some(({ attempts }) => attempts.length === 0) ? error : undefined;
}

function endOf(
  { row, state, id, slug, error, attempts }: RowState,
  { evidence }: RecordedStates,
  before: ReadonlySet<string>,
  candidates: readonly QrCode[] = [],
): RowEnd {
  const sentNow = attempts.some(({ session }) => session === evidence.session());
  return { row, state, id, slug, error, sentNow, before: id !== undefined && before.has(id), candidates };
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
