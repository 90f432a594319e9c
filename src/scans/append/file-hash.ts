/**
 * Digest of an appended file that continues across runs without rereading the file: node's running SHA-256 cannot be stored in a state. So the file
 * is hashed in blocks, each prefixed with the digest of all blocks before it. With that digest, a run continues from the last complete block and
 * reads less than one block of the file.
 */
import { createHash } from 'node:crypto';
import { type DiskFile, readPieces } from '../../files/durable/disk.ts';

/** Small enough to be read again by every run, large enough that the digests cost almost nothing per byte. */
const BLOCK_BYTES = 64 * 1024;

export interface FileHash {
  /** Adds the appended bytes. */
  update(bytes: Uint8Array): void;
  digests(): FileDigests;
}

/** Both in hex. */
interface FileDigests {
  /** Of the whole file so far. */
  sha256: string;
  /** Digest of the complete blocks: the start for a later run. */
  blocks: string;
}

/** Creates a hash of no bytes, or continues from the digest of complete blocks and the number of their bytes. */
export function createFileHash(blocks = ''): FileHash {
  let before = Buffer.from(blocks, 'hex');
  let hash = createHash('sha256').update(before);
  let left = BLOCK_BYTES;

  return {
    update(bytes) {
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

/** Returns the hash of a file's first `bytes`; with `blocks`, the digest of its complete blocks, only the bytes after them are read. */
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

/**
 * Returns whether content that comes in pieces begins with the bytes that a state records; without `blocks`, the state is one of qrctl 1.0. `pause` is
 * called between pieces, and throws to end.
 */
export async function beginsAs(
  { bytes, sha256, blocks }: { bytes: number; sha256: string; blocks: string | undefined },
  pieces: AsyncIterable<Uint8Array>,
  pause: () => unknown = () => undefined,
): Promise<boolean> {
  const hash = blocks === undefined ? createHash('sha256') : createFileHash();
  let left = bytes;
  for await (const piece of pieces) {
    await pause();
    hash.update(piece.subarray(0, left));
    left -= Math.min(left, piece.length);
    if (left === 0) break;
  }
  return left === 0 && sha256 === ('digests' in hash ? hash.digests().sha256 : hash.digest('hex'));
}

/** SHA-256 in hex of a file's first `bytes` at once, as the states of qrctl 1.0 have it. */
export async function plainDigest(file: DiskFile, bytes: number, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of readPieces(file, 0, bytes, signal)) hash.update(piece);
  return hash.digest('hex');
}
