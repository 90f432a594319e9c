/**
 * Creates each row of a bulk file exactly once. Rows are sent in parallel. A row without a clear outcome is looked up in the listing after
 * the visibility delay, and sent again only if it is verified as absent. The journal records each step, so a killed run is run again.
 * PROTOCOL.md next to this file states the invariants.
 */

import { inChunks } from '../collections/in-chunks.ts';
import { type Disk, nodeDisk } from '../durable/disk.ts';
import { LocalError } from '../errors.ts';
import type { Planned } from '../run/outcomes.ts';
import type { Service } from '../service/service.ts';
import type { QrCode } from '../service/shapes.ts';
import type { RowState } from './apply-record.ts';
import { type Decisions, recordDecisions } from './decisions.ts';
import type { Edit, PlannedRow } from './input-plan.ts';
import { type ApplyEdits, type InputRows, isLost, openInput } from './input-rows.ts';
import { type CreationKind, openJournal, readJournal } from './journal.ts';
import type { ListedCode, Stamp } from './journal-records.ts';
import { type FoundJournal, type ListedRow, refuseForgotten } from './listed-rows.ts';
import type { NewRow } from './new-row.ts';
import { findExisting, hasCode } from './reconcile.ts';
import { lookForLost, type RoundsEnd, type RoundsJob, sendAndAsk } from './rounds.ts';
import { mayBeSent, openStates, type RecordedStates } from './row-states.ts';

export interface CreateJob extends Omit<RoundsJob, 'rows' | 'listed' | 'listCodes'> {
  /** In the order of the input. */
  rows: readonly NewRow[];
  /** Path of the journal. Hold its lock. Undefined: the run keeps none, and cannot be resumed. */
  journalPath: string | undefined;
  disk?: Disk;
  /** Command that owns the journal; default: `qr create`. */
  kind?: CreationKind;
  /** The codes that the results of an earlier run list; undefined if they cannot be read. */
  readListedCodes: () => Promise<readonly ListedCode[] | undefined>;
  /** All rows of these results. */
  readListed: () => Promise<readonly ListedRow[]>;
  /** Every code of the workspace, page by page; throws at the end if the list could not be verified as complete. */
  listPages: () => AsyncIterable<readonly QrCode[]>;
  /** Rows that have a code with their values already are not sent. */
  skipExisting: boolean;
  /** The user's decisions about rows. */
  decisions: Decisions;
  /** Changes the codes of edited rows; missing if that was not requested. */
  applyEdits?: ApplyEdits | undefined;
  /** Value of `--moved-from`. */
  movedFrom?: string | undefined;
}

/** A job with its listing. */
type LookJob = Omit<RoundsJob, 'rows'>;

export interface CreateEnd {
  /** Why rows were left unsent: a failure that would have met every row, or undefined. */
  stop: unknown;
  /** The row that met it, if one was sent. */
  stopRow: number | undefined;
}

type TakeEnd = (end: RowEnd) => void;

export interface RowEnd extends Pick<RowState, 'id' | 'slug' | 'error'> {
  /** Its place in the input, from 1. */
  row: number;
  line: number;
  /** `edited`: it is, or may be, an edit of a row that is gone; nothing was sent for it. `updated`: its code was changed in this run. */
  state: RowState['state'] | 'edited' | 'updated';
  /** A request of this run may have reached the service, and its response was lost. */
  sentNow: boolean;
  /** It had its code when this run began. */
  before: boolean;
  /** It met the reason why rows were left unsent. */
  stopped: boolean;
  /** If the user must decide: the candidates for the row, in addition to its own code. */
  candidates: readonly QrCode[];
  /** Details of a row with the outcome `edited`. */
  edit: Edit | undefined;
}

/**
 * Creates the codes that are missing, resuming from the journal. Failures of requests, and of the journal once rows were sent, are in the
 * returned value.
 *
 * @param take is given the end of each row, in the order of the input
 *
 * @throws UsageError if the journal does not belong to this workspace or the decisions do not fit it, NotFoundError for an adopted code
 * that does not exist, LocalError if the journal cannot be opened, and the errors of the listing of `skipExisting`.
 */
