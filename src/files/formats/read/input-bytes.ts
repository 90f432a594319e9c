/** The bytes of a file of scans, decompressed, as far as it went when it was opened: another run may be adding to it. */
import type { FileHandle } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import { UsageError } from '../../../base/errors.ts';
import { openInput } from '../../durable/open-input.ts';
import { describeSystemError, systemCode } from '../../durable/path-errors.ts';

/** V8 puts the text of larger pieces among its large objects, one by one, which takes a fifth longer in all. */
const PIECE_BYTES = 32 * 1024;
const GZIP = [0x1f, 0x8b] as const;

/**
 * Yields the file's content in pieces; each is valid until the next is requested. Throws UsageError if it cannot be read, or is truncated.
 */
export async function* readInputBytes(path: string): AsyncGenerator<Uint8Array> {
  const file = await openToRead(path);
  try {
    const stat = await file.stat();
    if (stat.isDirectory()) throw new UsageError(`cannot read ${path}: it is a directory`);
    const size = stat.isFile() ? stat.size : Number.POSITIVE_INFINITY;
    const pieces = readUpTo(file, size, path);
    const first = await pieces.next();
    if (first.done) return;
    const whole = joined(first.value, pieces);
    yield* first.value[0] === GZIP[0] && first.value[1] === GZIP[1] ? decompress(whole, path) : whole;
  } finally {
    await file.close();
  }
}

/** Opens a file of scans. Throws UsageError if it cannot be opened, or must not be (D17). */
export async function openToRead(path: string): Promise<FileHandle> {
  return openInput(path).catch((cause) => {
    throw cannotRead(path, cause);
  });
}

/** A file or directory that cannot be opened for reading. */
export function cannotRead(path: string, cause: unknown): UsageError {
  if (cause instanceof UsageError) return cause;
  const why = systemCode(cause) === 'ENOENT' ? 'no such file' : describeSystemError(cause);
  return new UsageError(`cannot read ${path}: ${why}`, { cause });
}

async function* readUpTo(file: FileHandle, size: number, path: string): AsyncGenerator<Uint8Array> {
  const memory = Buffer.allocUnsafe(PIECE_BYTES);
  for (let at = 0; at < size; ) {
    const { bytesRead } = await file.read(memory, 0, Math.min(PIECE_BYTES, size - at), null);
    if (bytesRead === 0 && size === Number.POSITIVE_INFINITY) return;
    if (bytesRead === 0)
      throw new UsageError(`${path} was truncated while it was read`, {
        hint: 'When no other process is writing to the file, run the command again.',
      });
    at += bytesRead;
    yield memory.subarray(0, bytesRead);
  }
}

async function* joined(first: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* rest;
}

/** Yields the content of the gzip file at `path`, whose bytes are `pieces`. Throws UsageError if it is not a complete gzip file. */
export async function* decompress(
  pieces: AsyncGenerator<Uint8Array>,
  path: string,
): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: PIECE_BYTES });
  const feeding = (async () => {
    for await (const piece of pieces) {
      // A copy: the stream may keep it for longer than the piece is valid.
      await new Promise<void>((resolve, reject) => {
        gunzip.once('error', reject);
        gunzip.write(Buffer.from(piece), () => {
          gunzip.off('error', reject);
          resolve();
        });
      });
    }
    gunzip.end();
  })();
  feeding.catch(() => gunzip.destroy());
  try {
    for await (const piece of gunzip) yield piece;
    await feeding;
  } catch (cause) {
    await feeding.catch(rethrowUsage);
    throw new UsageError(`${path} is not a complete gzip file: ${describeSystemError(cause)}`, {
      cause,
      hint: 'The file may be truncated. Copy or export it again.',
    });
  } finally {
    gunzip.destroy();
  }
}

function rethrowUsage(error: unknown): void {
  if (error instanceof UsageError) throw error;
}
