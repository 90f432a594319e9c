/**
 * Files in a directory where somebody else may change the names while we work: D14. A run with more rights than they have (root's cron
 * job in a user's directory) must not be led to a file that they could not write themselves.
 */
import { basename, dirname, join, parse, resolve, sep } from 'node:path';
import { UsageError } from '../errors.ts';
import { type Disk, type DiskFile, type DiskStat, ifPresent } from './disk.ts';
import { makeDirectories } from './write.ts';

const ROOT = 0;
/** Bits that let others than the owner change the names in a directory. */
const OTHERS_WRITE = 0o022;

/** As many links as Linux follows. */
const MOST_LINKS = 40;

/**
 * The real path of a file that need not exist, all links followed. Throws the system's error, and UsageError at a link that somebody made
 * to what is not theirs (as Linux does under `protected_symlinks`, there only in /tmp).
 */
export async function realPath(disk: Disk, path: string): Promise<string> {
  const absolute = resolve(path);
  // Windows, where users have no numbers.
  if (disk.user() === undefined) {
    return (await ifPresent(disk.realpath(absolute))) ?? join(await disk.realpath(dirname(absolute)), basename(absolute));
  }
  const real = await followLinks(disk, absolute, MOST_LINKS);
  await disk.lstat(dirname(real));
  return real;
}

/**
 * One name after the other: the system's own `realpath` could follow a link that was put there after it was looked for. A link that leads
 * nowhere stays in the path, and is refused by whoever opens it.
 */
async function followLinks(disk: Disk, path: string, most: number): Promise<string> {
  if (most === 0) throw Object.assign(new Error(`too many links on the way to ${path}`), { code: 'ELOOP' });
  const { root } = parse(path);
  let real = root;
  for (const name of path.slice(root.length).split(sep)) {
    const at = join(real, name);
    const link = await ifPresent(disk.lstat(at));
    real = at;
    if (!link?.isSymbolicLink()) continue;
    const end = await followLinks(disk, resolve(dirname(at), await disk.readlink(at)), most - 1);
    const target = await ifPresent(disk.lstat(end));
    if (!target) continue;
    // D14: a link of root's or our own is trusted, and anybody may link to what is theirs.
    if (![ROOT, disk.user(), target.uid].includes(link.uid)) {
      throw refusal(path, `${at} is a symbolic link that user ${link.uid} created to a target of another user`);
    }
    real = end;
  }
  return real;
}

/**
 * Makes a directory and those above it, for good, and gives its real path. D14: nothing is made behind a link that is not followed.
 * Throws the system's error, and UsageError as `realPath`.
 */
export async function makeRealDirectories(disk: Disk, path: string): Promise<string> {
  const absolute = resolve(path);
  await makeDirectories(disk, disk.user() === undefined ? absolute : await followLinks(disk, absolute, MOST_LINKS));
  return realPath(disk, absolute);
}

/**
 * Opens the regular file that stands at a real path for reading and writing, or gives undefined where there is none. What was opened is
 * then looked at, not what the name leads to. Throws the system's error, and UsageError where it is another file than the path says, or
 * one that somebody may have put there for a run with more rights than theirs.
 */
export async function openTrusted(disk: Disk, path: string): Promise<DiskFile | undefined> {
  const file = await ifPresent(disk.open(path, 'r+'));
  if (!file) return undefined;
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw Object.assign(new Error(`${path} is not a regular file`), { code: 'ENOTSUP' });
    await checkPlace(disk, file, path);
    await checkOwner(disk, stat, path);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Creates the regular file at a real path, where nothing may be. Throws the system's error, and UsageError as `checkPlace`. */
export async function createTrusted(disk: Disk, path: string): Promise<DiskFile> {
  const file = await disk.open(path, 'wx+');
  try {
    await checkPlace(disk, file, path);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** D14: throws UsageError unless the open file, or directory, is the one that its real path leads to, also by the directories on the way. */
export async function checkPlace(disk: Disk, file: Pick<DiskFile, 'stat' | 'place'>, path: string): Promise<void> {
  const [here, there, place] = await Promise.all([file.stat(), ifPresent(disk.lstat(path)), file.place()]);
  if (isSameFile(here, there) && (place ?? path) === path) return;
  throw refusal(path, 'it, or a directory in its path, was moved or replaced in the meantime');
}

/** Whether two descriptions are of one file, whatever it is called. */
export function isSameFile(one: DiskStat, other: DiskStat | undefined): boolean {
  return other !== undefined && one.ino === other.ino && one.dev === other.dev;
}

/** D14: root takes a file for its own or for that of the directory's owner only where nobody else can have given it that name. */
async function checkOwner(disk: Disk, { uid, nlink }: DiskStat, path: string): Promise<void> {
  if (disk.user() !== ROOT) return;
  const directory = await disk.lstat(dirname(path));
  if (directory.uid === ROOT && (directory.mode & OTHERS_WRITE) === 0) return;
  if (![ROOT, directory.uid].includes(uid))
    throw refusal(path, `it belongs to user ${uid}, and its directory is writable by users other than root`);
  if (nlink > 1) throw refusal(path, 'it has more than one hard link, and its directory is writable by users other than root');
}

function refusal(path: string, reason: string): UsageError {
  return new UsageError(`cannot write ${path}: ${reason}`, {
    hint: 'Run this as the user who owns the files, or specify a directory that no other user can write to.',
  });
}
