/**
 * Implements `--append`: each run adds to a file so that it contains each scan exactly once, however often runs are killed. PROTOCOL.md states the
 * guarantee.
 */
import { basename, dirname, join } from 'node:path';
import { systemCode, UsageError } from '../../base/errors.ts';
import type { Clock } from '../../base/time/time.ts';
import { type Disk, ifPresent } from '../../files/durable/disk.ts';
import { acquireLock } from '../../files/durable/lock.ts';
import { nodeDisk } from '../../files/durable/node-disk.ts';
import { cannotOpen } from '../../files/durable/path-errors.ts';
import { DamagedRecordError, RecordProblem } from '../../files/durable/record-file.ts';
import { refuseMountPoint, temporaryOf } from '../../files/durable/replace-file.ts';
import { realPath, removeFile } from '../../files/durable/trusted-file.ts';
import type { TimedRows } from '../../files/formats/row-sink.ts';
import { type AppendFile, type AppendFormatter, createAppendFile } from './add-rows.ts';
import { nothingCommitted, openCommitted } from './committed-point.ts';
import { type AppendPaths, readCurrentState, refusal } from './current-state.ts';
import { createFileTail } from './file-tail.ts';
import type { AppendIdentity } from './identity.ts';
import { createOldFile } from './old-rows.ts';
import { isRotated, readingPositions } from './overlap.ts';
import type { OwnWorkspace } from './own-workspace.ts';
import { openRotated } from './rotation.ts';
import { type AppendState, parseState } from './state.ts';

export type { AppendFile } from './add-rows.ts';
export type { AppendIdentity } from './identity.ts';

export interface AppendOptions {
  path: string;
  identity: AppendIdentity;
  own: OwnWorkspace;
  formatter: AppendFormatter;
  overlapMs: number;
  /** Lower bound of the first run, ms since the epoch. */
  sinceMs: number | undefined;
  restart?: boolean;
  rotated?: boolean;
  clock: Clock;
  signal?: AbortSignal;
  lockWaitMs?: number;
  onWait?: () => void;
  /** Time of the service, ms since the epoch; undefined until a response shows it. */
  serviceNow?: () => number | undefined;
  untilMs?: number | undefined;
  note?: (line: string) => void;
  warn?: (line: string) => void;
  remark?: (line: string) => void;
  /** Alternative for hints (default: with `--output`). */
  elsewhere?: string | undefined;
  disk?: Disk;
  lock?: typeof acquireLock;
}

/**
 * Opens `path` for appending, exclusively. Throws UsageError, with everything unchanged, if another run uses the file, or if it differs from its
 * state or from this run.
 */
export async function openAppendFile(options: AppendOptions): Promise<AppendFile> {
  const {
    path,
    identity,
    own,
    sinceMs,
    clock,
    signal,
    lockWaitMs: waitMs,
    onWait,
    restart = false,
    disk = nodeDisk,
  } = options;
  checkIdentity(path, identity);
  const asOpenError = (error: unknown) => cannotOpen(`append to ${path}`, error, options.elsewhere);
  const paths = await resolvePaths(disk, path).catch((error) => Promise.reject(asOpenError(error)));
  for (const replaced of restart ? [paths.state, paths.file] : [paths.state])
    await refuseMountPoint(disk, replaced);
  await disk.checkWritable(dirname(paths.file)).catch((error) => {
    throw cannotOpen(`write to the directory of ${path}`, error, options.elsewhere);
  });
  // A7: otherwise rows that another run is about to commit would be missed.
  const lock = await (options.lock ?? acquireLock)(paths.file, { clock, signal, waitMs, onWait });
  try {
    const job = { ...options, disk, paths, restart, begin: options.formatter.begin() };
    // D14: the path may lead to another file by now, whose lock is not held.
    if ((await resolvePaths(disk, path)).file !== paths.file)
      throw refusal(
        path,
        'the path now points to a different file than when the run started',
        'Run the same command again',
      );
    const found = restart ? await readCurrentState(job) : undefined;
    const replaced = found instanceof DamagedRecordError ? undefined : found;
    const committed = restart
      ? nothingCommitted(await own.workspace.record(), sinceMs)
      : await (options.rotated ? openRotated : openCommitted)(job);
    for (const leftover of [paths.restart, temporaryOf(paths.state)]) await removeFile(disk, leftover);
    const tail = createFileTail({
      ...job,
      committed,
      old: restart ? createOldFile(job, replaced) : undefined,
    });
    const write = async (_: string, { rows }: TimedRows) => {
      await tail.write(options.formatter.rows(rows));
      return true;
    };
    return createAppendFile({
      ...job,
      path: paths.file,
      committed,
      replaced: replaced?.overlaps,
      tail: { ...tail, write },
      lock,
    });
  } catch (error) {
    await lock.release();
    throw asOpenError(error);
  }
}