export async function createRows(given: CreateJob, take: TakeEnd): Promise<CreateEnd> {
  const { service, clock, uptimeMs, onEvent } = given;
  const { journal, listed } = await openJournalOf(given);
  const before = journal.states.all().map(({ id }) => id);
  const listing = createListing(given.listPages);
  const job = { ...given, listCodes: listing.read, listed };
  try {
    const states = await openStates(journal, { clock, uptimeMs, serviceNowMs: service.nowMs });
    const input = await openInput({ ...job, looksFirst: true }, states, listing.once);
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
        const existing = await findExisting(rows.values(), states, { pages: listing.pages(), signal: job.signal });
        for (const some of inChunks(existing, AT_ONCE)) await states.record(some.map((one) => ({ is: 'exists', ...one })));
      }
      const left = states.all().filter(isLeft).length;
      if (left > 0) onEvent({ is: 'begun', left });
      return sendAndAsk({ ...job, rows }, states);
    };
    const end = await work().catch((error): RoundsEnd => {
      // O2: if the journal could not be written, the sent rows are at least in the results.
      if (error instanceof LocalError) return { ...NOTHING_SENT, stop: error };
      throw error;
    });
    return tellEnds(end, { states, input, before, edits }, take);
  } finally {
    await journal.close().catch(() => undefined); // its failure was reported to the callers that waited
  }
}

/** So many lines are made and written together. */
const AT_ONCE = 10_000;

const NOTHING_SENT: RoundsEnd = { stop: undefined, stopRow: undefined, undecided: [] };

type Edits = Awaited<ReturnType<InputRows['applyEdits']>>;
const NO_EDITS: Edits = { stop: undefined, failed: new Map(), done: new Map() };

/** Opens the journal. `listed`: codes of the results that it does not record, because known ones are not kept twice. */
async function openJournalOf(job: JournalJob) {
  const listed = await job.readListedCodes();
  const journal = await openJournal(journalOptions(job, listed));
  return { journal, listed: listed?.filter(({ id }) => !hasCode(journal.states, id)) };
}

type JournalJob = Pick<
  CreateJob,
  'journalPath' | 'disk' | 'kind' | 'readListedCodes' | 'readListed' | 'skipExisting' | 'movedFrom'
> & {
  service: GetService;
};

function journalOptions(job: JournalJob, found: readonly ListedCode[] | undefined) {
  const { journalPath: path, disk = nodeDisk, kind, service, skipExisting, readListed, movedFrom } = job;
  const listed = skipExisting ? [] : found;
  return {
    ...{ path, disk, kind, movedFrom, workspace: service.workspace, getCode: service.getCode },
    check: (journal: FoundJournal) => refuseForgotten(path ?? '', { listed, readListed }, journal),
  };
}

type GetService = Pick<Service, 'workspace' | 'getCode'>;

/** The codes of the workspace, in each form that a run needs. */
function createListing(listPages: CreateJob['listPages']) {
  let first: Promise<readonly QrCode[]> | undefined;
  async function read(): Promise<QrCode[]> {
    const codes: QrCode[] = [];
    for await (const page of listPages()) for (const code of page) codes.push(code);
    return codes;
  }
  return {
    read,
    /** As they were when they were first read. */
    once(): Promise<readonly QrCode[]> {
      first ??= read();
      return first;
    },
    /** As `once`, but not kept if only this needs them. */
    async *pages(): AsyncGenerator<readonly QrCode[]> {
      if (first) yield await first;
      else yield* listPages();
    },
  };
}

/** O34: whether a row is an edit of one that is gone is not known before it is known whether that one was created. Returns why that is not known. */
async function lookForGone(job: LookJob, states: RecordedStates, input: InputRows): Promise<unknown> {
  if (!input.plan().held.some(isLost)) return undefined;
  const stop = await lookForLost({ ...job, rows: input.entries() }, states);
  if (stop === undefined) await input.replan();
  return stop;
}

