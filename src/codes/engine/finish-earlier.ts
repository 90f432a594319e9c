/** Finishes an interrupted run: what it created goes into the lock file, and then its journal is removed. Sends nothing. */
import { quote } from '../../base/text/quote.ts';
import { ifPresent } from '../../files/durable/disk.ts';
import { removeFile } from '../../files/durable/held-directory.ts';
import { realPath } from '../../files/durable/trusted-file.ts';
import { getIfThere } from '../listing/find-code.ts';
import type { ApplyJob } from './apply-job.ts';
import { type FinishedRow, finishRows, readFinished } from './creation/finish-rows.ts';
import { foldKey, type LockEntry, type LockFile } from './lock-file.ts';
import { journalOf, writeLock } from './lock-store.ts';
import { undecidedError } from './undecided-error.ts';

export interface Earlier {
  readonly entries: ReadonlyMap<string, LockEntry>;
  /** Rows whose outcome only the user can decide; or, of a dry run, that are still to be looked up. */
  readonly open: readonly FinishedRow[];
}

/** Whether an interrupted run left its journal. */
export async function hasJournal({ disk, lockPath }: Pick<ApplyJob, 'disk' | 'lockPath'>): Promise<boolean> {
  return (await ifPresent(disk.stat(journalOf(lockPath)))) !== undefined;
}

/**
 * Y13: the rows are those of the journal, as they were sent. The lock file has their codes before the journal is removed, so that this can
 * be repeated whenever it is killed.
 *
 * @param idOf resolves the code that the user specified
 * @throws UnprovenError if a row needs the user's decision: then nothing else is done, and the journal stays.
 */
export async function finishEarlier(
  job: ApplyJob,
  lock: LockFile,
  { before, idOf }: { before: LockFile | undefined; idOf: (code: string) => Promise<string> },
): Promise<LockFile> {
  const { lockPath, disk, processes, service, signal } = job;
  const decisions = new Map<string, string | undefined>();
  for (const key of job.recreate) decisions.set(key, undefined);
  for (const [key, text] of job.adopt) decisions.set(key, await idOf(text));
  const rows = await finishRows({
    ...job,
    onEvent: (event) => ('row' in event ? undefined : job.onEvent(event)),
    ...{ journalPath: journalOf(lockPath), decisions, signal },
    taken: new Set([...lock.entries.values()].map(({ id }) => id)),
  });
  const exists = async (id: string) => (await getIfThere(service, id)) !== undefined;
  const entries = await fold(rows, lock.entries, { exists, chosen: job.adopt });
  const next = { ...lock, entries };
  await writeLock(lockPath, { next, before, disk, processes });
  const open = rows.filter(({ candidates }) => candidates.length > 0);
  if (open.length > 0) {
    const named = open.map(({ key, id, candidates }) => ({ name: quote(key), id, candidates }));
    const hint = 'Check these codes. If one matches, add --adopt KEY=CODE. Otherwise, add --recreate KEY.';
    throw undecidedError(named, { thing: 'key', more: '', hint });
  }
  await removeJournal(job);
  return next;
}

/** As `finishEarlier`, without looking up what the journal does not know, and without changing anything on disk. */
export async function readEarlier(job: ApplyJob, { entries }: LockFile): Promise<Earlier> {
  const rows = await readFinished({ ...job, journalPath: journalOf(job.lockPath) });
  const exists = async (id: string) => (await getIfThere(job.service, id)) !== undefined;
  return {
    entries: await fold(rows, entries, { exists, chosen: new Map() }),
    open: rows.filter(({ state }) => state === 'unknown'),
  };
}

export async function removeJournal({ disk, lockPath }: Pick<ApplyJob, 'disk' | 'lockPath'>): Promise<void> {
  await removeFile(disk, await realPath(disk, journalOf(lockPath)));
}

/**
 * Y14: the lock file with the codes of these rows. A key that has another code in the lock file gets this one only if the other is gone: the
 * lock file may be that of another branch. A code that another key has stays with it. `chosen` has the keys whose code the user specified.
 */
async function fold(
  rows: readonly FinishedRow[],
  entries: ReadonlyMap<string, LockEntry>,
  { exists, chosen }: { exists: (id: string) => Promise<boolean>; chosen: ReadonlyMap<string, unknown> },
): Promise<Map<string, LockEntry>> {
  const next = new Map(entries);
  const owners = new Map([...entries.values()].map(({ id, key }) => [id, key]));
  const folded = new Set([...entries.keys()].map(foldKey));
  for (const { key, id, slug, code } of rows) {
    if (id === undefined || owners.has(id)) continue;
    const present = entries.get(key);
    if (present ? !chosen.has(key) && (await exists(present.id)) : folded.has(foldKey(key))) continue;
    const { name, type = 'url', destination = null } = code;
    next.set(key, { key, id, slug: slug ?? id, name, type, destination, status: 'active' });
    owners.set(id, key);
  }
  return next;
}
