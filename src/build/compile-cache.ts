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
import { statSync } from 'node:fs';
import { parseBounded } from '../base/text/bounded-json.ts';
import { type OwnCache, openOwnCache, quietly, type User } from '../files/durable/own-cache.ts';

/** Compiled code of one bundle. */
export interface Compiled {
  code: Buffer;
  /** The commands that have run with it: functions that none of them called are not in it. */
  commands: readonly string[];
}

export interface CompileCache {
  /** Returns the compiled code of this bundle, or undefined: missing, damaged, of another source, or not certainly of this user. */
  read(bundle: string, source: Buffer): Compiled | undefined;
  /** Replaces the stored code of this bundle, and removes the oldest files if there are many. Never throws. */
  write(bundle: string, source: Buffer, compiled: Compiled): void;
}

/** The parts of `process` that determine where a cache is, which user owns it, and the version of node. */
export interface Runtime extends User {
  version: string;
  arch: string;
  platform: string;
  execArgv: readonly string[];
  execPath: string;
  pid: number;
}

const CHECKSUM_BYTES = 4;
/** V8 uses code in place only if it begins at a multiple of this, and copies it otherwise. */
const CODE_ALIGNMENT = 8;
/** Many times the size for the largest bundle; and enough files for three builds, or three releases of node, at the same time. */
const BOUNDS = { largest: 8 * 1024 * 1024, most: 32, content: 'code' } as const;

/** Checksum of `data`, continuing from `before`. */
type Checksum = (data: Buffer, before?: number) => number;

/** Returns the cache of this user for this node; undefined if none can be safe. Never throws. */
export function openCompileCache(runtime: Runtime): CompileCache | undefined {
  return quietly(() => {
    const files = openOwnCache(runtime, 'compiled', BOUNDS);
    // The earliest releases of node 22 have neither of these two.
    return createCompileCache(files, runtime, process.getBuiltinModule('node:zlib').crc32);
  });
}

function createCompileCache(files: OwnCache, runtime: Runtime, crc32: Checksum): CompileCache {
  const node = describeNode(runtime);

  /** The name identifies the content. Two sources or two nodes with one name would still be distinguished by the content of the file. */
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

/** The line, with spaces at its end that let the code begin where V8 wants it. */
function formatHead(head: Head, source: Buffer): string {
  const line = JSON.stringify(head);
  const before = line.length + 1 + source.length;
  return `${line}${' '.repeat(-before & (CODE_ALIGNMENT - 1))}\n`;
}

/** One node and no other: also two builds of one version, and one node with other flags. ASCII. */
function describeNode({ version, arch, platform, execPath, execArgv, env }: Runtime): string {
  const { size, mtimeMs } = statSync(execPath);
  return encodeURI(
    JSON.stringify([version, platform, arch, execPath, size, mtimeMs, execArgv, env.NODE_OPTIONS ?? '']),
  );
}
