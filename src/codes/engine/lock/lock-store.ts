/** Reads the lock file, and replaces it as a whole. The caller holds its lock. */
import { basename, dirname, join } from 'node:path';
import type { UsedFiles } from '../../../base/run/used-files.ts';
import type { Disk } from '../../../files/durable/disk.ts';
import { readBack } from '../../../files/durable/held-directory.ts';
import { cannotOpen, systemCode } from '../../../files/durable/path-errors.ts';
import type { Processes } from '../../../files/durable/replace-file.ts';
import { checkWholeFile, type OutputPlace, writeWholeFile } from '../../../files/formats/whole-file.ts';
import { formatLock, type LockFile, parseLock } from './lock-file.ts';

/** What to do about a path of the lock file that can't be used. */
export const OTHER_LOCK = 'specify a different lock file with --lock';

const LOCK_PLACE: OutputPlace = { elsewhere: OTHER_LOCK, replaces: ['none', 'lock', 'other'] };

/** Maximum size in bytes: a million keys. */
const MOST_BYTES = 256 * 2 ** 20;

/** Returns the lock file, or undefined if there is none. Throws UsageError if it can't be read or trusted, and the signal's reason. */
export async function readLock(
  disk: Disk,
  path: string,
  signal?: AbortSignal,
): Promise<LockFile | undefined> {
  try {
    return await parseLock((await readBack(disk, path, MOST_BYTES)).toString(), path, signal);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw cannotOpen(`read the lock file ${path}`, error, OTHER_LOCK);
  }
}

/** E22: writes a lock file whose entries have changed, whole and flushed; one that has not changed is not touched. */
export async function writeLock(
  path: string,
  {
    next,
    before,
    disk,
    processes,
  }: { next: LockFile; before: LockFile | undefined; disk: Disk; processes: Processes },
): Promise<void> {
  const text = formatLock(next);
  if (before === undefined ? next.entries.size === 0 : formatLock(before) === text) return;
  await writeWholeFile(path, text, { ...LOCK_PLACE, disk, processes, keeps: true });
}

/** `codes.lock.json` for `codes.csv`. */
export function lockPathOf(from: string): string {
  const name = basename(from).replace(/\.gz$/i, '');
  const stem = name.replace(/(?<=.)\.[^.]+$/, '');
  return join(dirname(from), `${stem}.lock.json`);
}

/** Adds the lock file to the files of a run. Throws UsageError if it is another file of the run. */
export function useLock(files: UsedFiles, path: string): void {
  files.use({ what: 'the lock file', flag: '--lock', path, writes: true });
}

/** Throws UsageError, before anything is sent, if the lock file can't be replaced. */
export function checkLockPlace(path: string): Promise<void> {
  return checkWholeFile(path, LOCK_PLACE);
}