/** Planned action for a row. */
export interface RowPlan {
  row: NewRow;
  action: Extract<
    Planned,
    | 'create'
    | 'unchanged' /** Done by an earlier run. */
    | 'exists' /** A code with its values is there (--skip-existing). */
    | 'edited' /** Nothing is sent for it until the user decides. */
    | 'update' /** Its code is changed (--apply-edits). */
  >;
  /** To be created, but sent by an earlier run without a response: looked up before it is sent again. */
  isLost: boolean;
  /** Of the code it has. */
  id: string | undefined;
  /** It was sent more than once: the listing is looked at for a second code of it. */
  resent: boolean;
  /** The edited fields. */
  changes: Edit['changes'];
  /** Details of a row with the action `edited`. */
  edit?: Edit;
}

type PlanJob = JournalJob &
  Pick<CreateJob, 'rows' | 'listPages' | 'decisions'> & {
    /** `--apply-edits` */
    appliesEdits: boolean;
  };

/** Plans `createRows`, in the order of the rows. Only reads the journal; throws as above. */
export async function planRows(job: PlanJob): Promise<RowPlan[]> {
  const listed = await job.readListedCodes();
  const states = await readJournal(journalOptions(job, listed));
  const at: Stamp = { t: 0, w: 0, b: 0 };
  states.take({ is: 'session', ...at });
  const learn: RecordedStates['learn'] = async (records) => {
    for (const record of records) states.take(record);
  };
  const listing = createListing(job.listPages);
  const applyEdits: ApplyEdits = async (edits, log) => {
    for (const edit of edits) await log.done(edit);
    return NO_EDITS;
  };
  const input = await openInput(
    { ...job, listed, looksFirst: false, ...(job.appliesEdits && { applyEdits }) },
    { ...states, learn },
    listing.once,
  );
  const { done } = await input.applyEdits();
  const rows = input.entries();
  const existing = new Map<number, string>();
  if (job.skipExisting && states.all().some((row) => rows.has(row.row) && mayBeSent(row))) {
    for (const { row, id } of await findExisting(rows.values(), states, { pages: listing.pages() })) existing.set(row, id);
  }
  return input.plan().rows.map(({ row, entry = 0, edit }): RowPlan => {
    const update = done.get(row.row);
    if (update) return { row, action: 'update', isLost: false, id: update.id, resent: false, changes: update.changes };
    if (edit) return { row, action: 'edited', isLost: false, id: edit.of?.id, resent: false, changes: edit.changes, edit };
    const { state, id, attempts } = states.of(entry);
    const plan = { row, isLost: false, id, resent: id !== undefined && attempts.length > 0, changes: undefined };
    if (id !== undefined) return { ...plan, action: 'unchanged' };
    if (existing.has(entry)) return { ...plan, action: 'exists', id: existing.get(entry) };
    return { ...plan, action: 'create', isLost: state === 'unknown' };
  });
}

interface RunFacts {
  states: RecordedStates;
  input: InputRows;
  /** The ids of the codes that entries had, by their numbers from 0. */
  before: readonly (string | undefined)[];
  edits: Edits;
}

const NONE: readonly never[] = [];

function tellEnds({ stop, stopRow, undecided }: RoundsEnd, { states, input, before, edits }: RunFacts, take: TakeEnd): CreateEnd {
  const candidatesOf = new Map(undecided.map((entry) => [entry.row, entry.candidates]));
  let stopPlace: number | undefined;
  for (const planned of input.plan().rows) take(endOf(planned));
  return { stop, stopRow: stopPlace };

  function endOf({ row: { row, line }, entry = 0, edit }: PlannedRow): RowEnd {
    const none = { row, line, sentNow: false, before: false, stopped: false, candidates: NONE, edit };
    if (edit) return { ...none, state: 'edited', id: edit.of?.id, slug: edit.of?.slug, error: edits.failed.get(row) };
    const { state, id, slug, error, attempts } = states.of(entry);
    if (edits.done.has(row)) return { ...none, state: 'updated', id, slug, error: undefined };
    const stopped = entry === stopRow;
    if (stopped) stopPlace = row;
    const sentNow = attempts.some(({ session }) => session === states.evidence.session());
    const had = id !== undefined && before[entry - 1] === id;
    const candidates = candidatesOf.get(entry) ?? NONE;
    return { row, line, state, id, slug, error, sentNow, before: had, stopped, candidates, edit };
  }
}
