import type { Clock } from '#base/time/time';
import type { Lock } from '#files/durable/lock';
import { cannotWrite } from '#files/durable/path-errors';
import type { CodeSink, Row, TimedRows } from '#files/formats/row-sink';
import type { CommittedPoint } from './committed-point.ts';
import { olderRowError } from './current-state.ts';
import {
  addRow,
  type ClockReading,
  type CodeOverlap,
  contentsOf,
  emptyOverlap,
  forgetOldIds,
  noteRead,
  overlapOf,
  setBackOf,
} from './overlap.ts';
import { createOwnershipCheck } from './read-back.ts';
import { createReadingStart, type ReadingStartJob } from './reading-start.ts';
import type { SavedRow } from './row-parsers.ts';
import { createSerialQueue } from './serial-queue.ts';

export type AppendFile = ReturnType<typeof createAppendFile>;

interface AppendJob extends Omit<ReadingStartJob, 'sinceMs'> {
  /** Whether rows are committed only when the run ends, as for --restart. */
  restart: boolean;
  clock: Clock;
  committed: Pick<CommittedPoint, 'overlaps' | 'sinceMs' | 'isSaved' | 'proof'>;
  replaced?: ReadonlyMap<string, CodeOverlap>;
  tail: RowTail;
  lock: Lock;
}

