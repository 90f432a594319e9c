/**
 * Files that appear whole or not at all: written under a temporary name beside their place, flushed, and renamed over it. At
 * every instant, also after a power cut, the name shows either the old bytes or all of the new ones.
 */
import { type FileHandle, rename, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { cannotOpen, cannotWrite } from '../durable/path-errors.ts';
import { createEarlyFlush, flushDirectory, systemCode, writeFully } from '../durable/write.ts';
import { LocalError } from '../errors.ts';
import { openDirectly, openTemporary, type Processes, resolveTarget } from './file-target.ts';
import { createGatherer } from './gatherer.ts';
import { createGzipEncoder, type Encoder, plainEncoder } from './gzip.ts';

export type { Processes };

export interface WholeFile {
  /** Adds to the file; small pieces are gathered into large writes. Throws LocalError (full disk, device). */
  write(chunk: string | Uint8Array): Promise<void>;
  /** All is written: flushes, and puts the file in its place. */
  commit(): Promise<void>;
  /** Leaves what stood there before, and nothing beside it. Idempotent; harmless after `commit`. Never throws. */
  discard(): Promise<void>;
  /**
   * Remembers this point; what it gives throws away everything written since. A compressed file goes on with a new member (RFC
   * 1952, 2.2). Absent for devices and pipes, which cannot take bytes back.
   */
  checkpoint?: () => Promise<() => Promise<void>>;
}

export interface WholeFileOptions {
  processes: Processes;
  /** Compress; the bytes depend on the data alone. */
  gzip?: boolean;
}

/**
 * Opens `path` for a file that appears whole. Symbolic links are followed, and the real target is replaced. What is not a
 * regular file (/dev/null, a FIFO, /dev/stdout) is written directly.
 *
 * @throws UsageError when the path cannot be written (no such directory, no permission, a directory), before any byte is.
 */
export async function openWholeFile(path: string, { processes, gzip = false }: WholeFileOptions): Promise<WholeFile> {
  try {
    const target = await resolveTarget(path);
    const encoder = () => (gzip ? createGzipEncoder() : plainEncoder());
    if (target.direct) return directFile(path, await openDirectly(target.path), encoder());
    const temporary = await openTemporary(target, processes);
    return temporaryFile(path, target.path, temporary, encoder);
  } catch (error) {
    throw systemCode(error) === undefined ? error : cannotOpen(path, error);
  }
}

/** Replaces `path` by `data` as a whole. Throws as `openWholeFile`, `write` and `commit` do; on failure the old file stands. */
export async function writeWholeFile(path: string, data: string | Uint8Array, options: WholeFileOptions): Promise<void> {
  const file = await openWholeFile(path, options);
  try {
    await file.write(data);
    await file.commit();
  } finally {
    await file.discard();
  }
}

function temporaryFile(
  shownPath: string,
  path: string,
  temporary: { path: string; file: FileHandle },
  createEncoder: () => Encoder,
): WholeFile {
  const { file } = temporary;
  const flush = createEarlyFlush(file);
  let position = 0;
  let done = false;
  const put = async (bytes: Uint8Array) => {
    await writeFully(file, bytes, position);
    position += bytes.length;
    flush.wrote(bytes.length);
  };
  let gatherer = createGatherer(createEncoder(), put);
  const failing = (error: unknown) =>
    systemCode(error) === undefined ? error : cannotWrite(shownPath, error, `${shownPath} is as it was`);

  return {
    write: (chunk) => gatherer.write(chunk).catch((error) => Promise.reject(failing(error))),
    async commit() {
      try {
        if (gatherer.touched() || position === 0) await gatherer.end();
        await flush.settled();
        await file.sync(); // the data must be on disk before the name that promises it
        await refuseStranger(temporary);
        await file.close();
        await rename(temporary.path, path);
        done = true;
        await flushDirectory(dirname(path)); // else a power cut could bring the old file back
      } catch (error) {
        throw failing(error);
      }
    },
    async discard() {
      if (done) return;
      done = true;
      await file.close().catch(() => undefined);
      await unlink(temporary.path).catch(() => undefined);
    },
    async checkpoint() {
      try {
        if (gatherer.touched()) await gatherer.end();
      } catch (error) {
        throw failing(error);
      }
      const marked = position;
      gatherer = createGatherer(createEncoder(), put);
      return async () => {
        await gatherer.settled();
        await file.truncate(marked).catch((error) => Promise.reject(failing(error)));
        position = marked;
        gatherer = createGatherer(createEncoder(), put);
      };
    },
  };
}

/**
 * Process ids are only unique on one machine: in two containers that share a volume another qrctl may have taken our temporary
 * name for a dead one's. Its file must not be renamed as if it were ours.
 */
async function refuseStranger(temporary: { path: string; file: FileHandle }): Promise<void> {
  const [ours, named] = await Promise.all([temporary.file.stat(), stat(temporary.path).catch(() => undefined)]);
  if (named?.ino === ours.ino && named.dev === ours.dev) return;
  throw new LocalError(`${temporary.path} was replaced by another process`, { hint: 'let only one run write a file at a time' });
}

function directFile(path: string, file: FileHandle, encoder: Encoder): WholeFile {
  let closed = false;
  const gatherer = createGatherer(encoder, (bytes) => writeFully(file, bytes, null));
  const failing = (error: unknown) =>
    Promise.reject(systemCode(error) === undefined ? error : cannotWrite(path, error, 'not all was written'));
  const close = async () => {
    if (!closed) await file.close();
    closed = true;
  };
  return {
    write: (chunk) => gatherer.write(chunk).catch(failing),
    commit: () => gatherer.end().then(close).catch(failing),
    discard: () => close().catch(() => undefined),
  };
}
