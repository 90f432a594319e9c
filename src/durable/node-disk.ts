/** The disk of this machine, by node:fs. */
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
import type { Disk, DiskDirectory, DiskFile, DiskStat, OpenFlags } from './disk.ts';
import { systemCode } from './path-errors.ts';
import { createPatientRename } from './patient-rename.ts';

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
