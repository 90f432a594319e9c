/** Runs work in a directory whose name another user may change at any moment (TOCTOU): entries are looked up relative to the open directory. */
import { basename, dirname } from 'node:path';
import { type Disk, type DiskDirectory, ifPresent } from './disk.ts';
import { expectAtPath, realPath } from './trusted-file.ts';

/**
 * Runs `work` in the directory at a real path. Throws the system's error, UsageError if another directory is there (D14), and the errors of `work`.
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

/** D16: removes the file at a real path, if there is one, from the open directory. */
export async function removeFile(disk: Disk, path: string): Promise<void> {
  await inDirectory(disk, dirname(path), ({ at }) => ifPresent(disk.unlink(at(basename(path)))));
}

/** Returns the bytes of a regular file. Throws the system's error, also if it is larger than `mostBytes`, and UsageError like `realPath`. */
export async function readBack(disk: Disk, path: string, mostBytes: number): Promise<Buffer> {
  const real = await realPath(disk, path);
  return inDirectory(disk, dirname(real), ({ at }) => disk.readFile(at(basename(real)), mostBytes));
}
