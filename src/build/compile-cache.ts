/**
 * Stores what V8 compiled of the bundles in dist/ for the next start. `qrctl qr list` takes 89 ms of processor time instead of 127 (Node 20;
 * bare Node: 30). Node's `module.enableCompileCache` gains nothing there, because it stores what was compiled when a file was loaded, not the
 * functions that the command calls (Node 24: 131 ms, here 93); it checks neither owner nor permissions.
 *
 * V8 trusts such data: if it is damaged or from another release of Node, V8 crashes or computes wrong results. Therefore:
 *
 * - The code is never shipped. It is made on this machine from a bundle that is stored with it and compared, by a Node of exactly this
 *   version, architecture, platform and flags.
 * - It is in the user's own cache directory; file and directory belong to this user and are closed to others. Where that is not certain
 *   (Windows, HOME of another user, set-uid), there is no cache.
 * - A checksum of the whole file is verified first. It protects against damage only: a user who can forge it can also change the user's
 *   shell profile. The checksum of `zlib` takes a quarter of the time to load `node:crypto`.
 * - The code is never required. After any failure, the bundle is compiled without it.
 */
import { statSync } from 'node:fs';
import { parseBounded } from '../base/text/bounded-json.ts';
import { type OwnCache, openOwnCache, quietly, type User } from '../files/durable/own-cache.ts';

export interface Compiled {
  code: Buffer;
  /** Commands that have run with it. It lacks functions that none of them called. */
  commands: readonly string[];
}

export interface CompileCache {
  /** Returns the compiled code of a bundle; undefined if it is missing, damaged, of another source, or not certainly of this user. */
  read(bundle: string, source: Buffer): Compiled | undefined;
  /** Replaces the stored code of a bundle, and removes the oldest files if there are many. Never throws. */
  write(bundle: string, source: Buffer, compiled: Compiled): void;
}

/** Properties of `process` that determine the place and owner of the cache, and the version of Node. */
export interface Runtime extends User {
  version: string;
  arch: string;
  platform: string;
  execArgv: readonly string[];
  execPath: string;
  pid: number;
}

const CHECKSUM_BYTES = 4;
/** V8 copies code that does not begin at a multiple of this. */
const CODE_ALIGNMENT = 8;
const BOUNDS = { largest: 8 * 1024 * 1024, most: 32, content: 'code' } as const;

type Checksum = (data: Buffer, before?: number) => number;

/** Returns the cache of this user for this Node; undefined if none is safe. Never throws. */
export function openCompileCache(runtime: Runtime): CompileCache | undefined {
  return quietly(() => {
    const files = openOwnCache(runtime, 'compiled', BOUNDS);
    // The earliest releases of node 22 have neither of these two.
    return createCompileCache(files, runtime, process.getBuiltinModule('node:zlib').crc32);
  });
}

function createCompileCache(files: OwnCache, runtime: Runtime, crc32: Checksum): CompileCache {
  const node = describeNode(runtime);

  /** Equal names of two sources are distinguished by the content of the file. */
  function nameOf(bundle: string, source: Buffer): string {
    const made = crc32(source, crc32(Buffer.from(node)));
    return `${bundle}-${runtime.version}-${runtime.platform}-${runtime.arch}-${made.toString(16)}`;
  }

  return {
    read: (bundle, source) =>
      quietly(() => {
        const bytes = files.read(nameOf(bundle, source));
        const body = bytes.subarray(0, -CHECKSUM_BYTES);
        if (crc32(body) !== bytes.readUInt32LE(body.length)) return undefined;
        const from = body.indexOf('\n') + 1;
        const head = parseBounded(body.toString('latin1', 0, from)) as Head;
        const to = from + source.length;
        if (head.node !== node || !body.subarray(from, to).equals(source)) return undefined;
        return { code: body.subarray(to), commands: head.commands };
      }),

    write: (bundle, source, { code, commands }) =>
      quietly(() => {
        const head: Head = { node, commands };
        const body = Buffer.concat([Buffer.from(formatHead(head, source)), source, code]);
        const checksum = Buffer.alloc(CHECKSUM_BYTES);
        checksum.writeUInt32LE(crc32(body));
        files.replace(nameOf(bundle, source), Buffer.concat([body, checksum]));
      }),
  };
}

/** The first line of a file, as JSON; the source and the code follow. */
interface Head {
  node: string;
  commands: readonly string[];
}

/** Formats the line, with spaces at its end that align the code. */
function formatHead(head: Head, source: Buffer): string {
  const line = JSON.stringify(head);
  const before = line.length + 1 + source.length;
  return `${line}${' '.repeat(-before & (CODE_ALIGNMENT - 1))}\n`;
}

/** Returns a text (ASCII) that differs for each build and for different flags of Node. */
function describeNode({ version, arch, platform, execPath, execArgv, env }: Runtime): string {
  const { size, mtimeMs } = statSync(execPath);
  return encodeURI(
    JSON.stringify([version, platform, arch, execPath, size, mtimeMs, execArgv, env.NODE_OPTIONS ?? '']),
  );
}
