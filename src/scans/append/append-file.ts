/**
 * `--append`: adds to a file on every run so that it contains each scan exactly once, however often runs are killed. PROTOCOL.md states the guarantee
 * and its invariants.
 *
 * committed-point.ts finds where the last run stopped, add-rows.ts drops rows that the file contains, file-tail.ts makes rows durable, state.ts is
 * the state next to the file.
 */
import { basename, dirname, join } from 'node:path';
import { UsageError } from '../../base/errors.ts';
import type { Clock } from '../../base/time/time.ts';
import { type Disk, ifPresent } from '../../files/durable/disk.ts';
import { removeFile } from '../../files/durable/held-directory.ts';
import { acquireLock } from '../../files/durable/lock.ts';
import { refuseMountPoint } from '../../files/durable/mount-point.ts';
import { nodeDisk } from '../../files/durable/node-disk.ts';
import { cannotOpen, systemCode } from '../../files/durable/path-errors.ts';
import { DamagedRecordError, RecordProblem } from '../../files/durable/record-file.ts';
import { temporaryOf } from '../../files/durable/replace-file.ts';
import { realPath } from '../../files/durable/trusted-file.ts';
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
  /** How far before the watermark each run reads again, ms. */
  overlapMs: number;
  /** Lower bound of a first run, ms since the epoch. Later runs keep the first run's. */
  sinceMs: number | undefined;
  /** Builds a new file next to the old one; `commit` renames it into place. */
  restart?: boolean;
  /** Log rotation may have moved the file since the last run: then a new one continues. */
  rotated?: boolean;
  clock: Clock;
  signal?: AbortSignal;
  /** Maximum wait for another run on the same file, and the callback for when the wait begins; see acquireLock. */
  lockWaitMs?: number;
  onWait?: () => void;
  /** Time of the service, ms since the epoch; undefined until a response shows it. */
  serviceNow?: () => number | undefined;
  /** Requested end of the range, ms since the epoch; undefined: now. */
  untilMs?: number | undefined;
  /** Receives notes that can be missed, such as a rebuilt state. */
  note?: (line: string) => void;
  /** Receives notes that must not be missed, such as truncated bytes. */
  warn?: (line: string) => void;
  /** Receives the note for the end of the run: the name under which a restart kept the old file. */
  remark?: (line: string) => void;
  /** Alternative for the hint if the file cannot be opened, with its flag (default: `--output`). */
  elsewhere?: string | undefined;
  disk?: Disk;
  lock?: typeof acquireLock;
}

/**
 * Opens `path` for appending, exclusively. Throws UsageError, with everything left as it is, if another run uses the file, or if the file differs
 * from its state or from the export of this run. The hint states how to continue.
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
  // The file itself is replaced by a restart only.
  for (const replaced of restart ? [paths.state, paths.file] : [paths.state])
    await refuseMountPoint(disk, replaced);
  // The state is replaced in it, so a writable file is not enough.
  await disk.checkWritable(dirname(paths.file)).catch((error) => {
    throw cannotOpen(`write to the directory of ${path}`, error, options.elsewhere);
  });
  // A7: nothing is read before the lock is held: rows that another run is about to commit would be missed.
  const lock = await (options.lock ?? acquireLock)(paths.file, { clock, signal, waitMs, onWait });
  try {
    const job = { ...options, disk, paths, restart, begin: options.formatter.begin() };
    // D14: while this run waited, the path may have been changed to lead to another file, whose lock is not held.
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
    // Leftovers of a killed run: an incomplete --restart, a state that was not renamed. They are not needed.
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
 * Returns where the next append would begin, from the state next to the file, without opening, locking or repairing anything. Maps the ID of a code
 * to its lower bound (ms since the epoch); a code without a usable state is missing and is read from the start.
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

/** Returns the state next to an appended file; undefined if no state can be read. Locks and repairs nothing. */
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
 * Returns where the log of an appended file begins, from the state next to it: ms since the epoch, -Infinity for the first scan of all. Undefined if
 * no state records it, and after a rotation, because the oldest file may have been deleted. Locks and repairs nothing.
 */
export async function readBeginning(file: string, disk: Disk = nodeDisk): Promise<number | undefined> {
  const saved = await readLogState(file, disk);
  const there = await ifPresent(disk.lstat(await realPath(disk, file)));
  // A15: a file that lacks committed bytes was moved away, or is another one.
  if (!saved || !there || there.size < saved.bytes) return undefined;
  return isRotated(saved.overlaps) ? undefined : (saved.sinceMs ?? Number.NEGATIVE_INFINITY);
}

/** What the state of a log, or the manifest of a dataset, records about its rows. */
export type LogState = Pick<AppendState, 'workspace' | 'identity' | 'sinceMs' | 'rotated' | 'overlaps'>;

/** Throws UsageError if this kind of append is not possible. */
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

/** Returns the files of an append to `path`. Throws UsageError if they can't be there. */
export async function resolvePaths(disk: Disk, path: string): Promise<AppendPaths> {
  const file = await realPath(disk, path);
  const found = await ifPresent(disk.lstat(file));
  // A path that is still a link leads to a missing file.
  if (found && !found.isFile()) throw new UsageError(`cannot append to ${path}: it is not a regular file`);
  return { file, state: `${file}.state.json`, restart: join(dirname(file), `.${basename(file)}.restart`) };
}
