/**
 * The digest of an appended file, which goes on run after run without the file being read again: node's running SHA-256 cannot be kept
 * in a state. So the file is hashed in blocks, each with the digest of all before it in front. Whoever has that digest goes on from the
 * last whole block, and reads less than one block of the file.
 */
import { createHash } from 'node:crypto';
import { type DiskFile, readPieces } from '../durable/disk.ts';

/** Small enough to be read again by every run, large enough that its digest costs nothing beside its bytes. */
const BLOCK_BYTES = 64 * 1024;

export interface FileHash {
  /** Takes what was added to the file. */
  update(bytes: Uint8Array): void;
  digests(): FileDigests;
}

/** Both in hex. */
interface FileDigests {
  /** Of the whole file so far. */
  sha256: string;
  /** Of its whole blocks: what a later run goes on from. */
  blocks: string;
}

/** A hash of nothing yet or, where the digest of whole blocks is given, of that many bytes before. */
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

/** The hash of a file's first `bytes`; with `blocks`, the digest of its whole blocks, only what follows them is read. */
export async function hashFile(file: DiskFile, bytes: number, blocks?: string, signal?: AbortSignal): Promise<FileHash> {
  const hash = createFileHash(blocks);
  const start = blocks === undefined ? 0 : bytes - (bytes % BLOCK_BYTES);
  for await (const piece of readPieces(file, start, bytes, signal)) hash.update(piece);
  return hash;
}

/** SHA-256 in hex of a file's first `bytes` at once, as the states of qrctl 1.0 have it. */
export async function plainDigest(file: DiskFile, bytes: number, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of readPieces(file, 0, bytes, signal)) hash.update(piece);
  return hash.digest('hex');
}
