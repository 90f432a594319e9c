/**
 * Files in the user's own cache directory, which can be made again and are never needed: owned by this user, closed to everyone else, and
 * looked at before they are believed. Where that cannot be known (Windows, another user's HOME, set-uid) there is no cache.
 */
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';

/** Who asks: the parts of `process` that decide where a cache is, and whose it is. */
export interface User {
  env: Readonly<Record<string, string | undefined>>;
  getuid?: (() => number) | undefined;
  geteuid?: (() => number) | undefined;
}

const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;
/** Bits that let anyone but the owner in, and that let them change it. */
const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;

/** The user whose cache it may be; undefined where none can be safe. */
export function ownerOf({ getuid, geteuid }: User): number | undefined {
  const owner = geteuid?.();
  return owner === getuid?.() ? owner : undefined;
}

/** In XDG's directory for what can be made again, or its default in a home that is the user's; a relative path is no path. */
export function cacheDirectory(env: User['env'], owner: number, name: string): string | undefined {
  const { XDG_CACHE_HOME: named = '', HOME: home = '' } = env;
  if (isAbsolute(named)) return join(named, 'qrctl', name);
  return isAbsolute(home) && statSync(home).uid === owner ? join(home, '.cache', 'qrctl', name) : undefined;
}

/** Nothing about a cache may fail a command, or be heard. */
export function quietly<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Owned by this user, and closed to everyone else. */
export function isClosed({ uid, mode }: Stats, owner: number): boolean {
  return uid === owner && (mode & OTHERS) === 0;
}

/** The bytes of a regular file of `owner`, closed to others, of at most `largest` bytes. Throws where it is anything else, or not there. */
export function readOwn(file: string, owner: number, largest: number): Buffer {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || !isClosed(stats, owner) || stats.size > largest) throw new Error('not ours');
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Makes the directory, below one that is the user's own: a privileged run leaves nothing in another's home. Throws elsewhere. */
export function makeClosed(directory: string, owner: number): void {
  let above = directory;
  while (!existsSync(above)) above = dirname(above);
  const { uid, mode } = statSync(above);
  if (uid !== owner || (mode & OTHERS_WRITE) !== 0) throw new Error('not ours');
  mkdirSync(directory, { recursive: true, mode: DIRECTORY_MODE });
  if (!isClosed(lstatSync(directory), owner)) throw new Error('not closed');
}

/** Written beside its place and renamed over it. No flush: whoever reads it can tell a file that a power cut tore. */
export function replaceOwn(file: string, bytes: Uint8Array, writer: number): void {
  const staged = `${file}.${writer}`;
  try {
    writeFileSync(staged, bytes, { flag: 'wx', mode: FILE_MODE });
    renameSync(staged, file);
  } finally {
    rmSync(staged, { force: true });
  }
}

/** Keeps so many files, those written last. */
export function removeOldest(directory: string, most: number): void {
  const files = readdirSync(directory).map((name) => join(directory, name));
  const aged = files.map((file) => ({ file, writtenMs: lstatSync(file).mtimeMs })).sort((a, b) => b.writtenMs - a.writtenMs);
  for (const { file } of aged.slice(most)) rmSync(file, { force: true });
}
