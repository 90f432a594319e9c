/** The rows of an appended file: each goes in once, and none that the file has already. */

import type { Lock } from '../durable/lock.ts';
import type { CodeSink, Row } from '../row-sink.ts';
import type { Clock } from '../time.ts';
import type { Writer } from './commit.ts';
import type { CommittedFile } from './open.ts';
import { addRow, type CodeWindow, emptyWindow, readFrom, trim } from './overlap.ts';
import { createGate } from './ownership-check.ts';
import { inWords, refusal } from './refusals.ts';
import { createTurns } from './serial-queue.ts';

/** Where a code's next run begins. */
interface Position {
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
   * Says that rows appended from now on are not yet proven to be all from `fromMs` (-Infinity: the first) on: should this run
   * end here, the next reads from there again. `undefined` takes it back.
   */
  reread(codeId: string, fromMs: number | undefined): void;
  /** All is read: commits, puts a restarted file in its place, and closes. A first run without rows makes the file too. */
  commit(): Promise<void>;
  /** Something failed: commits what was appended (a restart: leaves the old file as it is), and closes. Never throws; idempotent. */
  discard(): Promise<void>;
}

/** What turns rows into text or its UTF-8: `begin` is what stands before the first row; `rows` must be whole lines. */
export interface AppendFormatter {
  begin(): string;
  rows(rows: readonly Row[]): string | Uint8Array;
}

export interface AppendJob {
  /** The real file. */
  path: string;
  formatter: AppendFormatter;
  overlapMs: number;
  restart: boolean;
  clock: Clock;
  committed: CommittedFile;
  writer: Writer;
  lock: Lock;
}

/** Appends to a file at its committed point; takes over the writer and the lock. */
export function createAppendFile({ path, formatter, overlapMs, restart, clock, committed, writer, lock }: AppendJob): AppendFile {
  const { windows, sinceMs, saved, anchor } = committed;
  const turns = createTurns(clock, commitRows);
  const gate = createGate(anchor, () => refusal(path, NOT_THE_SAME_CODE));
  /** Codes of which rows are handed over again that are older than their window: from when on all their ids are kept. */
  const keptFromMs = new Map<string, number>();
  /** Something is to be committed at the end: in a first run the file itself, though it may have no rows. */
  let changed = !saved;
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
    const fresh = new Map<string, number>();
    rows.forEach((row, i) => {
      const id = String(row.id);
      if (!window.ids.has(id) && !fresh.has(id)) fresh.set(id, i);
    });
    if (fresh.size === 0) return 0;
    changed = true;
    const places = [...fresh.values()];
    await writer.write(formatter.rows(places.map((i) => rows[i] ?? {})));
    // Not before they are written: a first write makes a state, which must not know rows that the file has not.
    for (const [id, i] of fresh) addRow(window, id, times[i] ?? Number.NaN);
    trim(window, overlapMs, keptFromMs.get(code));
    return fresh.size;
  }

  async function commitRows(): Promise<void> {
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
    path,
    position(code) {
      const window = windows.get(code) ?? emptyWindow();
      return { fromMs: readFrom(window, overlapMs, sinceMs), watermarkMs: window.watermarkMs, rows: window.rows };
    },
    append: (code, rows, times) =>
      turns
        .take(async () => {
          let added = 0;
          for (const held of gate.pass(rows, times)) added += await add(code, held.rows, held.times);
          if (added > 0) await turns.commitWhenDue();
          return added;
        })
        .catch((error) => Promise.reject(inWords(error, path))),
    reread(code, fromMs) {
      const window = windowOf(code);
      changed ||= window.rereadFromMs !== fromMs;
      window.rereadFromMs = fromMs;
    },
    async commit() {
      try {
        await turns.take(async () => {
          if (!gate.isOpen()) throw refusal(path, NOT_THE_SAME_CODE);
          await commitRows();
          if (restart) await writer.replace();
        });
      } catch (error) {
        throw inWords(error, path);
      }
      await close();
    },
    async discard() {
      if (closed) return;
      if (writer.begun()) await turns.take(commitRows).catch(() => undefined);
      await close();
    },
  };
}

const NOT_THE_SAME_CODE = 'its state is lost, and the service does not show the newest row of it for this code';

function oldestOf(times: readonly number[]): number {
  return times.reduce((oldest, time) => Math.min(oldest, time), Number.POSITIVE_INFINITY);
}

/** The part of a file that is appended to which is one code's. With `own` the file is this code's alone, and ends with it. */
export function appendSink(file: AppendFile, codeId: string, own: boolean): CodeSink {
  const { fromMs: sinceMs } = file.position(codeId);
  let added = 0;
  return {
    sinceMs,
    added: () => added,
    async write({ rows, times }) {
      const fresh = await file.append(codeId, rows, times);
      added += fresh;
      return fresh;
    },
    // Rows that are handed over again are dropped by the file; until they all were, a killed run must read from here again.
    checkpoint: async () => async () => {
      file.reread(codeId, sinceMs ?? Number.NEGATIVE_INFINITY);
      return true;
    },
    async commit() {
      file.reread(codeId, undefined);
      if (own) await file.commit();
    },
    async discard() {
      if (own) await file.discard();
    },
  };
}
