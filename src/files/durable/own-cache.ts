/** Manages caches per user. Every command works without a cache. */
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

export type User = Pick<NodeJS.Process, 'env' | 'getuid' | 'geteuid'>;

const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;
const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;

/** Limits: `largest` in bytes, `most` in files. If `content` is `code`, the owner must be known. */
interface CacheBounds {
  largest: number;
  most: number;
  content: 'code' | 'data';
}

export function openOwnCache(
  user: User & { pid: number },
  name: string,
  { largest, most, content }: CacheBounds,
) {
  const owner = ownerOf(user, content);
  const directory = directoryOf(user.env, owner, name);
  return {
    read(file: string): Buffer {
      if (!isPrivate(lstatSync(directory), owner)) throw new Error('not private');
      return readOwn(join(directory, file), owner, largest);
    },
    /** Replaces a file without a flush: readers detect truncation. Removes the oldest files beyond `most`. */
    replace(file: string, bytes: Uint8Array): void {
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
    remove: (file: string) => rmSync(join(directory, file), { force: true }),
  };
}

function ownerOf({ getuid, geteuid }: User, content: CacheBounds['content']): number | undefined {
  const owner = geteuid?.();
  if (owner !== getuid?.() || (owner === undefined && content === 'code'))
    throw new Error('the owner is unknown');
  return owner;
}

function directoryOf(env: User['env'], owner: number | undefined, name: string): string {
  const { XDG_CACHE_HOME: named = '', HOME: home = '', LOCALAPPDATA: local = '' } = env;
  if (isAbsolute(named)) return join(named, 'qrctl', name);
  if (owner === undefined && isAbsolute(local)) return join(local, 'qrctl', 'Cache', name);
  if (!isAbsolute(home) || statSync(home).uid !== owner) throw new Error('no home of this user');
  return join(home, '.cache', 'qrctl', name);
}

function isPrivate({ uid, mode }: Stats, owner: number | undefined): boolean {
  return owner === undefined || (uid === owner && (mode & OTHERS) === 0);
}

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

function makePrivate(directory: string, owner: number | undefined): void {
  const missing = missingLevels(directory);
  const [highest] = missing;
  const { uid, mode } = statSync(highest === undefined ? directory : dirname(highest));
  if (owner !== undefined && (uid !== owner || (mode & OTHERS_WRITE) !== 0)) throw new Error('not ours');
  for (const level of missing) mkdirSync(level, { mode: DIRECTORY_MODE });
  if (!isPrivate(lstatSync(directory), owner)) throw new Error('not private');
}

function missingLevels(directory: string): string[] {
  const missing: string[] = [];
  for (let level = directory; !existsSync(level) && level !== dirname(level); level = dirname(level))
    missing.unshift(level);
  return missing;
}

function removeOldest(directory: string, most: number): void {
  const files = readdirSync(directory).map((name) => join(directory, name));
  const aged = files
    .map((file) => ({ file, writtenMs: lstatSync(file).mtimeMs }))
    .sort((a, b) => b.writtenMs - a.writtenMs);
  for (const { file } of aged.slice(most)) rmSync(file, { force: true });
}
