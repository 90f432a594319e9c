import type { FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { systemCode, UsageError } from '#base/errors';
import { openInput } from '#files/durable/open-input';
import { describeSystemError } from '#files/durable/path-errors';
import { GZIP, startsWith } from '#files/formats/formats';

/** Maximum size of a piece in bytes. V8 allocates larger texts one by one, which takes a fifth longer. */
const PIECE_BYTES = 32 * 1024;

/**
 * Yields a file's decompressed content up to its size at opening, because another run may append. A piece is
 * valid until the next is requested. Throws UsageError.
 */
export async function* readInputBytes(path: string): AsyncGenerator<Uint8Array> {
  const file = await openToRead(path);
  try {
    const stat = await file.stat();
    if (stat.isDirectory()) throw new UsageError(`cannot read ${path}: it is a directory`);
    const size = stat.isFile() ? stat.size : Infinity;
    const pieces = readUpTo(file, size, path);
    const first = await pieces.next();
    if (first.done) return;
    const whole = joined(first.value, pieces);
    yield* startsWith(first.value, GZIP) ? decompress(whole, path) : whole;
  } finally {
    await file.close();
  }
}

/** Opens a file, FIFO or device. Throws UsageError if it is unreadable or untrusted (D17). */
export async function openToRead(path: string): Promise<FileHandle> {
  return openInput(path).catch((cause) => {
    throw cannotRead(path, cause);
  });
}

export function cannotRead(path: string, cause: unknown): UsageError {
  if (cause instanceof UsageError) return cause;
  if (systemCode(cause) !== 'ENOENT')
    return new UsageError(`cannot read ${path}: ${describeSystemError(cause)}`, { cause });
  const hint = 'Correct the path, or write the file first with `qrctl scans export -o FILE --append`.';
  return new UsageError(`cannot read ${path}: no such file`, { hint, cause });
}

async function* readUpTo(file: FileHandle, size: number, path: string): AsyncGenerator<Uint8Array> {
  const memory = Buffer.allocUnsafe(PIECE_BYTES);
  for (let at = 0; at < size; ) {
    const { bytesRead } = await file.read(memory, 0, Math.min(PIECE_BYTES, size - at), null);
    if (bytesRead === 0 && size === Infinity) return;
    if (bytesRead === 0)
      throw new UsageError(`${path} was truncated while it was read`, {
        hint: 'When no other process is writing to the file, run the command again.',
      });
    at += bytesRead;
    yield memory.subarray(0, bytesRead);
  }
}

export async function* joined<T>(first: T, rest: AsyncGenerator<T>): AsyncGenerator<T> {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

export async function* decompress(
  pieces: AsyncGenerator<Uint8Array>,
  path: string,
): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: PIECE_BYTES });
  pipeline(copied(pieces), gunzip).catch(() => undefined);
  try {
    yield* gunzip;
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    throw new UsageError(`${path} is not a complete gzip file: ${describeSystemError(cause)}`, {
      cause,
      hint: 'The file may be truncated. Copy or export it again.',
    });
  } finally {
    gunzip.destroy();
  }
}

/** Copies pieces, because a stream may keep them longer than they are valid. */
async function* copied(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) yield Buffer.from(piece);
}
