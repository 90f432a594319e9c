import { basename, dirname } from 'node:path';
import { type Disk, type DiskDirectory, ifPresent } from './disk.ts';
import { expectAtPath, realPath } from './trusted-file.ts';

/**
 * Runs `work` in the directory at a real path, whose name another user may change meanwhile (TOCTOU). Throws
 * the system's error, and UsageError if another directory is there (D14).
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

/** D16: removes the file at a real path, if it exists, relative to the open directory. */
export async function removeFile(disk: Disk, path: string): Promise<void> {
  await inDirectory(disk, dirname(path), ({ at }) => ifPresent(disk.unlink(at(basename(path)))));
}

/** Reads a regular file of at most `mostBytes`. Throws the system's error, and UsageError as `realPath`. */
export async function readBack(disk: Disk, path: string, mostBytes: number): Promise<Buffer> {
  const real = await realPath(disk, path);
  return inDirectory(disk, dirname(real), ({ at }) => disk.readFile(at(basename(real)), mostBytes));
}