/**
 * Returns where the next append would begin: maps the ID of a code to its lower bound, ms since the epoch. Codes without a usable state are missing.
 * Locks nothing.
 */
export async function readPositions(
  file: string,
  overlapMs: number,
  untilMs = Number.POSITIVE_INFINITY,
  disk: Disk = nodeDisk,
): Promise<Map<string, number>> {
  const saved = await readLogState(file, disk);
  return saved ? readingPositions(saved, overlapMs, untilMs) : new Map();
}

/** Returns the state next to an appended file; undefined if none can be read. Locks nothing. */
export async function readLogState(file: string, disk: Disk = nodeDisk): Promise<AppendState | undefined> {
  try {
    const { state } = await resolvePaths(disk, file);
    return parseState(await disk.readFile(state));
  } catch (error) {
    if (error instanceof RecordProblem || systemCode(error) !== undefined) return undefined;
    throw error;
  }
}

/**
 * Returns where the log of an appended file begins, ms since the epoch (-Infinity: at the first scan of all). Undefined if no state records it, and
 * after a rotation. Locks nothing.
 */
export async function readBeginning(file: string, disk: Disk = nodeDisk): Promise<number | undefined> {
  const saved = await readLogState(file, disk);
  const there = await ifPresent(disk.lstat(await realPath(disk, file)));
  if (!saved || !there || there.size < saved.bytes) return undefined;
  return isRotated(saved.overlaps) ? undefined : (saved.sinceMs ?? Number.NEGATIVE_INFINITY);
}

export type LogState = Pick<AppendState, 'workspace' | 'identity' | 'sinceMs' | 'rotated' | 'overlaps'>;

function checkIdentity(path: string, { columns, codes, all }: AppendIdentity): void {
  const missing = ['id', 'ts', ...(all || codes.length > 1 ? ['qr_id'] : [])].filter(
    (name) => !columns.includes(name),
  );
  if (missing.length > 0) {
    const noun = missing.length === 1 ? 'column' : 'columns';
    throw new UsageError(
      `--append requires the ${noun} ${missing.join(' and ')} to identify the scans in the file`,
      {
        hint: `Pass --fields ${[...missing, ...columns].join()}.`,
      },
    );
  }
  if (path.endsWith('.gz') || path === '-') {
    throw new UsageError(`--append requires a plain CSV or NDJSON file, not ${path}`, {
      hint: 'Use --output to specify a .csv, .ndjson or .jsonl file.',
    });
  }
}

/** Returns the files of an append to `path`. Throws UsageError if it is not a regular file. */
export async function resolvePaths(disk: Disk, path: string): Promise<AppendPaths> {
  const file = await realPath(disk, path);
  const found = await ifPresent(disk.lstat(file));
  if (found && !found.isFile()) throw new UsageError(`cannot append to ${path}: it is not a regular file`);
  return { file, state: `${file}.state.json`, restart: join(dirname(file), `.${basename(file)}.restart`) };
}
