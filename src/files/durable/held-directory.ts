/**
 * Runs work in a directory whose name, or a name above it, another user may change at any moment (TOCTOU): the directory is opened first,
 * and every entry is looked up relative to it (openat(2), through /proc on Linux).
 */
import { basename, dirname } from 'node:path';
import { type Disk, type DiskDirectory, ifPresent } from './disk.ts';
import { expectAtPath, realPath } from './trusted-file.ts';

/**
 * Runs `work` in the directory at a real path, and holds it open until the end. Throws the system's error, UsageError if another directory is there
 * (D14), and the errors of `work`.
 */
export async function inDirectory<T>(
  disk: Disk,
  path: string,
  work: (directory: DiskDirectory) => Promise<T>,
): Promise<T> {
  const directory = await disk.openDirectory(path);
  try {
    await expectAtPath(disk, directory, path);
    return await work(directory);
  } finally {
    await directory.close();
  }
}

/** Removes the file at a real path, if there is one. D16: from the open directory, wherever its name leads a moment later. */
export async function removeFile(disk: Disk, path: string): Promise<void> {
  await inDirectory(disk, dirname(path), ({ at }) => ifPresent(disk.unlink(at(basename(path)))));
}

/**
 * Returns the bytes of a regular file that a run reads back. Follows links, except those that another user made to a file that is not
 * theirs. Throws the system's error, also if the file is not regular or larger than `mostBytes`, and UsageError like `realPath`.
 */
export async function readBack(disk: Disk, path: string, mostBytes: number): Promise<Buffer> {
  const real = await realPath(disk, path);
  // D14, D16: reads the file in the open directory, not the one that its name leads to a moment later.
  return inDirectory(disk, dirname(real), ({ at }) => disk.readFile(at(basename(real)), mostBytes));
}
