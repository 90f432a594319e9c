/**
 * Reads and writes files in the user's cache directory, which can be re-created and are never required. They belong to this user, are private to them
 * (0600), and are checked before they are used. If this can't be ensured (another user's HOME, set-uid), there is no cache. On Windows, which has no
 * numeric user IDs, the cache is for data only, in a directory that the system makes private.
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

/** The parts of `process` that determine where a cache is, and which user owns it. */
export interface User {
  env: Readonly<Record<string, string | undefined>>;
  getuid?: (() => number) | undefined;
  geteuid?: (() => number) | undefined;
}

const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;
/** Permission bits with which users other than the owner have access, and write access. */
const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;

/** Cache directory. Its functions throw if a check fails; callers use `quietly`. */
export interface OwnCache {
  /** Returns the bytes of a file; throws if it is missing, or could belong to another user. */
  read(name: string): Buffer;
  /** Writes a temporary file and renames it, and keeps the most recent files. No flush: a reader detects a file that a power cut truncated. */
  replace(name: string, bytes: Uint8Array): void;
  /** Removes a file if there is one. */
  remove(name: string): void;
}

/** Largest size of a file in bytes, number of files that are kept, and whether they are executed. */
export interface CacheBounds {
  largest: number;
  most: number;
  content: 'code' | 'data';
}

/** Opens the directory `name` of this user's cache. Throws if it can't be private. */
export function openOwnCache(
  user: User & { pid: number },
  name: string,
  { largest, most, content }: CacheBounds,
): OwnCache {
  const owner = ownerOf(user, content);
  const directory = directoryOf(user.env, owner, name);
  return {
    read(file) {
      if (!isPrivate(lstatSync(directory), owner)) throw new Error('not private');
      return readOwn(join(directory, file), owner, largest);
    },
    replace(file, bytes) {
      makePrivate(directory, owner);
      const staged = join(directory, `${file}.${user.pid}`);
      try {
        writeFileSync(staged, bytes, { flag: 'wx', mode: FILE_MODE });
        renameSync(staged, join(directory, file));
      } finally {
        rmSync(staged, { force: true });
      }
      removeOldest(directory, most);
    },
    remove: (file) => rmSync(join(directory, file), { force: true }),
  };
}

/** Runs `work` and ignores its errors, because a cache must never fail a command, or print a message. */
export function quietly<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Returns the user who may own the cache; undefined on Windows. Throws for a set-uid program, whose two user IDs differ. */
function ownerOf({ getuid, geteuid }: User, content: CacheBounds['content']): number | undefined {
  const owner = geteuid?.();
  if (owner !== getuid?.() || (owner === undefined && content === 'code'))
    throw new Error('the owner is unknown');
  return owner;
}

/** Returns XDG's directory for caches, or its default in a home that is the user's; a relative path is ignored, as XDG requires. */
function directoryOf(env: User['env'], owner: number | undefined, name: string): string {
  const { XDG_CACHE_HOME: named = '', HOME: home = '', LOCALAPPDATA: local = '' } = env;
  if (isAbsolute(named)) return join(named, 'qrctl', name);
  if (owner === undefined && isAbsolute(local)) return join(local, 'qrctl', 'Cache', name);
  if (!isAbsolute(home) || statSync(home).uid !== owner) throw new Error('no home of this user');
  return join(home, '.cache', 'qrctl', name);
}

/** Returns whether a file belongs to this user, and no other user has access. */
function isPrivate({ uid, mode }: Stats, owner: number | undefined): boolean {
  return owner === undefined || (uid === owner && (mode & OTHERS) === 0);
}

/**
 * Returns the bytes of a regular file that is private to `owner`, of at most `largest` bytes. Throws if it is missing, or not such a file.
 */
function readOwn(file: string, owner: number | undefined, largest: number): Buffer {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || !isPrivate(stats, owner) || stats.size > largest) throw new Error('not ours');
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Creates the private directory below one that belongs to the user. Throws if it would be in the home of another user (sudo). */
function makePrivate(directory: string, owner: number | undefined): void {
  if (!isBelowOwn(directory, owner)) throw new Error('not ours');
  // Creates them one by one: node's `recursive` loops endlessly if the system returns ENOENT although the parent exists (/proc,
  // automounts).
  for (const level of missingLevels(directory)) mkdirSync(level, { mode: DIRECTORY_MODE });
  if (!isPrivate(lstatSync(directory), owner)) throw new Error('not private');
}

/** Returns whether a directory, or its first existing parent, belongs to the user, and no other user can write to it. */
function isBelowOwn(directory: string, owner: number | undefined): boolean {
  if (owner === undefined) return true;
  const [highest] = missingLevels(directory);
  const { uid, mode } = statSync(highest === undefined ? directory : dirname(highest));
  return uid === owner && (mode & OTHERS_WRITE) === 0;
}

/** Returns the missing directories of a path, topmost first. */
function missingLevels(directory: string): string[] {
  const missing: string[] = [];
  for (let level = directory; !existsSync(level) && level !== dirname(level); level = dirname(level))
    missing.unshift(level);
  return missing;
}

/** Keeps the `most` files of a directory that were written last. */
function removeOldest(directory: string, most: number): void {
  const files = readdirSync(directory).map((name) => join(directory, name));
  const aged = files
    .map((file) => ({ file, writtenMs: lstatSync(file).mtimeMs }))
    .sort((a, b) => b.writtenMs - a.writtenMs);
  for (const { file } of aged.slice(most)) rmSync(file, { force: true });
}
