import { dirname } from 'node:path';
import { systemCode } from '#base/errors';
import type { Disk, DiskFile } from './disk.ts';
import { systemError } from './path-errors.ts';

/** Writes all bytes at `position` (null: the current one). D5: continues after a partial write. */
export async function writeFully(
  file: Pick<DiskFile, 'write'>,
  data: Uint8Array,
  position: number | null,
): Promise<void> {
  for (let done = 0; done < data.length; ) {
    const at = position === null ? null : position + done;
    const { bytesWritten } = await file.write(data, done, data.length - done, at);
    if (bytesWritten === 0) throw systemError('EIO', 'EIO: the device accepts no more data');
    done += bytesWritten;
  }
}

/** Truncates a file to `size`, if longer. D9: flushes it: a power cut could mix removed and later bytes. */
export async function truncateTo(
  file: Pick<DiskFile, 'stat' | 'truncate' | 'sync'>,
  size: number,
): Promise<void> {
  if ((await file.stat()).size <= size) return;
  await file.truncate(size);
  await file.sync();
}

const FLUSHED_AT_ONCE = 16 * 1024 * 1024;

/** Flushes a large file while it is being written, so that the last flush takes less time. */
export function createEarlyFlush(file: Pick<DiskFile, 'datasync'>) {
  let waiting = 0;
  let flushing: Promise<void> | undefined;
  let failure: { error: unknown } | undefined;

  async function flush(): Promise<void> {
    try {
      await file.datasync();
    } catch (error) {
      failure ??= { error };
    }
    flushing = undefined;
  }

  function throwFailure(): void {
    if (failure) throw failure.error;
  }

  return {
    wrote(bytes: number) {
      throwFailure();
      waiting += bytes;
      if (flushing || waiting < FLUSHED_AT_ONCE) return;
      waiting = 0;
      flushing = flush();
    },
    /** D3: waits for the flush. Throws an earlier flush's error, which the system reports only once. */
    async settled() {
      await flushing;
      throwFailure();
    },
  };
}

/** Creates a directory and its parents, without `recursive`: Node may retry endlessly after ENOENT. */
export async function makeDirectories(disk: Disk, path: string, mode?: number): Promise<boolean> {
  try {
    return await makeDirectory(disk, path, mode);
  } catch (error) {
    const parent = dirname(path);
    if (systemCode(error) !== 'ENOENT' || parent === path) throw error;
    await makeDirectories(disk, parent, mode);
    return makeDirectory(disk, path, mode);
  }
}

async function makeDirectory(disk: Disk, path: string, mode?: number): Promise<boolean> {
  try {
    await disk.mkdir(path, mode);
  } catch (error) {
    if ((await disk.stat(path).catch(() => undefined))?.isDirectory()) return false;
    throw error;
  }
  // D12: flushes, so that a power cut can't remove the directory with its files.
  await disk.flushDirectory(dirname(path));
  return true;
}
