/**
 * Stores compiled code for the next start of a command, including lazily compiled functions, which Node's
 * `module.enableCompileCache` omits. Damaged code, or code from another build, can make V8 crash or compute
 * wrong results. So a file is used only if its path, owner, permissions, Node build and checksums match.
 */

import { statSync } from 'node:fs';
import { orUndefined } from '#base/errors';
import { parseBounded } from '#base/text/bounded-json';
import { openOwnCache, type User } from '#files/durable/own-cache';

export interface Compiled {
  name: string;
  source: Buffer;
  code: Buffer;
}

export type CompileCache = ReturnType<typeof openCompileCache>;

export interface Runtime extends User, Pick<NodeJS.Process, 'version' | 'execArgv' | 'execPath' | 'pid'> {
  arch: string;
  platform: string;
}

const CHECKSUM_BYTES = 4;
/** Alignment of stored code in bytes. V8 copies unaligned code. */
const CODE_ALIGNMENT = 8;
const BOUNDS = { largest: 8 * 1024 * 1024, most: 48, content: 'code' } as const;

interface Head {
  node: string;
  /** Chunks, each with a checksum of the source and a number of bytes of code. */
  chunks: readonly (readonly [name: string, source: number, code: number])[];
}

/** Opens a command's cache. Returns undefined on failure, for example if no cache directory is safe. */
export function openCompileCache(runtime: Runtime, directory: string, command: string) {
  return orUndefined(() => {
    const files = openOwnCache(runtime, 'compiled', BOUNDS);
    const { crc32 } = process.getBuiltinModule('node:zlib');
    const node = describeNode(runtime, directory);
    const file = `${command}-${runtime.version}-${runtime.platform}-${runtime.arch}-${crc32(node).toString(16)}`;
    return {
      stored: orUndefined(() => parseCompiled(files.read(file), node, crc32)) ?? [],
      /** Stores the code, and removes the oldest files if there are too many. Never throws. */
      write: (chunks: readonly Compiled[]) =>
        orUndefined(() => files.replace(file, formatCompiled(chunks, node, crc32))),
    };
  });
}

type Checksum = (data: Buffer) => number;

function parseCompiled(bytes: Buffer, node: string, crc32: Checksum) {
  const body = bytes.subarray(0, -CHECKSUM_BYTES);
  if (crc32(body) !== bytes.readUInt32LE(body.length)) return [];
  let at = body.indexOf('\n') + 1;
  const head = parseBounded(body.toString('latin1', 0, at)) as Head;
  if (head.node !== node) return [];
  const take = (length: number) => {
    const from = align(at);
    at = from + length;
    return body.subarray(from, at);
  };
  return head.chunks.map(([name, checksum, code]) => ({
    name,
    code: take(code),
    isMadeFrom: (source: Buffer) => crc32(source) === checksum,
  }));
}

function formatCompiled(compiled: readonly Compiled[], node: string, crc32: Checksum): Buffer {
  const chunks = compiled.map(({ name, source, code }) => [name, crc32(source), code.length] as const);
  const parts: Buffer[] = [Buffer.from(`${JSON.stringify({ node, chunks } satisfies Head)}\n`)];
  let at = parts[0]?.length ?? 0;
  for (const { code } of compiled) {
    parts.push(Buffer.alloc(align(at) - at), code);
    at = align(at) + code.length;
  }
  const body = Buffer.concat(parts);
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  checksum.writeUInt32LE(crc32(body));
  return Buffer.concat([body, checksum]);
}

function align(at: number): number {
  return Math.ceil(at / CODE_ALIGNMENT) * CODE_ALIGNMENT;
}

function describeNode(
  { version, arch, platform, execPath, execArgv, env }: Runtime,
  directory: string,
): string {
  const { size, mtimeMs } = statSync(execPath);
  return encodeURI(
    JSON.stringify([
      version,
      platform,
      arch,
      execPath,
      size,
      mtimeMs,
      execArgv,
      env.NODE_OPTIONS ?? '',
      directory,
    ]),
  );
}
