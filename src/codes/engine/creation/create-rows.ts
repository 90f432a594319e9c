/**
 * Creates each row of a bulk file exactly once. Rows are sent in parallel. A row without a clear outcome is looked up in the listing after
 * the visibility delay, and sent again only if it is verified as absent. The journal records each step, so a killed run is run again.
 * PROTOCOL.md next to this file states the invariants.
 */
import { LocalError } from '../../../base/errors.ts';
import type { RowState } from './apply-record.ts';
import { type CreateJob, createListing, type Edits, type JournalJob, journalOptions, NO_EDITS } from './create-job.ts';
import { recordDecisions } from './decisions.ts';
import { type InputRows, isLost, openInput } from './input-rows.ts';
import { openJournal } from './journal.ts';
import { findExisting, hasCode } from './reconcile.ts';
import { lookForLost, type RoundsEnd, type RoundsJob, sendAndAsk } from './rounds.ts';
import { type CreateEnd, type TakeEnd, tellEnds } from './row-ends.ts';
import { mayBeSent, openStates, type RecordedStates } from './row-states.ts';

/** A job with its listing. */
type LookJob = Omit<RoundsJob, 'rows'>;

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
        for await (const existing of findExisting(rows.values(), states, { pages: listing.pages(), signal: job.signal }))
          await states.record(existing.map((one) => ({ is: 'exists', ...one })));
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

const NOTHING_SENT: RoundsEnd = { stop: undefined, stopRow: undefined, undecided: [] };

/** Opens the journal. `listed`: codes of the results that it does not record, because known ones are not kept twice. */
async function openJournalOf(job: JournalJob) {
  const listed = await job.readListedCodes();
  const journal = await openJournal(journalOptions(job, listed));
  return { journal, listed: listed?.filter(({ id }) => !hasCode(journal.states, id)) };
}

/** O34: whether a row is an edit of one that is gone is not known before it is known whether that one was created. Returns why that is not known. */
async function lookForGone(job: LookJob, states: RecordedStates, input: InputRows): Promise<unknown> {
  if (!input.plan().held.some(isLost)) return undefined;
  const stop = await lookForLost({ ...job, rows: input.entries() }, states);
  if (stop === undefined) await input.replan();
  return stop;
}
