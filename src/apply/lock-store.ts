/** Reads the lock file, and replaces it as a whole. The caller holds its lock. */
import { basename, dirname, join } from 'node:path';
import type { Disk } from '../durable/disk.ts';
import { readBack } from '../durable/held-directory.ts';
import { cannotOpen, systemCode } from '../durable/path-errors.ts';
import type { Processes } from '../durable/replace-file.ts';
import { writeWholeFile } from '../rows/whole-file.ts';
import { formatLock, type LockFile, parseLock } from './lock-file.ts';

/** What to do about a path of the lock file that can't be used. */
export const OTHER_LOCK = 'specify a different lock file with --lock';

/** Maximum size in bytes: a million keys. */
const MOST_BYTES = 256 * 2 ** 20;

/** Returns the lock file, or undefined if there is none. Throws UsageError if it can't be read or trusted, and the signal's reason. */
export async function readLock(disk: Disk, path: string, signal?: AbortSignal): Promise<LockFile | undefined> {
  try {
    return await parseLock((await readBack(disk, path, MOST_BYTES)).toString(), path, signal);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw cannotOpen(`read the lock file ${path}`, error, OTHER_LOCK);
  }
}

/** Y5: writes a lock file whose entries have changed, whole and flushed; one that has not changed is not touched. */
export async function writeLock(
  path: string,
  { next, before, disk, processes }: { next: LockFile; before: LockFile | undefined; disk: Disk; processes: Processes },
): Promise<void> {
  const text = formatLock(next);
  if (before === undefined ? next.entries.size === 0 : formatLock(before) === text) return;
  await writeWholeFile(path, text, { disk, processes, elsewhere: OTHER_LOCK, keeps: true });
}

/** `codes.lock.json` for `codes.csv`. */
export function lockPathOf(from: string): string {
  const name = basename(from).replace(/\.gz$/i, '');
  const stem = name.replace(/(?<=.)\.[^.]+$/, '');
  return join(dirname(from), `${stem}.lock.json`);
}

/** The journal of creations, which is there only until they are in the lock file. */
export function journalOf(lockPath: string): string {
  return `${lockPath}.journal`;
}
