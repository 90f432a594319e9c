/**
 * Creates each row of a bulk file exactly once. Rows are sent in parallel. A row without a clear outcome is looked up in the listing after
 * the visibility delay, and sent again only if it is verified as absent. The journal records each step, so a killed run is run again.
 * PROTOCOL.md next to this file states the invariants.
 */

import { inChunks } from '../collections/in-chunks.ts';
import { type Disk, nodeDisk } from '../durable/disk.ts';
import { LocalError } from '../errors.ts';
import type { Service } from '../service/service.ts';
import type { QrCode } from '../service/shapes.ts';
import type { RowState } from './apply-record.ts';
import { type Decisions, recordDecisions } from './decisions.ts';
import type { Edit } from './input-plan.ts';
import { type ApplyEdits, type InputRows, openInput } from './input-rows.ts';
import { openJournal, readJournal } from './journal.ts';
import type { Stamp } from './journal-records.ts';
import { type FoundJournal, type ListedRow, refuseForgotten } from './listed-rows.ts';
import type { NewRow } from './new-row.ts';
import { findExisting } from './reconcile.ts';
import { lookForLost, type RoundsEnd, type RoundsJob, sendAndAsk } from './rounds.ts';
import { mayBeSent, openStates, type RecordedStates } from './row-states.ts';

export interface CreateJob extends Omit<RoundsJob, 'rows'> {
  /** In the order of the input. */
  rows: readonly NewRow[];
  /** Where the journal stands. Hold its lock. Undefined: the run keeps none, and cannot be resumed. */
  journalPath: string | undefined;
  disk?: Disk;
  /** The rows of the results of an earlier run. */
  readListed: () => Promise<readonly ListedRow[]>;
  /** Rows that have a code with their values already are not sent. */
  skipExisting: boolean;
  /** What a person decided about rows. */
  decisions: Decisions;
  /** Changes the codes of edited rows; absent where that was not asked for. */
  applyEdits?: ApplyEdits | undefined;
  /** Value of `--moved-from`. */
  movedFrom?: string | undefined;
}

export interface CreateEnd {
  /** In the order of the input. */
  rows: readonly RowEnd[];
  /** Why rows were left unsent: a failure that would have met every row, or undefined. */
  stop: unknown;
  /** The row that met it, if one was sent. */
  stopRow: number | undefined;
}

export interface RowEnd extends Pick<RowState, 'id' | 'slug' | 'error'> {
  /** Its place in the input, from 1. */
  row: number;
  line: number;
  /** `edited`: it is, or may be, an edit of a row that is gone; nothing was sent for it. `updated`: its code was changed in this run. */
  state: RowState['state'] | 'edited' | 'updated';
  /** A request of this run may have reached the service, and its answer was lost. */
  sentNow: boolean;
  /** It had its code when this run began. */
  before: boolean;
  /** Where a person must decide: the codes that could be the row's, beside the one it has. */
  candidates: readonly QrCode[];
  /** What is known of it where it is `edited`. */
  edit: Edit | undefined;
}

/**
 * Creates the codes that are missing, resuming from the journal. Failures of requests, and of the journal once rows were sent, are in the
 * returned value.
 *
 * @throws UsageError if the journal does not belong to this workspace or the decisions do not fit it, NotFoundError for an adopted code
 * that does not exist, LocalError if the journal cannot be opened, and the errors of the listing of `skipExisting`.
 */
export async function createRows(given: CreateJob): Promise<CreateEnd> {
  const { service, clock, uptimeMs, onEvent } = given;
  const journal = await openJournal(journalOptions(given));
  // What the journal knows too is not kept twice.
  const before = journal.states.claimedIds();
  const job = { ...given, listed: given.listed?.filter(({ id }) => !before.has(id)) };
  try {
    const states = await openStates(journal, { clock, uptimeMs, serviceNowMs: service.nowMs });
    const listOnce = once(job.listCodes);
    const input = await openInput(job, states, listOnce);
    const warn = (text: string) => onEvent({ is: 'warning', text });
    await recordDecisions(input.decided, { ...job, states, getCode: service.getCode, warn });
    let edits: Edits = NO_EDITS;
    const work = async (): Promise<RoundsEnd> => {
      const stop = await lookForGone(job, states, input);
      if (stop !== undefined) return { ...NOTHING_SENT, stop };
      edits = await input.applyEdits();
      if (edits.stop !== undefined) return { ...NOTHING_SENT, stop: edits.stop };
      const rows = input.entries();
      const isLeft = (row: RowState) => rows.has(row.row) && row.id === undefined;
      if (job.skipExisting && states.all().some((row) => isLeft(row) && mayBeSent(row))) {
        const existing = await findExisting([...rows.values()], states, { listing: await listOnce(), signal: job.signal });
        for (const some of inChunks(existing, AT_ONCE))
          await states.record(some.map(({ row, code: { id, slug } }) => ({ is: 'exists', row, id, slug })));
      }
      const left = states.all().filter(isLeft).length;
      if (left > 0) onEvent({ is: 'begun', left });
      return sendAndAsk({ ...job, rows }, states);
    };
    const end = await work().catch((error): RoundsEnd => {
      // O2: what was sent is in the results at least, where the journal could not take it.
      if (error instanceof LocalError) return { ...NOTHING_SENT, stop: error };
      throw error;
    });
    return endOf(end, { states, input, before, edits });
  } finally {
    await journal.close().catch(() => undefined); // what it failed with was told to those who waited
  }
}

/** So many lines are made and written together. */
const AT_ONCE = 10_000;

