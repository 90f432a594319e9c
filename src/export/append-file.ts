/**
 * A file that an export adds to, run after run, so that each scan stands in it exactly once however often runs are killed.
 *
 * Rows may be handed over as often as one likes: those the file has are dropped here. See append-open.ts for how a run finds
 * its committed point, append-writer.ts for how rows become durable, append-state.ts for what is kept beside the file.
 */
import { systemCode } from '../durable.ts';
import { LocalError, UsageError } from '../errors.ts';
import { acquireLock, type Lock } from '../lock.ts';
import type { Clock } from '../time.ts';
import { createGate } from './append-anchor.ts';
import { type Disk, ifPresent, nodeDisk } from './append-disk.ts';
import {
  type AppendPaths,
  type CommittedFile,
  emptyFile,
  openCommitted,
  readSettledState,
  refusal,
  resolvePaths,
} from './append-open.ts';
import type { AppendIdentity } from './append-state.ts';
import { createTurns } from './append-turns.ts';
import { addRow, type CodeWindow, emptyWindow, prune, readFrom } from './append-window.ts';
import { createWriter, type Writer } from './append-writer.ts';
import type { Row } from './sink.ts';

export interface AppendOptions {
  path: string;
  identity: AppendIdentity;
  /** `begin` is what stands before the first row; `rows` must be whole lines. */
  formatter: { begin(): string; rows(rows: readonly Row[]): string };
  /** How far before the watermark each run reads again, ms. */
  overlapMs: number;
  /** Lower bound of a first run, ms since the epoch. Later runs keep the first run's. */
  sinceMs: number | undefined;
  /** Build the file anew beside its place; `finish` puts it there. */
  restart?: boolean;
  clock: Clock;
  signal?: AbortSignal;
  /** How long to wait for another run on the same file, and what to do when that begins; see acquireLock. */
  lockWaitMs?: number;
  onWait?: () => void;
  disk?: Disk;
  lock?: typeof acquireLock;
}

/** Where a code's next run begins. */
export interface Position {
  /** Read from here (inclusive), ms since the epoch; undefined: from the very first scan. */
  fromMs: number | undefined;
  /** Time of the newest row in the file; undefined while it has none. */
  watermarkMs: number | undefined;
  /** Rows of this code in the file. */
  rows: number;
}

export interface AppendFile {
  /** The real file. */
  readonly path: string;
  position(codeId: string): Position;
  /**
   * Adds those rows that the file does not have, in this order; `times[i]` is the time of `rows[i]`. Hand over everything
   * read from `position().fromMs` on, oldest first; handing rows over again is harmless. Resolves to the number added. They are
   * committed soon: after a kill the next run goes on from the last commit.
   */
  append(codeId: string, rows: readonly Row[], times: readonly number[]): Promise<number>;
  /**
   * Says that rows appended from now on are not yet proven to be all from `fromMs` on: should this run end here, the next reads
   * from there again. `undefined` takes it back.
   */
  reread(codeId: string, fromMs: number | undefined): void;
  /** All is read: commits, puts a restarted file in its place, and closes. A first run without rows makes the file too. */
  finish(): Promise<void>;
  /** Something failed: commits what was appended (a restart: leaves the old file as it is), and closes. Never throws; idempotent. */
  abort(): Promise<void>;
}

/**
 * Opens `path` for appending, alone. Throws UsageError, leaving everything as it is, when another run holds the file or it is
 * not what its state says or not what this run would write; the hint says how to go on.
 */
export async function openAppendFile(options: AppendOptions): Promise<AppendFile> {
  const { path, identity, sinceMs, clock, signal, lockWaitMs: waitMs, onWait, restart = false, disk = nodeDisk } = options;
  checkIdentity(path, identity);
  const paths = await resolvePaths(disk, path);
  const lock = await (options.lock ?? acquireLock)(paths.file, { clock, signal, waitMs, onWait });
  try {
    const job = { ...options, disk, paths, restart, begin: options.formatter.begin() };
    if (restart) await readSettledState(job);
    const committed = restart ? emptyFile(sinceMs) : await openCommitted(job);
    // A --restart that was stopped before it was done: nothing in it is needed.
    await ifPresent(disk.unlink(paths.restart));
    return createAppendFile(options, paths, committed, createWriter({ ...job, committed }), lock);
  } catch (error) {
    await lock.release();
    throw inWords(error, path);
  }
}

