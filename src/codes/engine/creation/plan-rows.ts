/** Plans a run of `createRows` without sending or writing anything: what it would do with each row. */
import type { Planned } from '../../../base/run/outcomes.ts';
import { type CreateJob, createListing, type JournalJob, journalOptions, NO_EDITS } from './create-job.ts';
import type { Edit } from './input-plan.ts';
import { type ApplyEdits, openInput } from './input-rows.ts';
import { readJournal } from './journal.ts';
import type { Stamp } from './journal-records.ts';
import type { NewRow } from './new-row.ts';
import { findExisting } from './reconcile.ts';
import { mayBeSent, type RecordedStates } from './row-states.ts';

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
  Pick<CreateJob, 'listPages' | 'decisions'> & {
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
    for await (const some of findExisting(rows.values(), states, { pages: listing.pages() }))
      for (const { row, id } of some) existing.set(row, id);
  }
  return Array.from(input.plan().rows, ({ row, entry = 0, edit }): RowPlan => {
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
