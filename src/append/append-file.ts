/**
 * `--append`: a file that an export adds to, run after run, so that each scan stands in it exactly once however often runs are
 * killed. PROTOCOL.md says what is promised and why it holds.
 *
 * committed-point.ts finds where the last run stopped, add-rows.ts drops what the file has, file-tail.ts makes rows durable,
 * state.ts is what is kept beside the file.
 */
import { basename, dirname, join } from 'node:path';
import { type Disk, ifPresent, nodeDisk } from '../durable/disk.ts';
import { removeFile } from '../durable/held-directory.ts';
import { acquireLock } from '../durable/lock.ts';
import { cannotOpen, systemCode } from '../durable/path-errors.ts';
import { temporaryOf } from '../durable/replace-file.ts';
import { realPath } from '../durable/trusted-file.ts';
import { UsageError } from '../errors.ts';
import type { TimedRows } from '../rows/row-sink.ts';
import type { Clock } from '../time/time.ts';
import { type AppendFile, type AppendFormatter, createAppendFile } from './add-rows.ts';
import { nothingCommitted, openCommitted } from './committed-point.ts';
import { type AppendPaths, readCurrentState, refusal } from './current-state.ts';
import { createFileTail } from './file-tail.ts';
import type { AppendIdentity } from './identity.ts';
import { createOldFile } from './old-rows.ts';
import { readingPositions } from './overlap.ts';
import type { OwnWorkspace } from './own-workspace.ts';
import { openRotated } from './rotation.ts';
import { StateProblem, UnknownStateError } from './sealed.ts';
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
  /** Build the file anew beside its place; `commit` puts it there. */
  restart?: boolean;
  /** The file may have been moved away since the last run: then a new one is begun. */
  rotated?: boolean;
  clock: Clock;
  signal?: AbortSignal;
  /** How long to wait for another run on the same file, and what to do when that begins; see acquireLock. */
  lockWaitMs?: number;
  onWait?: () => void;
  /** The service's time, ms since the epoch; undefined while it has told none. */
  serviceNow?: () => number | undefined;
  /** The end that was asked for, ms since the epoch; undefined: now. */
  untilMs?: number | undefined;
  /** Told what a person may want to know: a state that was worked out again. */
  note?: (line: string) => void;
  /** Told what nobody may miss: bytes that are cut off. */
  warn?: (line: string) => void;
  /** Told what the user must not miss at the end of the run: what became of the file that a restart replaced. */
  remark?: (line: string) => void;
  /** What to do where the file cannot be opened, by the flag that is meant (default: `--output`). */
  elsewhere?: string | undefined;
  disk?: Disk;
  lock?: typeof acquireLock;
}

/**
 * Opens `path` for appending, alone. Throws UsageError, leaving everything as it is, when another run holds the file or it is
 * not what its state says or not what this run would write; the hint says how to go on.
 */
export async function openAppendFile(options: AppendOptions): Promise<AppendFile> {
  const { path, identity, own, sinceMs, clock, signal, lockWaitMs: waitMs, onWait, restart = false, disk = nodeDisk } = options;
  checkIdentity(path, identity);
  const asNotOpened = (error: unknown) => cannotOpen(`append to ${path}`, error, options.elsewhere);
  const paths = await resolvePaths(disk, path).catch((error) => Promise.reject(asNotOpened(error)));
  // A7: nothing is read before the file is ours alone: what another run is about to commit would be missed.
  const lock = await (options.lock ?? acquireLock)(paths.file, { clock, signal, waitMs, onWait });
  try {
    const job = { ...options, disk, paths, restart, begin: options.formatter.begin() };
    // D14: while we waited the path may have been made to lead to another place, of which we hold no lock.
    if ((await resolvePaths(disk, path)).file !== paths.file)
      throw refusal(path, 'the path now leads to a different file than when the run started', 'Run the same command again');
    const replaced = restart ? await readCurrentState(job) : undefined;
    const committed = restart
      ? nothingCommitted(await own.workspace.record(), sinceMs)
      : await (options.rotated ? openRotated : openCommitted)(job);
    // Of a run that was killed: a --restart that was not done, a state that had not taken its place. Nothing in them is needed.
    for (const leftover of [paths.restart, temporaryOf(paths.state)]) await removeFile(disk, leftover);
    const tail = createFileTail({ ...job, committed, old: restart ? createOldFile(job, replaced) : undefined });
    const write = async (_: string, { rows }: TimedRows) => {
      await tail.write(options.formatter.rows(rows));
      return true;
    };
    return createAppendFile({ ...job, path: paths.file, committed, tail: { ...tail, write }, lock });
  } catch (error) {
    await lock.release();
    throw asNotOpened(error);
  }
}

