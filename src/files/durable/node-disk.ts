import type { BigIntStats } from 'node:fs';
import {
  access,
  constants,
  type FileHandle,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  stat,
  unlink,
} from 'node:fs/promises';
import { platform } from 'node:os';
import { join } from 'node:path';
import { geteuid } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemCode } from '#base/errors';
import {
  closing,
  type Disk,
  type DiskDirectory,
  type DiskFile,
  type DiskStat,
  type OpenFlags,
} from './disk.ts';
import { notRegular, systemError } from './path-errors.ts';

type Codes = ReadonlySet<string | undefined>;

const IN_USE: Codes = new Set(['EPERM', 'EACCES', 'EBUSY']);
const WAITS_MS = [10, 20, 50, 100, 200, 400, 800, 1000];

/** Returns a rename function that retries, because virus scanners on Windows briefly keep new files open. */
export function createRenameWithRetry(
  rename: (from: string, to: string) => Promise<void>,
  wait: (ms: number) => Promise<unknown> = sleep,
): (from: string, to: string) => Promise<void> {
  return async (from, to) => {
    for (const ms of WAITS_MS) {
      try {
        return await rename(from, to);
      } catch (error) {
        if (!IN_USE.has(systemCode(error))) throw error;
      }
      await wait(ms);
    }
    return rename(from, to);
  };
}

export const nodeDisk: Disk = {
  user: () => geteuid?.(),
  open: openFile,
  readFile: readRegularFile,
  readdir: (path) => readdir(path),
  openDirectory,
  mkdir: async (path, mode) => void (await mkdir(path, { mode })),
  rename: platform() === 'win32' ? createRenameWithRetry(rename) : rename,
  unlink,
  link,
  stat: (path) => stat(path, BIGINT).then(inNumbers),
  lstat: (path) => lstat(path, BIGINT).then(inNumbers),
  realpath: (path) => realpath(path),
  readlink: (path) => readlink(path),
  checkWritable: (path) => access(path, constants.W_OK),
  mountPoints: () => readFile('/proc/self/mountinfo', 'utf8').then(parseMountPoints, () => new Set()),
  flushDirectory,
};

const BIGINT = { bigint: true } as const;

function inNumbers(stats: BigIntStats): DiskStat {
  const { dev, ino, mtimeNs, ctimeNs } = stats;
  return {
    dev,
    ino,
    mtimeNs,
    ctimeNs,
    size: Number(stats.size),
    mode: Number(stats.mode),
    uid: Number(stats.uid),
    gid: Number(stats.gid),
    nlink: Number(stats.nlink),
    isFile: () => stats.isFile(),
    isDirectory: () => stats.isDirectory(),
    isSymbolicLink: () => stats.isSymbolicLink(),
  };
}

/** D14: flag that refuses a link in place of the resolved file; 0 on Windows. */
const NO_LINK = constants.O_NOFOLLOW ?? 0;
/** Flag for appending. 0 on Windows, where a file opened with it can't be truncated. */
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
    ...describeOpen(handle),
    close: () => handle.close(),
  };
}

export function describeOpen(handle: FileHandle): Pick<DiskFile, 'stat' | 'currentPath'> {
  return { stat: () => handle.stat(BIGINT).then(inNumbers), currentPath: () => currentPathOf(handle.fd) };
}

/** D14: for root, returns an open file's path, if known. Only root could be misled by a moved directory. */
async function currentPathOf(descriptor: number): Promise<string | undefined> {
  return geteuid?.() === 0 ? readlink(`/proc/self/fd/${descriptor}`).catch(() => undefined) : undefined;
}

const O_PATH = 0x20_0000;

async function openDirectory(path: string): Promise<DiskDirectory> {
  if (platform() !== 'linux') return nameDirectory(path);
  const handle = await open(path, O_PATH | constants.O_DIRECTORY | NO_LINK);
  const held = `/proc/self/fd/${handle.fd}`;
  const base = await readlink(held).then(
    () => held,
    () => path,
  );
  return {
    at: (name) => join(base, name),
    names: () => readdir(base),
    ...describeOpen(handle),
    close: () => handle.close(),
  };
}

async function nameDirectory(path: string): Promise<DiskDirectory> {
  const describe = () => lstat(path, BIGINT).then(inNumbers);
  if (!(await describe()).isDirectory()) throw systemError('ENOTDIR', `${path} is not a directory`);
  return {
    at: (name) => join(path, name),
    names: () => readdir(path),
    stat: describe,
    currentPath: async () => undefined,
    close: async () => undefined,
  };
}

async function readRegularFile(path: string, mostBytes = 512 * 2 ** 20): Promise<Buffer> {
  return closing(await open(path, OPEN_FLAGS.r), async (handle) => {
    const stats = await handle.stat();
    if (!stats.isFile()) throw notRegular(path);
    if (stats.size > mostBytes) throw systemError('ERR_FS_FILE_TOO_LARGE', `${path} has ${stats.size} bytes`);
    return handle.readFile();
  });
}

const CANNOT_FLUSH: Codes = new Set(['EISDIR', 'EPERM', 'EACCES', 'EINVAL', 'ENOTSUP', 'EBADF']);

async function flushDirectory(path: string): Promise<void> {
  try {
    await closing(await open(path, 'r'), (directory) => directory.sync());
  } catch (error) {
    if (!CANNOT_FLUSH.has(systemCode(error))) throw error;
  }
}

export function parseMountPoints(text: string): Set<string> {
  return new Set(
    text.split('\n').map((line) => {
      const escaped = line.split(' ')[4] ?? '';
      return escaped.replace(/\\([0-7]{3})/g, (_, octal: string) =>
        String.fromCharCode(Number.parseInt(octal, 8)),
      );
    }),
  );
}
