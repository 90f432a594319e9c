/**
 * Work in a directory whose name, or a name above it, another user may change at any moment (TOCTOU): the directory is opened first, and
 * every entry is looked up in what was opened (openat(2), by way of /proc on Linux).
 */
import { basename, dirname } from 'node:path';
import { type Disk, type DiskDirectory, type DiskStat, ifPresent } from './disk.ts';
import { checkPlace, realPath } from './trusted-file.ts';

/**
 * Runs `work` in the directory at a real path, which is held open meanwhile. Throws the system's error, UsageError where another directory
 * stands there (D14), and what `work` throws.
 */
export async function inDirectory<T>(disk: Disk, path: string, work: (directory: DiskDirectory) => Promise<T>): Promise<T> {
  const directory = await disk.openDirectory(path);
  try {
    await checkPlace(disk, directory, path);
    return await work(directory);
  } finally {
    await directory.close();
  }
}

/** Removes the file at a real path, if there is one. D16: in the directory that stands there, wherever its name leads a moment later. */
export async function removeFile(disk: Disk, path: string): Promise<void> {
  await inDirectory(disk, dirname(path), ({ at }) => ifPresent(disk.unlink(at(basename(path)))));
}

/**
 * The bytes of a regular file that a run reads back, all links followed but those that another user made to what is not theirs. Throws the
 * system's error, also for what is no regular file or has more than `mostBytes`, and UsageError as `realPath`.
 */
export async function readBack(disk: Disk, path: string, mostBytes: number): Promise<Buffer> {
  const real = await realPath(disk, path);
  // D14, D16: the file that stands there, and not what its name leads to a moment later.
  return inDirectory(disk, dirname(real), ({ at }) => disk.readFile(at(basename(real)), mostBytes));
}

const ROOT = 0;
/** Bits that let the group, and all others, change the names in a directory. */
const GROUP_WRITES = 0o020;
const ALL_WRITE = 0o002;

/**
 * Whether a directory is this user's, and nobody else decides what is in it. A group that may write to it is trusted with it, as its umask
 * says; by root none is.
 */
export function isOwn(disk: Disk, { uid, mode }: DiskStat): boolean {
  const user = disk.user();
  // Windows, where users have no numbers.
  if (user === undefined) return true;
  return uid === user && (mode & (user === ROOT ? GROUP_WRITES | ALL_WRITE : ALL_WRITE)) === 0;
}
