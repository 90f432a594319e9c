import { basename, dirname, join, resolve } from 'node:path';
import { UsageError } from '#base/errors';
import {
  checked,
  closing,
  type Disk,
  type DiskDirectory,
  type DiskFile,
  type DiskStat,
  ifPresent,
} from './disk.ts';
import { followLinks, type LinkEntry, ROOT } from './follow-links.ts';
import { notRegular } from './path-errors.ts';
import { makeDirectories } from './write.ts';

const OTHERS_WRITE = 0o022;

/** Resolves links. The file may be missing. D14: refuses another user's link to a file that isn't theirs. */
export async function realPath(disk: Disk, path: string): Promise<string> {
  const absolute = resolve(path);
  if (disk.user() === undefined) {
    return (
      (await ifPresent(disk.realpath(absolute))) ??
      join(await disk.realpath(dirname(absolute)), basename(absolute))
    );
  }
  const real = await withoutLinks(disk, absolute);
  await disk.lstat(dirname(real));
  return real;
}

type Use = 'read' | 'write';

/** Resolves links. Throws UsageError for an untrusted link, or one that leads out of `within`. */
export async function withoutLinks(
  disk: Disk,
  path: string,
  use: Use = 'write',
  within?: string,
): Promise<string> {
  const steps = followLinks(path, { user: disk.user(), within });
  let step = steps.next();
  while (!step.done) step = steps.next(await lookAt(disk, step.value));
  const { real, untrusted, leaving } = step.value;
  if (leaving !== undefined)
    throw refusal(path, `${leaving} is a symbolic link that leads out of ${within}`, use);
  if (untrusted) {
    const { at, uid } = untrusted;
    throw refusal(path, `${at} is a symbolic link to another user's file, created by user ${uid}`, use);
  }
  return real;
}

async function lookAt(disk: Disk, path: string): Promise<LinkEntry | undefined> {
  const stat = await ifPresent(disk.lstat(path));
  return stat && { uid: stat.uid, to: stat.isSymbolicLink() ? await disk.readlink(path) : undefined };
}

export async function makeRealDirectories(disk: Disk, path: string, mode?: number): Promise<string> {
  const absolute = resolve(path);
  const real = disk.user() === undefined ? absolute : await withoutLinks(disk, absolute);
  await makeDirectories(disk, real, mode);
  return realPath(disk, absolute);
}

/**
 * Opens the regular file at a real path, if any, to read and write. Throws UsageError if it was moved or
 * replaced, or if qrctl runs as root and another user may have planted it.
 */
export async function openTrusted(disk: Disk, path: string): Promise<DiskFile | undefined> {
  const file = await ifPresent(disk.open(path, 'r+'));
  return (
    file &&
    checked(file, async () => {
      const stat = await file.stat();
      if (!stat.isFile()) throw notRegular(path);
      await expectAtPath(disk, file, path);
      await checkOwner(disk, stat, path);
    })
  );
}

export async function withTrusted<T>(
  disk: Disk,
  path: string,
  work: (file: DiskFile) => Promise<T>,
): Promise<T | undefined> {
  const file = await openTrusted(disk, path);
  return file && closing(file, work);
}

const KIND = 0o17_0000;
const FIFO = 0o1_0000;

/** D14: refuses a FIFO whose owner could read the output (`protected_fifos`). */
export async function checkFifo(disk: Disk, path: string): Promise<void> {
  const found = await ifPresent(disk.lstat(path));
  const user = disk.user();
  if (!found || user === undefined || (found.mode & KIND) !== FIFO) return;
  const directory = await disk.lstat(dirname(path));
  if ([ROOT, user, directory.uid].includes(found.uid)) return;
  throw refusal(path, `it is a named pipe of user ${found.uid}`);
}

export async function createTrusted(disk: Disk, path: string): Promise<DiskFile> {
  return checked(await disk.open(path, 'wx+'), (file) => expectAtPath(disk, file, path));
}

/** D14: throws UsageError unless `path` still leads to the open file. */
export async function expectAtPath(
  disk: Disk,
  file: Pick<DiskFile, 'stat' | 'currentPath'>,
  path: string,
  use: Use = 'write',
): Promise<void> {
  const [opened, found, currentPath] = await Promise.all([
    file.stat(),
    ifPresent(disk.lstat(path)),
    file.currentPath(),
  ]);
  if (isSameFile(opened, found) && (currentPath ?? path) === path) return;
  throw refusal(path, 'it or a directory in its path was moved or replaced in the meantime', use);
}

export function isSameFile(one: DiskStat, other: DiskStat | undefined): boolean {
  return other !== undefined && one.ino === other.ino && one.dev === other.dev;
}

/** D14: in a shared directory, root trusts only files of root or the directory's owner with one hard link. */
async function checkOwner(disk: Disk, { uid, nlink }: DiskStat, path: string): Promise<void> {
  if (disk.user() !== ROOT) return;
  const directory = await disk.lstat(dirname(path));
  if (directory.uid === ROOT && (directory.mode & OTHERS_WRITE) === 0) return;
  const isForeign = ![ROOT, directory.uid].includes(uid);
  if (!isForeign && nlink <= 1) return;
  const fault = isForeign ? `belongs to user ${uid}` : 'has more than one hard link';
  throw refusal(path, `it ${fault}, and its directory is writable by users other than root`);
}

function refusal(path: string, reason: string, use: Use = 'write'): UsageError {
  return new UsageError(`cannot ${use} ${path}: ${reason}`, { hint: HINTS[use] });
}

const HINTS: Readonly<Record<Use, string>> = {
  read: 'Pass the path of the file itself, without links that another user can change.',
  write:
    'Run the command as the user who owns the files. Otherwise, specify a directory that no other user can write to.',
};

/** Runs `work` with an open directory, because its path may be replaced meanwhile (TOCTOU). */
export async function inDirectory<T>(
  disk: Disk,
  path: string,
  work: (directory: DiskDirectory) => Promise<T>,
): Promise<T> {
  return closing(await disk.openDirectory(path), async (directory) => {
    await expectAtPath(disk, directory, path);
    return work(directory);
  });
}

/** D16: removes a file, if any, relative to its open directory. */
export async function removeFile(disk: Disk, path: string): Promise<void> {
  await inDirectory(disk, dirname(path), ({ at }) => ifPresent(disk.unlink(at(basename(path)))));
}

export async function readBack(disk: Disk, path: string, mostBytes: number): Promise<Buffer> {
  const real = await realPath(disk, path);
  return inDirectory(disk, dirname(real), ({ at }) => disk.readFile(at(basename(real)), mostBytes));
}
