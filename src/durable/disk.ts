/**
 * Interface of the few operations that all durable files use: the tests have a disk in memory that can fail, or lose its power, at each of
 * them. Code that writes without a `Disk` is not tested that way: in src/durable only locks do, and they keep nothing on disk that could be
 * lost.
 */
import type { BigIntStats } from 'node:fs';
import {
  access,
  constants,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  realpath,
  rename,
  rmdir,
  stat,
  symlink,
  unlink,
} from 'node:fs/promises';
import { platform } from 'node:os';
import { join } from 'node:path';
import { geteuid } from 'node:process';
import { systemCode } from './path-errors.ts';
import { createPatientRename } from './patient-rename.ts';

export interface DiskStat {
  /** Bytes. */
  size: number;
  /** Together the identity of a file: the same as long as it exists, whatever it is called. */
  dev: bigint;
  ino: bigint;
  mode: number;
  uid: number;
  gid: number;
  /** Names of the file. */
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
  write(data: Uint8Array, offset: number, length: number, position: number | null): Promise<{ bytesWritten: number }>;
  /** Flushes contents and length: a power cut cannot take them back once this has resolved. */
  sync(): Promise<void>;
  /** As `sync`, without the times of the file. */
  datasync(): Promise<void>;
  truncate(size: number): Promise<void>;
  chmod(mode: number): Promise<void>;
  chown(uid: number, gid: number): Promise<void>;
  stat(): Promise<DiskStat>;
  /** Current path of the file, as the system reports it; undefined if it doesn't, or if the path does not matter for this user. */
  place(): Promise<string | undefined>;
  close(): Promise<void>;
}

/** A directory that is held open. */
export interface DiskDirectory {
  /**
   * The path of an entry. Where `isHeld`, resolution begins at the open directory itself, as with openat(2): whatever its name, or that
   * of a directory above it, leads to by now makes no difference.
   */
  at(name: string): string;
  readonly isHeld: boolean;
  names(): Promise<string[]>;
  stat(): Promise<DiskStat>;
  /** As of a file. */
  place(): Promise<string | undefined>;
  close(): Promise<void>;
}

type OpenFlags = 'r' | 'r+' | 'w' | 'wx+';

/** Everything rejects with an error that carries node's `code` (ENOENT, ENOSPC, …). */
export interface Disk {
  /** Whose rights we have (uid 0: all of them); undefined where users have no numbers. */
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
  /** Removes an empty directory. */
  rmdir(path: string): Promise<void>;
  /** One more name of a file. */
  link(file: string, path: string): Promise<void>;
  /** A symbolic link to a directory, which `target` names as seen from the link. */
  symlink(target: string, path: string): Promise<void>;
  stat(path: string): Promise<DiskStat>;
  /** As `stat`, of a symbolic link itself. */
  lstat(path: string): Promise<DiskStat>;
  realpath(path: string): Promise<string>;
  readlink(path: string): Promise<string>;
  /** Rejects if the file may not be written. */
  checkWritable(path: string): Promise<void>;
  /** Flushes the names (created, renamed, removed) of a directory. */
  flushDirectory(path: string): Promise<void>;
}

export const nodeDisk: Disk = {
  user: () => geteuid?.(),
  open: openFile,
  readFile: readRegularFile,
  readdir: (path) => readdir(path),
  openDirectory,
  mkdir: async (path, mode) => void (await mkdir(path, { mode })),
  rename: platform() === 'win32' ? createPatientRename(rename) : rename,
  unlink,
  rmdir: (path) => rmdir(path),
  link,
  symlink: (target, path) => symlink(target, path, 'dir'),
  stat: (path) => stat(path, BIGINT).then(inNumbers),
  lstat: (path) => lstat(path, BIGINT).then(inNumbers),
  realpath: (path) => realpath(path),
  readlink: (path) => readlink(path),
  checkWritable: (path) => access(path, constants.W_OK),
  flushDirectory,
};

/** Numbers of inodes and times in nanoseconds are longer than a number of JavaScript. */
const BIGINT = { bigint: true } as const;

