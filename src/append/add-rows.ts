/**
 * The rows of an appended file, or of a dataset, which is meant by "the file" here as well: each goes in once, and none that is there
 * already. Rows may be handed over as often as one likes, in any number of runs: an id that is there is known from the overlap, or read back.
 */
import type { Lock } from '../durable/lock.ts';
import { cannotWrite } from '../durable/path-errors.ts';
import type { CodeSink, Row, TimedRows } from '../rows/row-sink.ts';
import type { Clock } from '../time/time.ts';
import type { CommittedPoint } from './committed-point.ts';
import { refuseOlder } from './current-state.ts';
import { addRow, type ClockReading, type CodeOverlap, emptyOverlap, forgetOldIds, overlapOf, setBackMs } from './overlap.ts';
import { createOwnershipCheck } from './ownership-check.ts';
import { createReadingStart, type ReadingStartJob } from './reading-start.ts';
import type { RowTail } from './row-tail.ts';
import { createSerialQueue } from './serial-queue.ts';

export interface AppendFile {
  /** The real file. */
  readonly path: string;
  /**
   * Totals of the file as of the last commit: its rows of all codes, and the time of the newest one in ms since the epoch. `added`: how many of these
   * rows this run wrote.
   */
  contents(): { rows: number; watermarkMs: number | undefined; added: number };
  /**
   * Sink for the rows of one code: everything read from its `sinceMs` on, oldest first. Rows are committed soon: after a kill the next run resumes
   * from the last commit. After a rewind, rows that are written again are dropped, and until the sink's commit the next run would read the code from
   * `sinceMs` again. With `own`, the file contains this code only and ends with it.
   */
  sinkOf(codeId: string, own?: boolean): CodeSink;
  /**
   * Adds scans of a code that the whole log lacks, rotated files included, wherever in time they are: the caller compared them with every row under
   * the lock of this file. Resolves to the number added. Changes no watermark, so the next run reads what it would have read.
   */
  addMissing(codeId: string, batch: TimedRows): Promise<number>;
  /** All is read: commits, puts a restarted file in its place, and closes. A first run without rows makes the file too. */
  commit(): Promise<void>;
  /** Handles a failure of the run: commits the appended rows (a restart: leaves the old file as it is), and closes. Never throws; idempotent. */
  discard(): Promise<void>;
}

/** Converts rows to text or its UTF-8. `begin` is written before the first row; `rows` must return complete lines. */
export interface AppendFormatter {
  begin(): string;
  rows(rows: readonly Row[]): string | Uint8Array;
}

interface AppendJob extends Omit<ReadingStartJob, 'sinceMs'> {
  /** Nothing is committed before all is read: then `replace` of the tail puts everything in its place. */
  restart: boolean;
  clock: Clock;
  committed: Pick<CommittedPoint, 'overlaps' | 'sinceMs' | 'saved' | 'proof'>;
  tail: RowTail;
  lock: Lock;
}

