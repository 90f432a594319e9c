import { systemCode } from '#base/errors';

export interface DiskStat {
  size: number;
  dev: bigint;
  ino: bigint;
  mode: number;
  uid: number;
  gid: number;
  nlink: number;
  mtimeNs: bigint;
  /** Time of the last change in ns. Programs can set `mtimeNs`, but not this time. */
  ctimeNs: bigint;
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

export interface DiskFile {
  read(buffer: Uint8Array, offset: number, length: number, position: number): Promise<{ bytesRead: number }>;
  write(
    data: Uint8Array,
    offset: number,
    length: number,
    position: number | null,
  ): Promise<{ bytesWritten: number }>;
  sync(): Promise<void>;
  datasync(): Promise<void>;
  truncate(size: number): Promise<void>;
  chmod(mode: number): Promise<void>;
  chown(uid: number, gid: number): Promise<void>;
  stat(): Promise<DiskStat>;
  /** Current path of the open file, to detect a moved directory. Undefined if unknown, or if not root. */
  currentPath(): Promise<string | undefined>;
  close(): Promise<void>;
}

export interface DiskDirectory {
  /** Returns an entry's path, on Linux with /proc relative to the open directory (like openat(2)). */
  at(name: string): string;
  names(): Promise<string[]>;
  stat(): Promise<DiskStat>;
  currentPath(): Promise<string | undefined>;
  close(): Promise<void>;
}

export type OpenFlags = 'r' | 'r+' | 'w' | 'wx+';

export interface Disk {
  user(): number | undefined;
  /**
   * Opens a file. Except on Windows, refuses a link at the end of `path`. `r` doesn't wait for a FIFO. `w` is
   * for devices and FIFOs. `wx+` refuses an existing name. The umask applies to `mode`.
   */
  open(path: string, flags: OpenFlags, mode?: number): Promise<DiskFile>;
  /** Reads a regular file. Throws for other kinds, links, and more than `mostBytes` (default: 512 MiB). */
  readFile(path: string, mostBytes?: number): Promise<Buffer>;
  readdir(path: string): Promise<string[]>;
  /** Opens a directory, even if this user may not list it. Refuses a link at the end of `path`. */
  openDirectory(path: string): Promise<DiskDirectory>;
  mkdir(path: string, mode?: number): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  link(file: string, path: string): Promise<void>;
  stat(path: string): Promise<DiskStat>;
  lstat(path: string): Promise<DiskStat>;
  realpath(path: string): Promise<string>;
  readlink(path: string): Promise<string>;
  checkWritable(path: string): Promise<void>;
  mountPoints(): Promise<ReadonlySet<string>>;
  flushDirectory(path: string): Promise<void>;
}

export async function closing<H extends { close(): Promise<void> }, T>(
  handle: H,
  work: (handle: H) => Promise<T>,
): Promise<T> {
  try {
    return await work(handle);
  } finally {
    await handle.close();
  }
}

export async function checked<H extends { close(): Promise<void> }>(
  handle: H,
  check: (handle: H) => Promise<void>,
): Promise<H> {
  try {
    await check(handle);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

export async function ifPresent<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

const PIECE_BYTES = 1 << 20;

/** Yields the bytes from `start` to `end` or the file's end. A piece is valid until the next is requested. */
export async function* readPieces(
  file: DiskFile,
  start: number,
  end: number,
  signal?: AbortSignal,
): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(Math.min(PIECE_BYTES, end - start));
  for (let at = start; at < end; ) {
    signal?.throwIfAborted();
    const { bytesRead } = await file.read(buffer, 0, Math.min(PIECE_BYTES, end - at), at);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}
