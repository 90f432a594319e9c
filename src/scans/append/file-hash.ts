/** Hashes files in chained blocks, because Node can't save an unfinished hash for the next run. */
import { createHash } from 'node:crypto';
import { letSignalsIn } from '#base/time/time';
import { type DiskFile, readPieces } from '#files/durable/disk';

const BLOCK_BYTES = 64 * 1024;

export type FileHash = ReturnType<typeof createFileHash>;

/** Creates an empty hash, or continues one from the digest of its last complete block. */
export function createFileHash(blocks = '') {
  let before = Buffer.from(blocks, 'hex');
  let hash = createHash('sha256').update(before);
  let left = BLOCK_BYTES;

  return {
    update(bytes: Uint8Array): void {
      for (let at = 0; at < bytes.length; ) {
        const part = bytes.subarray(at, at + left);
        hash.update(part);
        at += part.length;
        left -= part.length;
        if (left > 0) return;
        before = hash.digest();
        hash = createHash('sha256').update(before);
        left = BLOCK_BYTES;
      }
    },
    digests: () => ({ sha256: hash.copy().digest('hex'), blocks: before.toString('hex') }),
  };
}

/** Hashes the first `bytes` bytes of a file. With `blocks`, reads only the last block. */
export async function hashFile(
  file: DiskFile,
  bytes: number,
  blocks?: string,
  signal?: AbortSignal,
): Promise<FileHash> {
  const hash = createFileHash(blocks);
  const start = blocks === undefined ? 0 : bytes - (bytes % BLOCK_BYTES);
  for await (const piece of readPieces(file, start, bytes, signal)) hash.update(piece);
  return hash;
}

/** Returns whether data begins with the recorded bytes. qrctl 1.0 recorded one hash, without `blocks`. */
export async function beginsAs(
  { bytes, sha256, blocks }: { bytes: number; sha256: string; blocks?: string },
  pieces: AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
): Promise<boolean> {
  const hash = blocks === undefined ? createHash('sha256') : createFileHash();
  let left = bytes;
  for await (const piece of pieces) {
    await letSignalsIn(signal);
    hash.update(piece.subarray(0, left));
    left -= Math.min(left, piece.length);
    if (left === 0) break;
  }
  return left === 0 && sha256 === ('digests' in hash ? hash.digests().sha256 : hash.digest('hex'));
}
