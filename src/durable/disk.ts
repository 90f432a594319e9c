/**
 * The few operations that everything durable is built from, as an interface: the tests have a disk in memory that can fail, or lose its
 * power, at each of them. What is not written through a `Disk` is not tested that way, so nothing in src/durable reaches past it.
 */
import { createHash, type Hash } from 'node:crypto';
import {
  access,
  constants,
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  stat,
  unlink,
} from 'node:fs/promises';
import { systemCode } from './path-errors.ts';

export interface DiskStat {
  /** Bytes. */
  size: number;
  /** Together the identity of a file: the same as long as it exists, whatever it is called. */
  dev: number;
  ino: number;
  mode: number;
  uid: number;
  gid: number;
  isFile(): boolean;
  isDirectory(): boolean;
}

/** An open file; a part of node's FileHandle. All reads and writes say where, in bytes. */
export interface DiskFile {
  read(buffer: Uint8Array, offset: number, length: number, position: number): Promise<{ bytesRead: number }>;
  /** May take fewer bytes than it was given: see `writeFully`. */
  write(data: Uint8Array, offset: number, length: number, position: number | null): Promise<{ bytesWritten: number }>;
  /** Flushes contents and length: a power cut cannot take them back once this has resolved. */
  sync(): Promise<void>;
  /** As `sync`, without the times of the file. */
  datasync(): Promise<void>;
  truncate(size: number): Promise<void>;
  chmod(mode: number): Promise<void>;
  chown(uid: number, gid: number): Promise<void>;
  stat(): Promise<DiskStat>;
  close(): Promise<void>;
}

/** Everything rejects with an error that carries node's `code` (ENOENT, ENOSPC, …). */
export interface Disk {
  /** `r+`: read and write what is there. `wx+`: create, refusing what is there, a link too; the umask applies to `mode`. */
  open(path: string, flags: 'r+' | 'wx+', mode?: number): Promise<DiskFile>;
  /** Refuses what is no regular file: reading a FIFO would wait for ever. */
  readFile(path: string): Promise<Buffer>;
  readdir(path: string): Promise<string[]>;
  mkdir(path: string, mode?: number): Promise<void>;
  /** Takes the place of what is there, at once: who looks sees one file or the other. */
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  stat(path: string): Promise<DiskStat>;
  /** As `stat`, of a symbolic link itself. */
  lstat(path: string): Promise<DiskStat>;
  realpath(path: string): Promise<string>;
  /** Rejects where the file may not be written. */
  checkWritable(path: string): Promise<void>;
  /** Flushes the names (created, renamed, removed) of a directory. */
  flushDirectory(path: string): Promise<void>;
}

export const nodeDisk: Disk = {
  open: openFile,
  readFile: readRegularFile,
  readdir: (path) => readdir(path),
  mkdir: async (path, mode) => void (await mkdir(path, { mode })),
  rename,
  unlink,
  stat: (path) => stat(path),
  lstat: (path) => lstat(path),
  realpath: (path) => realpath(path),
  checkWritable: (path) => access(path, constants.W_OK),
  flushDirectory,
};

function openFile(path: string, flags: 'r+' | 'wx+', mode?: number): Promise<FileHandle> {
  return open(path, flags, mode);
}

async function readRegularFile(path: string): Promise<Buffer> {
  if ((await stat(path)).isFile()) return readFile(path);
  throw Object.assign(new Error(`${path} is not a regular file`), { code: 'ENOTSUP' });
}

/** What a platform or file system says that cannot flush a directory; there the rename is as durable as it gets. */
const CANNOT_FLUSH_DIRECTORIES = new Set(['EISDIR', 'EPERM', 'EACCES', 'EINVAL', 'ENOTSUP', 'EBADF']);

async function flushDirectory(path: string): Promise<void> {
  try {
    const directory = await open(path, 'r');
    try {
      await directory.sync();
    } finally {
      await directory.close();
    }
  } catch (error) {
    if (!CANNOT_FLUSH_DIRECTORIES.has(systemCode(error) ?? '')) throw error;
  }
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