/** Appends to a growing file at its committed point; takes over the tail and the lock. */
export function createAppendFile(job: AppendJob): AppendFile {
  const { path, overlapMs, restart, clock, committed, tail, lock } = job;
  const { overlaps, sinceMs, saved, proof } = committed;
  const queue = createSerialQueue(clock, () => commitRows(false));
  const ownership = createOwnershipCheck(proof, path);
  /** Codes of which rows are handed over again that are older than their overlap: from when on all their ids are kept. */
  const keptFromMs = new Map<string, number>();
  /** Something is to be committed at the end: in a first run the file itself, though it may have no rows. */
  let changed = !saved;
  let closed = false;
  /** Whether data that was written since the last commit is worth a commit. */
  let worthCommit = false;
  let added = 0;
  let kept = contentsNow();

  const start = createReadingStart({ ...job, sinceMs });
  const startOf = (code: string, endMs?: number) => start.of(overlaps.get(code) ?? emptyOverlap(), endMs);
  const starts = new Map([...overlaps.keys()].map((code) => [code, startOf(code)]));

  /** A11: extends the overlap to rows as old as `oldestMs`, from the file if necessary. This is rare, so it then goes back far enough. */
  async function widen(code: string, overlap: CodeOverlap, oldestMs: number, isMissing: boolean): Promise<void> {
    const { idsFromMs, movedUntilMs = Number.NEGATIVE_INFINITY, movedIdsFromMs = idsFromMs } = overlap;
    // A25: whether a file that was moved away has them cannot be seen any more. A34: unless the caller read those files.
    if (oldestMs <= movedUntilMs && oldestMs < movedIdsFromMs && !isMissing) {
      const backMs = setBackMs(overlap, start.now(), overlapMs);
      throw refuseOlder(path, { oldestMs, knownMs: movedIdsFromMs, backMs });
    }
    if (oldestMs >= idsFromMs) return;
    const fromMs = Math.min(oldestMs, starts.get(code) ?? Number.NEGATIVE_INFINITY);
    await tail.readBack((row) => {
      if ((row.code ?? code) === code && row.timeMs >= fromMs) overlap.ids.set(row.id, row.timeMs);
    }, fromMs);
    overlap.idsFromMs = fromMs;
    keptFromMs.set(code, fromMs);
  }

  /** `begunAt`: undefined for rows that are missing in the log (A34). */
  async function add(code: string, { rows, times }: TimedRows, begunAt: ClockReading | undefined): Promise<number> {
    const overlap = overlapOf(overlaps, code);
    await widen(code, overlap, oldestOf(times), begunAt === undefined);
    // A10: a row that the file has, or that comes twice in this batch, is dropped.
    const fresh = new Map<string, number>();
    rows.forEach((row, i) => {
      const id = String(row.id);
      if (!overlap.ids.has(id)) fresh.set(id, i);
    });
    if (fresh.size === 0) return 0;
    changed = true;
    const places = [...fresh.values()];
    const batch = { rows: places.map((i) => rows[i] as Row), times: places.map((i) => times[i] as number) };
    worthCommit = (await tail.write(code, batch)) || worthCommit;
    // A12: only after they are written. A first write creates a state, which must not record rows that the file lacks.
    for (const [id, i] of fresh) addRow(overlap, id, times[i] as number);
    // A34: scans that arrived since the last run are still to be read, whatever was repaired.
    if (begunAt) overlap.writtenAt = begunAt;
    added += fresh.size;
    forgetOldIds(overlap, overlapMs, keptFromMs.get(code));
    return fresh.size;
  }

  function append(code: string, batch: TimedRows, begunAt: ClockReading | undefined): Promise<number> {
    const work = queue.run(async () => {
      let added = 0;
      for (const released of ownership.release(batch)) added += await add(code, released, begunAt);
      if (worthCommit && !restart) await queue.commitWhenDue();
      return added;
    });
    return work.catch((error) => Promise.reject(asNotWritten(error, path)));
  }

  /** Should this run end here, the next reads this code from `fromMs` (-Infinity: the first row) on again. */
  function setReread(code: string, fromMs: number | undefined): void {
    const overlap = overlapOf(overlaps, code);
    changed ||= overlap.rereadFromMs !== fromMs;
    overlap.rereadFromMs = fromMs;
  }

  /** `last`: no write follows, so the file gets a stamp by which the next run recognizes it (A19). */
  async function commitRows(last: boolean): Promise<void> {
    if (restart || !(changed || (last && !tail.stamped()))) return;
    await tail.commit(last);
    noteCommit();
  }

  function noteCommit(): void {
    changed = false;
    worthCommit = false;
    kept = contentsNow();
  }

  async function commit(): Promise<void> {
    const work = queue.run(async () => {
      ownership.check();
      await commitRows(true);
      if (!restart) return;
      await tail.replace();
      noteCommit();
    });
    await work.catch((error) => Promise.reject(asNotWritten(error, path)));
    await close();
  }

  async function discard(): Promise<void> {
    if (closed) return;
    if (tail.begun()) await queue.run(() => commitRows(true)).catch(() => undefined);
    await close();
  }

  async function close(): Promise<void> {
    closed = true;
    await queue.stop();
    await tail.close();
    await lock.release();
  }

  function sinkOf(code: string, own = false): CodeSink {
    let fromMs = startOf(code);
    /** A scan that arrives after this is not certain to be among the rows that are read. */
    let begunAt = start.now();
    let rows = 0;
    let done = false;
    /** If nothing of the run is committed yet, rows that are not verified need not stay. */
    async function forget(): Promise<boolean> {
      const { drop } = tail;
      if (!restart || !drop || closed) return false;
      await queue.run(() => drop(code));
      overlaps.delete(code);
      rows = 0;
      return true;
    }
    return {
      sinceMs: fromMs,
      sinceFor(endMs) {
        fromMs = startOf(code, endMs);
        return fromMs;
      },
      added: () => rows,
      async write(batch) {
        // The first response for the first code is the first to show the service's time.
        if (begunAt.serviceMs === undefined) begunAt = start.now();
        const added = await append(code, batch, begunAt);
        rows += added;
        return added;
      },
      checkpoint: async () => async () => {
        if (await forget()) return true;
        // A9: rows from here on are not verified as complete; rows that are written again are dropped.
        setReread(code, fromMs ?? Number.NEGATIVE_INFINITY);
        return true;
      },
      async commit() {
        done = true;
        setReread(code, undefined);
        if (own) await commit();
      },
      async discard() {
        if (!done) await forget();
        if (own) await discard();
      },
    };
  }

  function contentsNow() {
    const known = [...overlaps.values()];
    const newestMs = known.reduce(
      (newest, { watermarkMs = Number.NEGATIVE_INFINITY }) => Math.max(newest, watermarkMs),
      Number.NEGATIVE_INFINITY,
    );
    return {
      rows: known.reduce((sum, { rows }) => sum + rows, 0),
      watermarkMs: newestMs === Number.NEGATIVE_INFINITY ? undefined : newestMs,
      added,
    };
  }

  const addMissing: AppendFile['addMissing'] = (code, batch) => append(code, batch, undefined);

  return { path, contents: () => kept, sinkOf, addMissing, commit, discard };
}

function oldestOf(times: readonly number[]): number {
  return times.reduce((oldest, time) => Math.min(oldest, time), Number.POSITIVE_INFINITY);
}

/** An error of the system as the failure it is, as cannotWrite gives it; all else unchanged. */
function asNotWritten(error: unknown, path: string): unknown {
  return cannotWrite(`append to ${path}`, error, 'all rows up to the last commit are saved');
}