export function createAppendFile(job: AppendJob) {
  const { path, overlapMs, restart, clock, committed, tail, lock } = job;
  const { overlaps, sinceMs, isSaved, proof } = committed;
  const queue = createSerialQueue(clock, () => commitRows(false));
  const ownership = createOwnershipCheck(proof, path);
  const keptFromMs = new Map<string, number>();
  let changed = !isSaved;
  let closed = false;
  let worthCommit = false;
  const { rows: rowsBefore } = contentsOf(overlaps.values());
  let kept = { ...contentsOf((job.replaced ?? overlaps).values()), added: 0 };

  const start = createReadingStart({ ...job, sinceMs });
  const startOf = (code: string, endMs?: number) =>
    start.lowerBound(overlaps.get(code) ?? emptyOverlap(), endMs);
  const starts = new Map([...overlaps.keys()].map((code) => [code, startOf(code)]));

  /** A11: loads saved IDs from `oldestMs` on if some are unknown. Throws if rotated files may have those. */
  async function widen(code: string, overlap: CodeOverlap, oldestMs: number): Promise<void> {
    const { idsFromMs, movedUntilMs = -Infinity, movedIdsFromMs = idsFromMs } = overlap;
    if (oldestMs <= movedUntilMs && oldestMs < movedIdsFromMs) {
      const back = setBackOf(overlap, start.now(), overlapMs);
      throw olderRowError(path, oldestMs, movedIdsFromMs, back?.isCertain ? back.byMs : undefined);
    }
    if (oldestMs >= idsFromMs) return;
    const fromMs = Math.min(oldestMs, starts.get(code) ?? -Infinity);
    await tail.readBack((row) => {
      if (row.code === code && row.timeMs >= fromMs) overlap.ids.set(row.id, row.timeMs);
    }, fromMs);
    overlap.idsFromMs = fromMs;
    keptFromMs.set(code, fromMs);
  }

  async function add(
    code: string,
    { rows, times }: TimedRows,
    begunAt: ClockReading | undefined,
  ): Promise<number> {
    const overlap = overlapOf(overlaps, code);
    const oldestMs = times.reduce((oldest, time) => Math.min(oldest, time), Infinity);
    if (begunAt) await widen(code, overlap, oldestMs);
    // A10: skips known rows and repetitions in the batch.
    const fresh = new Map<string, number>();
    rows.forEach((row, i) => {
      const id = String(row.id);
      if (!overlap.ids.has(id)) fresh.set(id, i);
    });
    if (fresh.size === 0) return 0;
    changed = true;
    const indices = [...fresh.values()];
    const batch = { rows: indices.map((i) => rows[i] as Row), times: indices.map((i) => times[i] as number) };
    worthCommit = (await tail.write(code, batch)) || worthCommit;
    // A12: records rows after writing them, so that no state records rows that the file lacks.
    for (const [id, i] of fresh) addRow(overlap, id, times[i] as number);
    if (begunAt) overlap.writtenAt = begunAt;
    forgetOldIds(overlap, overlapMs, keptFromMs.get(code));
    return fresh.size;
  }

  function runWrite<T>(work: () => Promise<T>): Promise<T> {
    return queue.run(work).catch((error) => {
      throw cannotWrite(`append to ${path}`, error, 'all rows up to the last commit are saved');
    });
  }

  function append(code: string, batch: TimedRows, begunAt: ClockReading | undefined): Promise<number> {
    return runWrite(async () => {
      let added = 0;
      for (const released of ownership.release(batch)) added += await add(code, released, begunAt);
      if (worthCommit && !restart) await queue.commitWhenDue();
      return added;
    });
  }

  async function commitRows(last: boolean): Promise<void> {
    if (restart || !(changed || (last && !tail.isStamped()))) return;
    await tail.commit(last);
    noteCommit();
  }

  function noteCommit(): void {
    changed = false;
    worthCommit = false;
    const now = contentsOf(overlaps.values());
    kept = { ...now, added: now.rows - rowsBefore };
  }

  async function commit(): Promise<void> {
    await runWrite(async () => {
      ownership.check();
      await commitRows(true);
      if (!restart) return;
      await tail.replace();
      noteCommit();
    });
    await close();
  }

  /** Ends an open run. Unless `restart` is set, tries to commit the added rows. */
  async function discard(): Promise<void> {
    if (closed) return;
    if (tail.keepsState()) await queue.run(() => commitRows(true)).catch(() => undefined);
    await close();
  }

  async function close(): Promise<void> {
    closed = true;
    await queue.stop();
    await tail.close();
    await lock.release();
  }

  /** Creates the sink of a code. If `own`, it also commits or discards the file. */
  function sinkOf(code: string, own = false): CodeSink {
    let fromMs = startOf(code);
    let begunAt = start.now();
    let rows = 0;
    let readUntilMs: number | undefined;
    let done = false;
    async function dropRows(): Promise<boolean> {
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
        readUntilMs = endMs;
        fromMs = startOf(code, endMs);
        return fromMs;
      },
      added: () => rows,
      async write(batch) {
        if (begunAt.serviceMs === undefined) begunAt = start.now();
        const added = await append(code, batch, begunAt);
        rows += added;
        return added;
      },
      checkpoint: async () => async () => {
        if (await dropRows()) return true;
        const overlap = overlapOf(overlaps, code);
        const rereadFromMs = fromMs ?? -Infinity;
        changed ||= overlap.rereadFromMs !== rereadFromMs;
        // A9: marks rows from `rereadFromMs` on as unverified. Each run rereads them until they are verified.
        overlap.rereadFromMs = rereadFromMs;
        return true;
      },
      async commit() {
        done = true;
        changed = noteRead(overlapOf(overlaps, code), readUntilMs) || changed;
        if (own) await commit();
      },
      async discard() {
        if (!done) await dropRows();
        if (own) await discard();
      },
    };
  }

  return {
    path,
    /** Returns the number of rows, of added rows, and the newest time at the last commit. */
    contents: () => kept,
    sinkOf,
    /** A34: adds scans that the caller has found to be missing from the log. */
    addMissing: (code: string, batch: TimedRows) => append(code, batch, undefined),
    noteGone(code: string): boolean | undefined {
      const overlap = overlaps.get(code);
      if (!overlap) return undefined;
      const { isGone } = overlap;
      overlap.isGone = true;
      changed ||= !isGone;
      return isGone;
    },
    commit,
    discard,
  };
}

export interface RowTail {
  /** Writes rows. Returns whether a commit is worthwhile. */
  write(code: string, batch: TimedRows): Promise<boolean>;
  commit(last: boolean): Promise<void>;
  replace(): Promise<void>;
  drop?(code: string): Promise<void>;
  /** Reads saved rows, at least those from `fromMs` on. */
  readBack(onRow: (row: SavedRow) => void, fromMs: number): Promise<void>;
  keepsState(): boolean;
  isStamped(): boolean;
  close(): Promise<void>;
}
