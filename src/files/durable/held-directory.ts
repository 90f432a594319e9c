import { basename, dirname } from 'node:path';
import { type Disk, type DiskDirectory, ifPresent } from './disk.ts';
import { expectAtPath, realPath } from './trusted-file.ts';

/**
 * Runs `work` in a directory whose name another user may change meanwhile (TOCTOU). Throws the system's
 * error, and UsageError if another directory is at the path (D14).
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

/** D16: removes a file, if it exists, relative to the open directory. */
export async function removeFile(disk: Disk, path: string): Promise<void> {
  await inDirectory(disk, dirname(path), ({ at }) => ifPresent(disk.unlink(at(basename(path)))));
}

export async function readBack(disk: Disk, path: string, mostBytes: number): Promise<Buffer> {
  const real = await realPath(disk, path);
  return inDirectory(disk, dirname(real), ({ at }) => disk.readFile(at(basename(real)), mostBytes));
}