function inNumbers(stats: BigIntStats): DiskStat {
  const { dev, ino, mtimeNs, ctimeNs } = stats;
  const [size, mode, uid, gid, nlink] = [stats.size, stats.mode, stats.uid, stats.gid, stats.nlink].map(Number) as FiveNumbers;
  const kinds = { isFile: () => stats.isFile(), isDirectory: () => stats.isDirectory() };
  return { dev, ino, mtimeNs, ctimeNs, size, mode, uid, gid, nlink, ...kinds, isSymbolicLink: () => stats.isSymbolicLink() };
}

type FiveNumbers = [number, number, number, number, number];

/**
 * D14: another user who replaced the name by a link since it was resolved doesn't determine which file is opened. Windows lacks this flag.
 */
const NO_LINK = constants.O_NOFOLLOW ?? 0;
/** On Windows a file that is opened so cannot be cut. */
const AT_END = platform() === 'win32' ? 0 : constants.O_APPEND;
const OPEN_FLAGS: Readonly<Record<OpenFlags, number>> = {
  r: constants.O_RDONLY | NO_LINK | (constants.O_NONBLOCK ?? 0),
  'r+': constants.O_RDWR | NO_LINK | AT_END,
  w: constants.O_WRONLY | NO_LINK | constants.O_APPEND,
  'wx+': constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | AT_END,
};

async function openFile(path: string, flags: OpenFlags, mode?: number): Promise<DiskFile> {
  const handle = await open(path, OPEN_FLAGS[flags], mode);
  return {
    read: (buffer, offset, length, position) => handle.read(buffer, offset, length, position),
    write: (data, offset, length, position) => handle.write(data, offset, length, position),
    sync: () => handle.sync(),
    datasync: () => handle.datasync(),
    truncate: (size) => handle.truncate(size),
    chmod: (permissions) => handle.chmod(permissions),
    chown: (uid, gid) => handle.chown(uid, gid),
    stat: () => handle.stat(BIGINT).then(inNumbers),
    place: () => placeOf(handle.fd),
    close: () => handle.close(),
  };
}

/**
 * For root only, because only root can be redirected to a place that other users cannot write to (D14). Other users don't need it, and a
 * case-insensitive file system may report a path in another spelling than the one that was opened.
 */
async function placeOf(descriptor: number): Promise<string | undefined> {
  return geteuid?.() === 0 ? readlink(`/proc/self/fd/${descriptor}`).catch(() => undefined) : undefined;
}

/** O_PATH, which Linux has and node:fs does not export: a descriptor that identifies a place, without permission to read it. */
const O_PATH = 0x20_0000;

async function openDirectory(path: string): Promise<DiskDirectory> {
  if (platform() !== 'linux') return nameDirectory(path);
  const handle = await open(path, O_PATH | constants.O_DIRECTORY | NO_LINK);
  const held = `/proc/self/fd/${handle.fd}`;
  // No /proc in some chroots and containers.
  const isHeld = await readlink(held).then(
    () => true,
    () => false,
  );
  const base = isHeld ? held : path;
  return {
    at: (name) => join(base, name),
    isHeld,
    names: () => readdir(base),
    stat: () => handle.stat(BIGINT).then(inNumbers),
    place: () => placeOf(handle.fd),
    close: () => handle.close(),
  };
}

/** If no descriptor gives access to the directory, its name is used. */
async function nameDirectory(path: string): Promise<DiskDirectory> {
  const look = () => lstat(path, BIGINT).then(inNumbers);
  if (!(await look()).isDirectory()) throw Object.assign(new Error(`${path} is not a directory`), { code: 'ENOTDIR' });
  return {
    at: (name) => join(path, name),
    isHeld: false,
    names: () => readdir(path),
    stat: look,
    place: async () => undefined,
    close: async () => undefined,
  };
}

/** More than any state or journal has, and little enough to be held in memory. */
const MOST_BYTES = 512 * 2 ** 20;

async function readRegularFile(path: string, mostBytes = MOST_BYTES): Promise<Buffer> {
  const handle = await open(path, OPEN_FLAGS.r);
  try {
    const { size, isFile } = await handle.stat().then((stats) => ({ size: stats.size, isFile: stats.isFile() }));
    if (!isFile) throw Object.assign(new Error(`${path} is not a regular file`), { code: 'ENOTSUP' });
    if (size > mostBytes) throw Object.assign(new Error(`${path} has ${size} bytes`), { code: 'ERR_FS_FILE_TOO_LARGE' });
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** Errors of platforms and file systems that cannot flush a directory; a rename there is as durable as it gets. */
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
