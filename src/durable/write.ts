/** The steps that make bytes stay on a disk. Each checks what the operating system really did. */
import { existsSync, mkdirSync, promises, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** What of a file `writeFully` needs; a part of node's FileHandle. */
export interface Writable {
  write(data: Uint8Array, offset: number, length: number, position: number | null): Promise<{ bytesWritten: number }>;
}

/**
 * Writes all of `data`, at `position` or, when null, where the file stands. A write may take fewer bytes than it was given (a
 * disk that is nearly full does just that), so what was taken is counted and the rest offered again until the system refuses.
 *
 * @throws the system's error (`ENOSPC`, `EIO`, …), and one with code `EIO` when a write takes nothing at all.
 */
export async function writeFully(file: Writable, data: Uint8Array, position: number | null): Promise<void> {
  for (let done = 0; done < data.length; ) {
    const at = position === null ? null : position + done;
    const { bytesWritten } = await file.write(data, done, data.length - done, at);
    if (bytesWritten === 0) throw Object.assign(new Error('EIO: the device takes no more data'), { code: 'EIO' });
    done += bytesWritten;
  }
}

/** Flushing of a long file while it is still being written, so that its end does not have to wait for all of it. */
export interface EarlyFlush {
  /** To be called after each write. Throws what an earlier flush failed with. */
  wrote(bytes: number): void;
  /** Waits for a flush under way. Throws what any has failed with: the system tells an error once, and no later flush repeats it. */
  settled(): Promise<void>;
}

const FLUSHED_AT_ONCE = 16 * 1024 * 1024;

/** `file` is a part of node's FileHandle. */
export function createEarlyFlush(file: { datasync(): Promise<void> }): EarlyFlush {
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
    wrote(bytes) {
      throwFailure();
      waiting += bytes;
      if (flushing || waiting < FLUSHED_AT_ONCE) return;
      waiting = 0;
      flushing = flush();
    },
    async settled() {
      await flushing;
      throwFailure();
    },
  };
}

/**
 * Makes a directory and those above it, and tells whether it was missing. Node's own `recursive` tries for ever where the system
 * answers ENOENT although the parent is there: under an automounter, or in /proc.
 *
 * @throws the system's error.
 */
export function makeDirectories(path: string, mode?: number): boolean {
  try {
    mkdirSync(path, { mode });
    return true;
  } catch (error) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return false;
    if (systemCode(error) !== 'ENOENT' || existsSync(dirname(path))) throw error;
  }
  makeDirectories(dirname(path), mode);
  return makeDirectories(path, mode);
}

/** What a platform or file system says that cannot flush a directory; there the rename is as durable as it gets. */
const CANNOT_FLUSH_DIRECTORIES = new Set(['EISDIR', 'EPERM', 'EACCES', 'EINVAL', 'ENOTSUP', 'EBADF']);

/** Flushes a directory, so that a file created or renamed in it is still there under its name after a power cut. */
export async function flushDirectory(path: string): Promise<void> {
  try {
    const directory = await promises.open(path, 'r');
    try {
      await directory.sync();
    } finally {
      await directory.close();
    }
  } catch (error) {
    if (!CANNOT_FLUSH_DIRECTORIES.has(systemCode(error) ?? '')) throw error;
  }
}

/** The `code` of a system error (`ENOENT`), or undefined for anything else. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
