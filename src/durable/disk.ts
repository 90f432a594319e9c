/** The few operations on files that `--append` is built from, as an interface, so that tests can make each one fail or be the last. */
import { createHash, type Hash } from 'node:crypto';
import { lstat, open, readFile, realpath, rename, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { flushDirectory, systemCode, type Writable, writeFully } from './write.ts';

export interface DiskStat {
  size: number;
  dev: number;
  ino: number;
  mode: number;
  isFile(): boolean;
}

/** An open file; a part of node's FileHandle. All reads and writes say where. */
export interface DiskFile extends Writable {
  read(buffer: Uint8Array, offset: number, length: number, position: number): Promise<{ bytesRead: number }>;
  sync(): Promise<void>;
  truncate(size: number): Promise<void>;
  chmod(mode: number): Promise<void>;
  stat(): Promise<DiskStat>;
  close(): Promise<void>;
}

/** Everything rejects with an error that carries node's `code` (ENOENT, ENOSPC, …). */
export interface Disk {
  /** `r+`: read and write what is there. `wx`: create, refusing what is there. */
  open(path: string, flags: 'r+' | 'wx+'): Promise<DiskFile>;
  readFile(path: string): Promise<Buffer>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  stat(path: string): Promise<DiskStat>;
  /** As `stat`, of a symbolic link itself. */
  lstat(path: string): Promise<DiskStat>;
  realpath(path: string): Promise<string>;
  /** Flushes the names (created, renamed) of a directory. */
  flushDirectory(path: string): Promise<void>;
}

export const nodeDisk: Disk = { open, readFile: readRegularFile, rename, unlink, stat, lstat, realpath, flushDirectory };

/** Reading a FIFO would wait for ever. */
async function readRegularFile(path: string): Promise<Buffer> {
  if ((await stat(path)).isFile()) return readFile(path);
  throw Object.assign(new Error(`${path} is not a regular file`), { code: 'ENOTSUP' });
}

/** What `work` gives, or undefined where there is no such file. */
export async function ifPresent<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Where `replaceFile` puts the new content first; a killed process leaves one behind. */
export function temporaryOf(path: string): string {
  return `${path}.partial`;
}

/**
 * Replaces a file as a whole and for good: whenever the machine stops, the old or the new one stands there, never a part.
 * `beforeRename` is called when everything that can leave the old one in place has succeeded. There must be no leftover.
 */
export async function replaceFile(disk: Disk, path: string, bytes: Uint8Array, beforeRename: () => void): Promise<void> {
  const temporary = temporaryOf(path);
  const file = await disk.open(temporary, 'wx+');
  try {
    // The content before the name: a name that outlives a power cut must not lead to an empty file.
    await writeFully(file, bytes, 0)
      .then(() => file.sync())
      .finally(() => file.close());
    beforeRename();
    await disk.rename(temporary, path);
  } catch (error) {
    await disk.unlink(temporary).catch(() => undefined);
    throw error;
  }
  // The rename itself: without it a power cut brings the old file back after we said it was replaced.
  await disk.flushDirectory(dirname(path));
}

const PIECE_BYTES = 1 << 20;

/** The file's bytes from `start` to `end` in pieces, each valid until the next is asked for. Ends early where the file does. */
export async function* readPieces(file: DiskFile, start: number, end: number, signal?: AbortSignal): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(Math.min(PIECE_BYTES, end - start));
  for (let at = start; at < end; ) {
    signal?.throwIfAborted();
    const { bytesRead } = await file.read(buffer, 0, Math.min(PIECE_BYTES, end - at), at);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}

/** A running SHA-256 of the file's first `size` bytes, to be extended by what is appended. */
export async function hashPrefix(file: DiskFile, size: number, signal?: AbortSignal): Promise<Hash> {
  const hash = createHash('sha256');
  for await (const piece of readPieces(file, 0, size, signal)) hash.update(piece);
  return hash;
}

/** The digest so far, in hex; the running hash goes on. */
export function digestOf(hash: Hash): string {
  return hash.copy().digest('hex');
}
