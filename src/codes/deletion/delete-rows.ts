/**
 * Bulk delete. A missing code is a fault of its row, unless an earlier run of the same file was deleting it when it was killed: a small
 * journal of IDs distinguishes the two, so the file can be run again.
 */
import { NotFoundError } from '../../base/errors.ts';
import type { SendDelete, Service } from '../../service/service.ts';
import { type JournalWorkspace, openEnvelope, readEnvelope } from '../engine/creation/journal-envelope.ts';
import { type Lookup, requireCode } from '../engine/find-codes.ts';
import type { TargetRow } from '../input/check-rows.ts';
import type { RowResult } from '../input/outcomes.ts';

interface Deletion {
  id: string;
  slug: string | undefined;
}

/** `deleting`: DELETE is about to be sent. `deleted`: the service deleted the code. `missing`: the code did not exist before. */
type Progress = Deletion & { is: 'deleting' | 'deleted' | 'missing' };

/** Last record of earlier runs about the code of a row. */
export interface DeletedBefore {
  find(row: Pick<TargetRow, 'id' | 'slug'>): Progress | undefined;
}

export interface DeleteJournal extends DeletedBefore {
  record(record: Progress): Promise<void>;
  close(): Promise<void>;
}

/** Workspace that a deletion is bound to; `ids` are those of its rows. */
export interface DeletionWorkspace extends JournalWorkspace {
  ids: readonly string[];
}

/** Opens the journal at `path`; the caller holds its lock. Throws as `openEnvelope`. */
export async function openDeleteJournal(path: string, own: DeletionWorkspace): Promise<DeleteJournal> {
  const { envelope, find } = createReplay(path, own);
  const log = await openEnvelope(envelope);
  return { find, record: (record) => log.append([record]), close: log.close };
}

/** Returns the recorded outcomes, read-only: nothing is written. */
export async function readDeleteJournal(path: string, own: DeletionWorkspace): Promise<DeletedBefore> {
  const { envelope, find } = createReplay(path, own);
  await readEnvelope(envelope);
  return { find };
}

/** Finds the records of earlier runs. */
function createReplay(path: string, { ids, ...own }: DeletionWorkspace) {
  const byId = new Map<string, Progress>();
  const idOfSlug = new Map<string, string>();
  const take = (record: Progress) => {
    byId.set(record.id, record);
    if (record.slug !== undefined) idOfSlug.set(record.slug, record.id);
  };
  // A deleted code no longer shows to which workspace it belonged.
  const known = () => ({ knownIds: ids.filter((id) => !byId.has(id)), mayKnowMore: byId.size > 0 });
  const find: DeletedBefore['find'] = ({ id, slug }) => byId.get(id ?? idOfSlug.get(slug ?? '') ?? '');
  return { find, envelope: { ...own, kind: 'deletion' as const, path, hasShape: isProgress, take, known } };
}

function isProgress(record: Progress): boolean {
  const { is, id, slug }: { is: string; id?: unknown; slug?: unknown } = record;
  if (!['deleting', 'deleted', 'missing'].includes(is)) return false;
  return typeof id === 'string' && (slug === undefined || typeof slug === 'string');
}

/** Creates the function that deletes the code of one row and returns its outcome. Two rows with one code both report that it is deleted. */
export function createDeleter(
  service: Pick<Service, 'deleteCode'>,
  lookup: Lookup,
  journal?: DeleteJournal,
  /** Deletes a code after its backup; if it rejects before it has sent anything, the code stays. */
  backUp?: (id: string, send: SendDelete) => Promise<void>,
): (row: TargetRow) => Promise<RowResult> {
  const deleted = new Map<string, RowResult>();
  return async (row) => {
    const found = journal?.find(row);
    const before = found?.is === 'missing' ? undefined : found;
    const { id, slug } = before ?? requireDeletion(row, lookup);
    const result: RowResult = { id, slug, outcome: 'deleted' };
    if (before?.is === 'deleted') return { ...result, before: true };
    const twice = deleted.get(id);
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
    deleted.set(id, result);
    await journal?.record({ is: 'deleted', id, slug });
    return result;
  };
}

/** Returns the code to delete; a row with an ID needs no lookup. */
function requireDeletion(row: TargetRow, lookup: Lookup): Deletion {
  const { id, slug } = lookup(row) ?? (row.id === undefined ? requireCode(row, lookup) : { id: row.id, slug: row.slug });
  return { id, slug };
}
