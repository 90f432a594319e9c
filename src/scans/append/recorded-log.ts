import { open } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { systemCode, UsageError } from '#base/errors';
import { countOf } from '#base/text/quote';
import { closing, type Disk, type DiskStat, ifPresent } from '#files/durable/disk';
import type { Lock } from '#files/durable/lock';
import { nodeDisk } from '#files/durable/node-disk';
import { RecordProblem } from '#files/durable/record-file';
import { realPath, removeFile } from '#files/durable/trusted-file';
import { hasState } from '#files/formats/kept-file';
import { readInputBytes } from '#files/formats/read/input-bytes';
import { type AppendPaths, lossOf } from './current-state.ts';
import { beginsAs } from './file-hash.ts';
import { foreignReason } from './log-range.ts';
import { isRotated } from './overlap.ts';
import { type AppendState, hasStamp, parseState } from './state.ts';

export type LogPlace = { file: string } | { directory: string };

export function placeOf(keptBy: LogPlace): string {
  return 'file' in keptBy ? keptBy.file : keptBy.directory;
}

/** Returns a log's paths. Throws UsageError unless `path` is a regular or new file. */
export async function resolvePaths(disk: Disk, path: string): Promise<AppendPaths> {
  const file = await realPath(disk, path);
  const found = await ifPresent(disk.lstat(file));
  if (found && !found.isFile()) throw new UsageError(`cannot append to ${path}: it is not a regular file`);
  return { file, state: `${file}.state.json`, restart: join(dirname(file), `.${basename(file)}.restart`) };
}

/** D14: locks the file or directory that a path leads to. Retries if the target changes meanwhile. */
export async function lockRealPath(
  disk: Disk,
  path: string,
  take: (real: string) => Promise<Lock>,
): Promise<{ real: string; lock: Lock }> {
  for (;;) {
    const real = await realPath(disk, path);
    const lock = await take(real);
    if ((await realPath(disk, path).catch(() => undefined)) === real) return { real, lock };
    await lock.release();
  }
}

/** Reads a log's state without a lock; undefined if it is missing or damaged. */
export async function readLogState(file: string, disk: Disk = nodeDisk): Promise<AppendState | undefined> {
  const state = await readRecorded(file, disk);
  return typeof state === 'string' ? undefined : state;
}

/** Returns, if known, when a log begins (-Infinity: first scan) and how many codes are unread. */
export async function readExtent(file: string, disk: Disk = nodeDisk) {
  const saved = await readLogState(file, disk);
  if (!saved) return {};
  const there = await statOf(file, disk);
  const isKnown = there && there.size >= saved.bytes && !isRotated(saved.overlaps);
  return { beginsMs: isKnown ? (saved.sinceMs ?? -Infinity) : undefined, unread: countUnread(saved) };
}

export function countUnread({ identity, overlaps }: Pick<AppendState, 'identity' | 'overlaps'>): number {
  const isUnread = (id: string) => {
    const { readUntilMs, isGone = false } = overlaps.get(id) ?? {};
    return readUntilMs === undefined && !isGone;
  };
  return identity.codes.filter(isUnread).length;
}

export function describeUnread(codes: number): string {
  return `the first export of ${countOf(codes, 'code')} is not complete; run it again`;
}

export type LogState = Pick<AppendState, 'workspace' | 'identity' | 'sinceMs' | 'rotated' | 'overlaps'>;

export function codesOfLogs(
  logs: readonly { state?: Pick<LogState, 'identity' | 'overlaps'> }[],
): Set<string> {
  return new Set(
    logs.flatMap(({ state }) => (state ? [...state.identity.codes, ...state.overlaps.keys()] : [])),
  );
}

/** Returns the path of a log's state file, if it exists and begins like a state. */
export async function findState(file: string, disk: Disk = nodeDisk): Promise<string | undefined> {
  try {
    const paths = await resolvePaths(disk, file);
    return (await hasState(disk, paths.file)) ? paths.state : undefined;
  } catch (error) {
    if (error instanceof UsageError || systemCode(error) !== undefined) return undefined;
    throw error;
  }
}

export async function removeState(file: string, disk: Disk = nodeDisk): Promise<void> {
  const state = await findState(file, disk);
  if (state === undefined) return;
  // A32: removes the state before the log is replaced, because a run can rebuild a missing state.
  await removeFile(disk, state);
  await disk.flushDirectory(dirname(state));
}

async function readRecorded(file: string, disk: Disk = nodeDisk): Promise<AppendState | string | undefined> {
  const state = await findState(file, disk);
  if (state === undefined) return undefined;
  try {
    return parseState(await disk.readFile(state));
  } catch (error) {
    if (error instanceof RecordProblem) return `its state file ${error.message}`;
    throw error;
  }
}

/** Returns whether rows may be in rotated or missing files; undefined without a state. */
export async function wasRotated(file: string): Promise<boolean | undefined> {
  const state = await readRecorded(file);
  if (state === undefined) return undefined;
  if (typeof state === 'string') return true;
  return isRotated(state.overlaps) || ((await statOf(file))?.size ?? 0) < state.bytes;
}

/** Describes a damaged state, rows that a log's files (oldest first) lack, or an unrelated file, if any. */
export async function lossOfLog(
  file: string,
  paths: readonly string[],
  signal?: AbortSignal,
): Promise<string | undefined> {
  const state = await readRecorded(file);
  if (state === undefined || typeof state === 'string') return state;
  const stat = await statOf(file);
  const isUntouched = stat && state.stamp && stat.size === state.bytes && hasStamp(stat, state.stamp);
  let hasRows = state.bytes === 0 || isUntouched;
  for (const path of [...paths].reverse()) hasRows ||= await beginsAs(state, readInputBytes(path), signal);
  if (!hasRows) return lossOf(stat?.size, state.bytes);
  const foreign = await findForeign(file, paths, state);
  return foreign && foreignReason(basename(foreign), 'it');
}

async function findForeign(
  file: string,
  paths: readonly string[],
  state: AppendState,
): Promise<string | undefined> {
  const sizes = new Set([state.bytes, ...state.rotated.map(({ bytes }) => bytes)]);
  if (state.rotated.some(({ bytes }) => bytes === 0)) return undefined;
  for (const path of paths)
    if (resolve(path) !== resolve(file) && !sizes.has(await sizeWithoutCompression(path))) return path;
  return undefined;
}

/** Returns the size in bytes; for gzip, modulo 2^32 (ISIZE in RFC 1952). */
async function sizeWithoutCompression(path: string): Promise<number> {
  return closing(await open(path), async (file) => {
    const { size } = await file.stat();
    if (!/\.gz$/i.test(path) || size < 4) return size;
    return (await file.read(Buffer.alloc(4), 0, 4, size - 4)).buffer.readUInt32LE();
  });
}

async function statOf(file: string, disk: Disk = nodeDisk): Promise<DiskStat | undefined> {
  return ifPresent(disk.lstat(await realPath(disk, file)));
}