/**
 * Where the next append would begin, by the state beside the file; nothing is opened, locked or mended. Lower bound (ms since the
 * epoch) by id of the code; a code without a usable state is not there and is read from the start.
 */
export async function readPositions(
  file: string,
  overlapMs: number,
  untilMs = Number.POSITIVE_INFINITY,
  disk: Disk = nodeDisk,
): Promise<Map<string, number>> {
  const saved = await readSaved(file, disk);
  return saved ? readingPositions(saved, overlapMs, untilMs) : new Map();
}

async function readSaved(file: string, disk: Disk): Promise<AppendState | undefined> {
  try {
    const { state } = await resolvePaths(disk, file);
    return parseState(await disk.readFile(state));
  } catch (error) {
    const unusable = error instanceof StateProblem || error instanceof UnknownStateError || systemCode(error) !== undefined;
    if (unusable) return undefined;
    throw error;
  }
}

/** What the file is an export of, by the state beside it; undefined where there is none that can be read. Nothing is locked or mended. */
export async function readIdentity(file: string, disk: Disk = nodeDisk): Promise<AppendIdentity | undefined> {
  return (await readSaved(file, disk))?.identity;
}

/**
 * Where the log of an appended file begins, by the state beside it: ms since the epoch, -Infinity for the first scan of all. Undefined if no state
 * says it, and after a rotation: the oldest file may have been deleted. Nothing is locked or repaired.
 */
export async function readBeginning(file: string, disk: Disk = nodeDisk): Promise<number | undefined> {
  const saved = await readSaved(file, disk);
  const there = await ifPresent(disk.lstat(await realPath(disk, file)));
  // A15: a file that lacks committed bytes was moved away, or is another one.
  if (!saved || !there || there.size < saved.bytes) return undefined;
  const isRotated = [...saved.overlaps.values()].some(({ movedUntilMs }) => movedUntilMs !== undefined);
  return isRotated ? undefined : (saved.sinceMs ?? Number.NEGATIVE_INFINITY);
}

/** Throws UsageError where an append of this kind is not possible at all. */
function checkIdentity(path: string, { columns, codes, all }: AppendIdentity): void {
  const missing = ['id', 'ts', ...(all || codes.length > 1 ? ['qr_id'] : [])].filter((name) => !columns.includes(name));
  if (missing.length > 0) {
    throw new UsageError(`--append requires the column ${missing.join(' and ')} to identify the scans in the file`, {
      hint: `Add it to --fields, as in --fields ${[...missing, ...columns].join()}.`,
    });
  }
  if (path.endsWith('.gz') || path === '-') {
    throw new UsageError(`--append requires a plain CSV or NDJSON file, not ${path}`, {
      hint: 'Specify a file that ends in .csv, .ndjson or .jsonl with --output.',
    });
  }
}

/** The files of an append to `path`. Throws UsageError where that is no place for one. */
export async function resolvePaths(disk: Disk, path: string): Promise<AppendPaths> {
  const file = await realPath(disk, path);
  const found = await ifPresent(disk.lstat(file));
  // A link that is still one leads nowhere.
  if (found && !found.isFile()) throw new UsageError(`cannot append to ${path}: it is not a regular file`);
  return { file, state: `${file}.state.json`, restart: join(dirname(file), `.${basename(file)}.restart`) };
}
