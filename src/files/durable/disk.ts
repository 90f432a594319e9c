/**
 * Interface of the operations that all durable files use: tests have a disk in memory that can fail, or lose power, at each of them. Code that writes
 * without a `Disk` is not tested that way: in src/files/durable only locks do, and they keep no data on disk.
 */
import { systemCode } from './path-errors.ts';

export interface DiskStat {
  /** In bytes. */
  size: number;
  /** Identity of a file, regardless of its names, as long as it exists. */
  dev: bigint;
  ino: bigint;
  mode: number;
  uid: number;
  gid: number;
  /** Number of names (hard links). */
  nlink: number;
  /**
   * Times of the last change of the bytes, and of the last change of anything, which no program can set; ns since the epoch, in ticks of
   * the file system.
   */
  mtimeNs: bigint;
  ctimeNs: bigint;
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

/** Open file. All reads and writes specify their position, in bytes. */
export interface DiskFile {
  read(buffer: Uint8Array, offset: number, length: number, position: number): Promise<{ bytesRead: number }>;
  /**
   * Appends: `position` must be the end of the file. If the system supports it, this is enforced (O_APPEND), so that a file that another
   * process truncates gets no hole. Writes may be partial: see `writeFully`.
   */
  write(
    data: Uint8Array,
    offset: number,
    length: number,
    position: number | null,
  ): Promise<{ bytesWritten: number }>;
  /** Flushes content and length; after it resolves, they survive a power cut. */
  sync(): Promise<void>;
  /** As `sync`, without the times of the file. */
  datasync(): Promise<void>;
  truncate(size: number): Promise<void>;
  chmod(mode: number): Promise<void>;
  chown(uid: number, gid: number): Promise<void>;
  stat(): Promise<DiskStat>;
  /** Current path of the file, as the system reports it; undefined if it doesn't, or if the path does not matter for this user. */
  currentPath(): Promise<string | undefined>;
  close(): Promise<void>;
}

/** Open directory. */
export interface DiskDirectory {
  /** Returns the path of an entry: on Linux relative to the open directory, as with openat(2), regardless of where its name leads now. */
  at(name: string): string;
  names(): Promise<string[]>;
  stat(): Promise<DiskStat>;
  /** As for a file. */
  currentPath(): Promise<string | undefined>;
  close(): Promise<void>;
}

export type OpenFlags = 'r' | 'r+' | 'w' | 'wx+';

/** File system. Every operation rejects with an error that has Node's `code` (ENOENT, ENOSPC, …). */
export interface Disk {
  /** Returns the effective user ID (0: root); undefined on systems without numeric user IDs. */
  user(): number | undefined;
  /**
   * `r`: read an existing file, but not a link, and without waiting for a FIFO. `r+`: read and write it. `w`: only write it, a device or a
   * FIFO. `wx+`: create it, and refuse an existing name, even a link; the umask applies to `mode`.
   */
  open(path: string, flags: OpenFlags, mode?: number): Promise<DiskFile>;
  /**
   * Refuses a link, and any other file that is not regular: reading a FIFO would block. Refuses, before reading, a file larger than
   * `mostBytes` (default: 512 MiB).
   */
  readFile(path: string, mostBytes?: number): Promise<Buffer>;
  readdir(path: string): Promise<string[]>;
  /** Refuses a link at the end of `path`, and a file that is not a directory. Requires no permission to list it. */
  openDirectory(path: string): Promise<DiskDirectory>;
  mkdir(path: string, mode?: number): Promise<void>;
  /** Replaces the existing file atomically: a reader sees one file or the other. */
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** Creates a hard link. */
  link(file: string, path: string): Promise<void>;
  /** Creates a symbolic link to a directory; `target` is relative to the link. */
  symlink(target: string, path: string): Promise<void>;
  stat(path: string): Promise<DiskStat>;
  /** As `stat`, for a symbolic link itself. */
  lstat(path: string): Promise<DiskStat>;
  realpath(path: string): Promise<string>;
  readlink(path: string): Promise<string>;
  /** Rejects if the file may not be written. */
  checkWritable(path: string): Promise<void>;
  /** Returns the paths at which files and directories are mounted; none where the system doesn't show them. */
  mountPoints(): Promise<ReadonlySet<string>>;
  /** Flushes the names (created, renamed, removed) of a directory. */
  flushDirectory(path: string): Promise<void>;
}

/** Returns the result of `work`, or undefined if the file does not exist. */
export async function ifPresent<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

const PIECE_BYTES = 1 << 20;

/** Yields the bytes of the file from `start` to `end` in chunks, each valid until the next is requested. Ends early if the file does. */
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
