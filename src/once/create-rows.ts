/**
 * Each row of a bulk file exactly once. Rows go out in parallel; what got no clear answer is looked for in the listing when a
 * slow write has had time to land, and sent again only when it is certainly not there. The journal knows all of it at every
 * instant, so a killed run is simply run again. PROTOCOL.md beside this file says why it holds.
 */
import { type Disk, nodeDisk } from '../durable/disk.ts';
import { LocalError } from '../errors.ts';
import type { QrCode } from '../service/shapes.ts';
import { checkDecisions, type Decisions, recordDecisions } from './decisions.ts';
import { openJournal, readJournal, type Stamp } from './journal.ts';
import { findExisting } from './reconcile.ts';
import { type RoundsEnd, type RoundsJob, sendAndAsk } from './rounds.ts';
import { mayBeSent, openStates, type RecordedStates, type RowState, replay } from './row-states.ts';

export interface CreateJob extends RoundsJob {
  /** Where the journal stands. Hold its lock. Undefined: the run keeps none, and cannot be resumed. */
  journalPath: string | undefined;
  disk?: Disk;
  /** Rows that have a code with their values already are not sent. */
  skipExisting: boolean;
  /** What a person decided about rows of unknown outcome. */
  decisions: Decisions;
}

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

/**
 * Creates what is not created yet, going on from the journal. Failures of requests, and of the journal once rows were sent, are in what it
 * returns.
 *
 * @throws UsageError where the journal is not of these rows or the decisions do not fit it, NotFoundError for an adopted code
 * that does not exist, LocalError when the journal cannot be begun, and what the listing of `skipExisting` throws.
 */
export async function createRows(job: CreateJob): Promise<CreateEnd> {
  const { rows, journalPath: path, disk = nodeDisk, service, clock, uptimeMs, onEvent } = job;
  const listed = job.skipExisting ? [] : job.listed;
  const journal = await openJournal({ disk, path, baseUrl: service.baseUrl, rows, listed });
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
  { rows, journalPath: path, baseUrl, listed, disk = nodeDisk }: PlanJob,
  listCodes?: () => Promise<readonly QrCode[]>,
): Promise<RowPlan[]> {
  const found = await readJournal({ disk, path, baseUrl, rows, listed: listCodes ? [] : listed });
  const at: Stamp = { t: 0, w: 0, b: 0 };
  const states = replay([...found, { is: 'session', ...at }], rows.length);
  const existing = new Map<number, string>();
  const listing = states.all().some(mayBeSent) ? ((await listCodes?.()) ?? []) : [];
  for (const { row, code } of await findExisting(rows, states, { listing, listed })) existing.set(row, code.id);
  return states.all().map(({ row, state, id, attempts }) => {
    const resent = id !== undefined && attempts.length > 0;
    if (id !== undefined) return { row, action: 'done', id, resent };
    if (existing.has(row)) return { row, action: 'exists', id: existing.get(row), resent };
    return { row, action: state === 'unknown' ? 'reconcile' : 'create', id, resent };
  });
}

type PlanJob = Pick<CreateJob, 'rows' | 'journalPath' | 'listed' | 'disk'> & { baseUrl: string };

async function recordExisting({ rows, listCodes, listed, signal }: CreateJob, states: RecordedStates): Promise<void> {
  const existing = await findExisting(rows, states, { listing: await listCodes(), listed, signal });
  await states.record(existing.map(({ row, code: { id, slug } }) => ({ is: 'exists', row, id, slug })));
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