function createAppendFile(
  { formatter, overlapMs, restart, clock }: AppendOptions,
  paths: AppendPaths,
  { windows, sinceMs, saved, anchor }: CommittedFile,
  writer: Writer,
  lock: Lock,
): AppendFile {
  const turns = createTurns(clock, commit);
  const gate = createGate(anchor, () => refusal({ paths }, NOT_THE_SAME_CODE));
  /** Codes of which rows are handed over again that are older than their window: from when on all their ids are kept. */
  const keptFromMs = new Map<string, number>();
  let changed = false;
  let closed = false;

  function windowOf(code: string): CodeWindow {
    const window = windows.get(code) ?? emptyWindow();
    windows.set(code, window);
    return window;
  }

  /** Makes the window answer for rows as old as `oldestMs`, from the file where need be: rarely, so then far enough. */
  async function widen(code: string, window: CodeWindow, oldestMs: number): Promise<void> {
    if (oldestMs >= window.idsFromMs) return;
    const fromMs = Math.min(oldestMs, startOf(code));
    await writer.scan((row) => {
      if ((row.code ?? code) === code && row.timeMs >= fromMs) window.ids.set(row.id, row.timeMs);
    });
    window.idsFromMs = fromMs;
    keptFromMs.set(code, fromMs);
  }

  const starts = new Map([...windows].map(([code, window]) => [code, readFrom(window, overlapMs, sinceMs)]));
  const startOf = (code: string) => starts.get(code) ?? Number.NEGATIVE_INFINITY;

  async function add(code: string, rows: readonly Row[], times: readonly number[]): Promise<number> {
    const window = windowOf(code);
    await widen(code, window, oldestOf(times));
    const fresh = rows.filter((row, i) => {
      const id = String(row.id);
      if (window.ids.has(id)) return false;
      addRow(window, id, times[i] ?? Number.NaN);
      return true;
    });
    if (fresh.length === 0) return 0;
    changed = true;
    await writer.write(formatter.rows(fresh));
    return fresh.length;
  }

  async function commit(): Promise<void> {
    for (const [code, window] of windows) prune(window, overlapMs, keptFromMs.get(code));
    if (restart || !changed) return;
    await writer.commit();
    changed = false;
  }

  async function close(): Promise<void> {
    closed = true;
    await turns.stop();
    await writer.close();
    await lock.release();
  }

  return {
    path: paths.file,
    position(code) {
      const { watermarkMs, rows } = windows.get(code) ?? emptyWindow();
      return { fromMs: readFrom(windows.get(code) ?? emptyWindow(), overlapMs, sinceMs), watermarkMs, rows };
    },
    append: (code, rows, times) =>
      turns
        .take(async () => {
          let added = 0;
          for (const held of gate.pass(rows, times)) added += await add(code, held.rows, held.times);
          if (added > 0) await turns.commitWhenDue();
          return added;
        })
        .catch((error) => Promise.reject(inWords(error, paths.file))),
    reread(code, fromMs) {
      const window = windowOf(code);
      changed ||= window.rereadFromMs !== fromMs;
      window.rereadFromMs = fromMs;
    },
    async finish() {
      try {
        await turns.take(async () => {
          if (!gate.isOpen()) throw refusal({ paths }, NOT_THE_SAME_CODE);
          changed ||= !saved;
          await commit();
          if (restart) await writer.replace();
        });
      } catch (error) {
        throw inWords(error, paths.file);
      }
      await close();
    },
    async abort() {
      if (closed) return;
      if (writer.begun()) await turns.take(commit).catch(() => undefined);
      await close();
    },
  };
}

const NOT_THE_SAME_CODE = 'its state is lost, and the service does not show the newest row of it for this code';

function oldestOf(times: readonly number[]): number {
  return times.reduce((oldest, time) => Math.min(oldest, time), Number.POSITIVE_INFINITY);
}

function checkIdentity(path: string, { columns, codes, all, format }: AppendIdentity): void {
  const missing = ['id', 'ts', ...(all || codes.length > 1 ? ['qr_id'] : [])].filter((name) => !columns.includes(name));
  if (missing.length > 0) {
    throw new UsageError(`--append needs the column ${missing.join(' and ')} to know which scans the file has`, {
      hint: `Add it to --fields, for example --fields ${[...missing, ...columns].join()}.`,
    });
  }
  if (path.endsWith('.gz') || path === '-' || (format !== 'csv' && format !== 'ndjson')) {
    throw new UsageError(`--append adds to a plain CSV or NDJSON file, not to ${path}`, {
      hint: 'Choose a file with --output that ends in .csv, .ndjson or .jsonl.',
    });
  }
}

/** What is wrong with the path, not with the machine. */
const BAD_PATH = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EISDIR']);

/** An error of the system as the failure it is; all else unchanged. */
function inWords(error: unknown, path: string): unknown {
  const code = systemCode(error);
  if (code === undefined || !(error instanceof Error)) return error;
  const message = `cannot append to ${path}: ${error.message}`;
  if (BAD_PATH.has(code))
    return new UsageError(message, { cause: error, hint: 'Choose a file that can be written, with --output.' });
  return new LocalError(message, { cause: error, hint: HOW_TO_GO_ON });
}

const HOW_TO_GO_ON = 'Everything up to the last commit is safe. Mend that and run this again: it goes on from there.';
