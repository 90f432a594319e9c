/**
 * Bulk delete. A code that is not there is a fault of the row, unless an earlier run of the same file was deleting it when it
 * was killed: a small journal of ids tells these apart, so that the file can be run again.
 */

import type { TargetRow } from '../bulk/check-rows.ts';
import { type Lookup, requireCode } from '../bulk/find-codes.ts';
import type { RowResult } from '../bulk/outcomes.ts';
import { type AppendLog, openAppendLog, readAppendLog } from '../durable/append-log.ts';
import { refuseOtherShapes } from '../durable/log-lines.ts';
import { NotFoundError, UsageError } from '../errors.ts';
import { bindJournal, isWorkspaceLine, type JournalWorkspace, type WorkspaceLine } from '../once/journal-workspace.ts';
import type { BeforeSend, Service } from '../service/service.ts';
import type { RecordedWorkspace } from '../service/workspace.ts';
import { asSentence } from '../text/sentence.ts';

interface Deletion {
  id: string;
  slug: string | undefined;
}

/** `deleting`: DELETE is about to be sent. `deleted`: it is gone. `missing`: it was not there to begin with. */
type Progress = Deletion & { is: 'deleting' | 'deleted' | 'missing' };

type DeleteRecord = ({ is: 'journal'; version: 1; of: 'deletion' } & RecordedWorkspace) | WorkspaceLine | Progress;

/** The last that earlier runs recorded of a row's code. */
export interface DeletedBefore {
  find(row: Pick<TargetRow, 'id' | 'slug'>): Progress | undefined;
}

export interface DeleteJournal extends DeletedBefore {
  record(record: Progress): Promise<void>;
  close(): Promise<void>;
}

const ADVICE = {
  elsewhere: 'specify a different file with --results',
  damaged:
    'Restore it from a backup, or specify a different file with --results. Rows whose codes are already deleted then fail.',
};

/** What a deletion is bound to; `ids` are those of its rows. */
export interface DeletionWorkspace extends JournalWorkspace {
  ids: readonly string[];
}

/** Opens the journal at `path`. Hold its lock before. Throws UsageError when what stands there is another journal, or of another workspace. */
export async function openDeleteJournal(path: string, own: DeletionWorkspace): Promise<DeleteJournal> {
  const file: AppendLog<DeleteRecord> = await openAppendLog<DeleteRecord>(path, ADVICE);
  try {
    const lines = await checkLines(path, own, file.found);
    const isNew = file.found.length === 0;
    if (isNew) await file.append([{ is: 'journal', version: 1, of: 'deletion', ...(await own.workspace.record()) }]);
    else if (lines.length > 0) await file.append(lines);
  } catch (error) {
    await file.close().catch(() => undefined);
    throw error;
  }
  return { ...finderIn(file.found), record: (record) => file.append([record]), close: () => file.close() };
}

/** What is recorded there, to look at only: nothing is written. */
export async function readDeleteJournal(path: string, own: DeletionWorkspace): Promise<DeletedBefore> {
  const found = await readAppendLog<DeleteRecord>(path, ADVICE);
  await checkLines(path, own, found);
  return finderIn(found);
}

/** Refuses a journal of anything else. Returns the lines to add because the key was rotated or the service moved. */
async function checkLines(path: string, own: DeletionWorkspace, found: readonly DeleteRecord[]): Promise<WorkspaceLine[]> {
  const [first] = found;
  if (first === undefined) return [];
  if (first.is !== 'journal' || first.of !== 'deletion' || first.version !== 1)
    throw new UsageError(`${path} is the journal of a different operation, not of a deletion`, {
      hint: asSentence(ADVICE.elsewhere),
    });
  refuseOtherShapes(path, found, (record) => isWorkspaceLine(record) || isProgress(record), ADVICE.damaged);
  const { find } = finderIn(found);
  // Of a code that is deleted nothing shows any more whose it was.
  const knownIds = own.ids.filter((id) => find({ id, slug: undefined }) === undefined);
  return bindJournal(first, found, { ...own, path, knownIds, mayKnowMore: found.some(isProgress) });
}

function finderIn(found: readonly DeleteRecord[]): DeletedBefore {
  const byId = new Map<string, Progress>();
  const idOfSlug = new Map<string, string>();
  for (const record of found) {
    if (record.is === 'journal' || record.is === 'workspace') continue;
    byId.set(record.id, record);
    if (record.slug !== undefined) idOfSlug.set(record.slug, record.id);
  }
  return { find: ({ id, slug }) => byId.get(id ?? idOfSlug.get(slug ?? '') ?? '') };
}

function isProgress(record: DeleteRecord): boolean {
  const { is, id, slug }: { is: string; id?: unknown; slug?: unknown } = record;
  if (!['deleting', 'deleted', 'missing'].includes(is)) return false;
  return typeof id === 'string' && (slug === undefined || typeof slug === 'string');
}

/** Sends the DELETE of one code. Rejects as `deleteCode` of the service does. */
export type SendDelete = (beforeSend?: BeforeSend) => Promise<void>;

/** A function that deletes the code of one row and says how. Two rows about one code both say that it is gone. */
export function createDeleter(
  service: Pick<Service, 'deleteCode'>,
  lookup: Lookup,
  journal?: DeleteJournal,
  /** Deletes a code when it is backed up; where it rejects before it has sent anything, the code stays. */
  backUp?: (id: string, send: SendDelete) => Promise<void>,
): (row: TargetRow) => Promise<RowResult> {
  const gone = new Map<string, RowResult>();
  return async (row) => {
    const found = journal?.find(row);
    const before = found?.is === 'missing' ? undefined : found;
    const { id, slug } = before ?? requireDeletion(row, lookup);
    const result: RowResult = { id, slug, outcome: 'deleted' };
    if (before?.is === 'deleted') return { ...result, before: true };
    const twice = gone.get(id);
    if (twice) return twice;
    const send: SendDelete = async (beforeSend) => {
      // B8: before the DELETE, whose outcome a kill would leave unknown.
      await journal?.record({ is: 'deleting', id, slug });
      await service.deleteCode(id, beforeSend);
    };
    await (backUp ? backUp(id, send) : send()).catch(async (error) => {
      if (before && error instanceof NotFoundError) return;
      if (error instanceof NotFoundError) await journal?.record({ is: 'missing', id, slug });
      throw error;
    });
    gone.set(id, result);
    await journal?.record({ is: 'deleted', id, slug });
    return result;
  };
}

/** An id need not be looked up to be deleted. */
function requireDeletion(row: TargetRow, lookup: Lookup): Deletion {
  const { id, slug } = lookup(row) ?? (row.id === undefined ? requireCode(row, lookup) : { id: row.id, slug: row.slug });
  return { id, slug };
}