const NOTHING_SENT: RoundsEnd = { stop: undefined, stopRow: undefined, undecided: [] };

type Edits = Awaited<ReturnType<InputRows['applyEdits']>>;
const NO_EDITS: Edits = { stop: undefined, failed: new Map(), done: new Map() };

function journalOptions(
  job: Pick<CreateJob, 'journalPath' | 'disk' | 'listed' | 'readListed' | 'skipExisting' | 'movedFrom'> & { service: GetService },
) {
  const { journalPath: path, disk = nodeDisk, service, skipExisting, readListed, movedFrom } = job;
  const listed = skipExisting ? [] : job.listed;
  return {
    ...{ path, disk, movedFrom, workspace: service.workspace, getCode: service.getCode },
    check: (found: FoundJournal) => refuseForgotten(path ?? '', { listed, readListed }, found),
  };
}

type GetService = Pick<Service, 'workspace' | 'getCode'>;

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let done: Promise<T> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}

/** O34: whether a row is an edit of one that is gone is not known before it is known whether that one was created. Returns why that is not known. */
async function lookForGone(job: CreateJob, states: RecordedStates, input: InputRows): Promise<unknown> {
  const isLost = ({ state, code }: RowState) => state === 'unknown' && code !== undefined;
  if (!input.plan().held.some(isLost)) return undefined;
  const stop = await lookForLost({ ...job, rows: input.entries() }, states);
  if (stop === undefined) await input.replan();
  return stop;
}

/** Planned action for a row. */
export interface RowPlan {
  row: NewRow;
  action:
    | 'create'
    | 'done' /** By an earlier run. */
    | 'exists' /** A code with its values is there (--skip-existing). */
    | 'edited' /** It is left alone until the user says what it is. */
    | 'update' /** Its code is changed (--apply-edits). */
    | 'reconcile' /** Sent by an earlier run that got no answer: looked for before it is sent again. */;
  /** Of the code it has. */
  id: string | undefined;
  /** It was sent more than once: the listing is looked at for a second code of it. */
  resent: boolean;
  /** What was edited. */
  changes: Edit['changes'];
}

type PlanJob = Pick<
  CreateJob,
  'rows' | 'journalPath' | 'listed' | 'readListed' | 'disk' | 'skipExisting' | 'decisions' | 'movedFrom'
> & {
  service: GetService;
  listCodes: () => Promise<readonly QrCode[]>;
  /** `--apply-edits` */
  appliesEdits: boolean;
};

/** Plans `createRows`, in the order of the rows. Only reads the journal; throws as above. */
export async function planRows(job: PlanJob): Promise<RowPlan[]> {
  const states = await readJournal(journalOptions(job));
  const at: Stamp = { t: 0, w: 0, b: 0 };
  states.take({ is: 'session', ...at });
  const learn: RecordedStates['learn'] = async (records) => {
    for (const record of records) states.take(record);
  };
  const listOnce = once(job.listCodes);
  const applyEdits: ApplyEdits = async (edits, log) => {
    for (const edit of edits) await log.done(edit);
    return NO_EDITS;
  };
  const input = await openInput({ ...job, ...(job.appliesEdits && { applyEdits }) }, { ...states, learn }, listOnce);
  const { done } = await input.applyEdits();
  const rows = input.entries();
  const existing = new Map<number, string>();
  if (job.skipExisting && states.all().some((row) => rows.has(row.row) && mayBeSent(row))) {
    const codes = await findExisting([...rows.values()], states, { listing: await listOnce() });
    for (const { row, code } of codes) existing.set(row, code.id);
  }
  return input.plan().rows.map(({ row, entry = 0, edit }): RowPlan => {
    const update = done.get(row.row);
    if (update) return { row, action: 'update', id: update.id, resent: false, changes: update.changes };
    if (edit) return { row, action: 'edited', id: edit.of?.id, resent: false, changes: edit.changes };
    const { state, id, attempts } = states.of(entry);
    const plan = { row, id, resent: id !== undefined && attempts.length > 0, changes: undefined };
    if (id !== undefined) return { ...plan, action: 'done' };
    if (existing.has(entry)) return { ...plan, action: 'exists', id: existing.get(entry) };
    return { ...plan, action: state === 'unknown' ? 'reconcile' : 'create' };
  });
}

interface RunFacts {
  states: RecordedStates;
  input: InputRows;
  before: ReadonlySet<string>;
  edits: Edits;
}

const NONE: readonly never[] = [];

function endOf({ stop, stopRow, undecided }: RoundsEnd, { states, input, before, edits }: RunFacts): CreateEnd {
  const candidatesOf = new Map(undecided.map((entry) => [entry.row, entry.candidates]));
  let stopPlace: number | undefined;
  const rows = input.plan().rows.map(({ row: { row, line }, entry = 0, edit }): RowEnd => {
    const none = { row, line, sentNow: false, before: false, candidates: NONE, edit };
    if (edit) return { ...none, state: 'edited', id: edit.of?.id, slug: edit.of?.slug, error: edits.failed.get(row) };
    const { state, id, slug, error, attempts } = states.of(entry);
    if (edits.done.has(row)) return { ...none, state: 'updated', id, slug, error: undefined };
    if (entry === stopRow) stopPlace = row;
    const sentNow = attempts.some(({ session }) => session === states.evidence.session());
    const had = id !== undefined && before.has(id);
    const candidates = candidatesOf.get(entry) ?? NONE;
    // Each by its name: a copy of an object with more added takes twice the memory.
    return { row, line, state, id, slug, error, sentNow, before: had, candidates, edit };
  });
  return { rows, stop, stopRow: stopPlace };
}
