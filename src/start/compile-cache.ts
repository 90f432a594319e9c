/**
 * Keeps what V8 compiled of the bundles of dist/ for the next start. It wins a third of `qr list`: 89 ms of processor time in place
 * of 127 (Node 20), of which node alone takes 30. Node's own `module.enableCompileCache` won nothing there, as it keeps what is
 * compiled when a file is loaded and not what the command then calls (Node 24: 131 ms, this 93); it looks at neither owner nor mode.
 *
 * V8 believes such data: damaged, or made by another release of node, it crashes or computes something else. So nothing reaches V8
 * but what this file can vouch for, by construction:
 *
 * - It is never shipped. It was made on this machine, from a bundle whose every byte is kept beside it and compared, by a node of
 *   exactly this version, architecture, platform and flags.
 * - It lies in the user's own cache directory, and file and directory are this user's own and closed to everyone else. Where that
 *   cannot be known (Windows, another user's HOME, set-uid) there is no cache.
 * - It is whole: a checksum over all of the file is looked at before anything else of it.
 * - It is never needed. Whatever is wrong, the bundle is compiled as if there were none, and nothing is said.
 *
 * A checksum by `zlib` is enough against damage, and costs a quarter of what `node:crypto` costs to load. Who could forge it could
 * as well change the user's shell profile.
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

/** What V8 compiled of one bundle. */
export interface Compiled {
  code: Buffer;
  /** The commands that have run with it: functions that none of them called are not in it. */
  commands: readonly string[];
}

export interface CompileCache {
  /** What was compiled of this bundle, or undefined: none, damaged, of another source, or not certainly ours. */
  read(bundle: string, source: Buffer): Compiled | undefined;
  /** Replaces what is kept of this bundle, and removes the oldest files when there are many. Never throws. */
  write(bundle: string, source: Buffer, compiled: Compiled): void;
}

/** Who asks: the parts of `process` that decide where a cache is, whose it is, and which node it is for. */
export interface Runtime {
  env: Record<string, string | undefined>;
  version: string;
  arch: string;
  platform: string;
  execArgv: readonly string[];
  execPath: string;
  pid: number;
  getuid?: (() => number) | undefined;
  geteuid?: (() => number) | undefined;
}

const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;
/** Bits that let anyone but the owner in, and that let them change it. */
const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;
const CHECKSUM_BYTES = 4;
/** Many times what the largest bundle needs; nothing larger is read. */
const LARGEST_FILE = 8 * 1024 * 1024;
/** Enough for three builds, or three releases of node, side by side. */
const MOST_FILES = 32;

/** Of `data` behind what has the checksum `before`. */
type Checksum = (data: Buffer, before?: number) => number;

/** The cache of this user for this node; undefined where none can be safe. Never throws. */
export function openCompileCache(runtime: Runtime): CompileCache | undefined {
  return quietly(() => {
    const owner = runtime.geteuid?.();
    if (owner === undefined || owner !== runtime.getuid?.()) return undefined;
    const directory = cacheDirectory(runtime.env, owner);
    if (directory === undefined) return undefined;
    // The earliest releases of node 22 have neither of these two.
    return createCompileCache(directory, owner, runtime, process.getBuiltinModule('node:zlib').crc32);
  });
}

function createCompileCache(directory: string, owner: number, runtime: Runtime, crc32: Checksum): CompileCache {
  const node = describeNode(runtime);

  /** Its name says what it is for. Two sources or two nodes with one name would still be told apart by what is in the file. */
  function fileOf(bundle: string, source: Buffer): string {
    const made = crc32(source, crc32(Buffer.from(node)));
    return join(directory, `${bundle}-${runtime.version}-${runtime.platform}-${runtime.arch}-${made.toString(16)}`);
  }

  return {
    read: (bundle, source) =>
      quietly(() => {
        if (!isClosed(lstatSync(directory), owner)) return undefined;
        const bytes = readOwn(fileOf(bundle, source), owner);
        const body = bytes.subarray(0, -CHECKSUM_BYTES);
        if (crc32(body) !== bytes.readUInt32LE(body.length)) return undefined;
        const from = body.indexOf('\n') + 1;
        const head: Head = JSON.parse(body.toString('latin1', 0, from));
        const to = from + source.length;
        if (head.node !== node || !body.subarray(from, to).equals(source)) return undefined;
        return { code: body.subarray(to), commands: head.commands };
      }),

    write: (bundle, source, { code, commands }) =>
      quietly(() => {
        makeClosed(directory, owner);
        const head: Head = { node, commands };
        const body = Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), source, code]);
        const checksum = Buffer.alloc(CHECKSUM_BYTES);
        checksum.writeUInt32LE(crc32(body));
        replace(fileOf(bundle, source), Buffer.concat([body, checksum]), runtime.pid);
        removeOldest(directory);
      }),
  };
}

/** The first line of a file, as JSON; the source and the code follow. */
interface Head {
  node: string;
  commands: readonly string[];
}

/** In XDG's directory for what can be made again, or its default in a home that is the user's; a relative path is no path. */
function cacheDirectory({ XDG_CACHE_HOME: named = '', HOME: home = '' }: Runtime['env'], owner: number): string | undefined {
  if (isAbsolute(named)) return join(named, 'qrctl', 'compiled');
  return isAbsolute(home) && statSync(home).uid === owner ? join(home, '.cache', 'qrctl', 'compiled') : undefined;
}

/** One node and no other: also two builds of one version, and one node with other flags. ASCII. */
function describeNode({ version, arch, platform, execPath, execArgv, env }: Runtime): string {
  const { size, mtimeMs } = statSync(execPath);
  return encodeURI(JSON.stringify([version, platform, arch, execPath, size, mtimeMs, execArgv, env.NODE_OPTIONS ?? '']));
}

/** Nothing here may fail a command, or be heard. */
function quietly<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Owned by this user, and closed to everyone else. */
function isClosed({ uid, mode }: Stats, owner: number): boolean {
  return uid === owner && (mode & OTHERS) === 0;
}

/** The bytes of a regular file of `owner`, closed to others. Throws where it is anything else, or not there. */
function readOwn(file: string, owner: number): Buffer {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || !isClosed(stats, owner) || stats.size > LARGEST_FILE) throw new Error('not ours');
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Makes the directory, below one that is the user's own: a privileged run leaves nothing in another's home. Throws elsewhere. */
function makeClosed(directory: string, owner: number): void {
  let above = directory;
  while (!existsSync(above)) above = dirname(above);
  const { uid, mode } = statSync(above);
  if (uid !== owner || (mode & OTHERS_WRITE) !== 0) throw new Error('not ours');
  mkdirSync(directory, { recursive: true, mode: DIRECTORY_MODE });
  if (!isClosed(lstatSync(directory), owner)) throw new Error('not closed');
}

/** Written beside its place and renamed over it. No flush: the checksum tells a file that a power cut tore. */
function replace(file: string, bytes: Buffer, writer: number): void {
  const staged = `${file}.${writer}`;
  try {
    writeFileSync(staged, bytes, { flag: 'wx', mode: FILE_MODE });
    renameSync(staged, file);
  } finally {
    rmSync(staged, { force: true });
  }
}

function removeOldest(directory: string): void {
  const files = readdirSync(directory).map((name) => join(directory, name));
  const aged = files.map((file) => ({ file, writtenMs: lstatSync(file).mtimeMs })).sort((a, b) => b.writtenMs - a.writtenMs);
  for (const { file } of aged.slice(MOST_FILES)) rmSync(file, { force: true });
}
