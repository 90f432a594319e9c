/** Reads logs: how many scans each code has in the range that its log covers, and what is wrong with the log. */
import { basename } from 'node:path';
import { UsageError } from '../../base/errors.ts';
import type { CodeLabel } from '../export/export-codes.ts';
import type { Range } from '../export/range.ts';
import { createPause, readEveryRow } from '../stats/input/read-scans.ts';
import { createLogIndex, type LogIndex } from './log-index.ts';
import { codeOfRows, covers, keptRange, type ScanLog } from './scan-log.ts';

/** Index of logs, and the range of each code that they cover. */
export interface CoveredIndex {
  index: LogIndex;
  /** Undefined if no log covers any of the requested range. */
  rangeOf(code: string): Range | undefined;
  /** Returns what is wrong with the log of a code, as a sentence. */
  faultOf(code: string): string | undefined;
}

export interface LogReading {
  logs: readonly ScanLog[];
  codes: readonly CodeLabel[];
  signal: AbortSignal;
}

/**
 * Calls `take` for each row of the logs: the ID of its code, its own ID, and its time in ms since the epoch; and `takeTorn` for each file whose last
 * line is incomplete. Throws UsageError for other files.
 */
export async function readLogs(
  { logs, codes, signal }: LogReading,
  take: (code: string, id: number | bigint, ms: number) => void,
  takeTorn: (log: ScanLog, path: string) => void = () => undefined,
): Promise<void> {
  const pause = createPause(signal);
  for (const log of logs) {
    for (const path of log.paths) {
      const codeId = codeOfRows(log, path, codes);
      const job = { paths: [path], note: () => takeTorn(log, path), signal, pause };
      await readEveryRow(job, (owner, id, ms) => {
        const code = owner === '' ? codeId : owner;
        if (code === undefined) throw unnamed(path);
        take(code, id, ms);
      });
    }
  }
}

function unnamed(path: string): UsageError {
  return new UsageError(`cannot verify ${path}: its rows have no code IDs`, {
    hint: 'Specify the code of the file: `qrctl scans verify CODE --input FILE`.',
  });
}

/**
 * Reads the logs. V11: an appended log covers each of its codes from its beginning to the end of its last complete run. Files that no append keeps
 * cover all codes from their first row to their last, or the requested range. A code of no log is compared in the range of all.
 */
export async function indexLogs(
  reading: LogReading,
  requested: { sinceMs: number | undefined; untilMs: number | undefined },
): Promise<CoveredIndex> {
  const { sinceMs: fromMs = Number.NEGATIVE_INFINITY, untilMs: toMs = Number.POSITIVE_INFINITY } = requested;
  const kept = reading.logs.filter(({ state }) => state);
  const plain = reading.logs.find(({ state }) => !state);
  const logOf = (code: string) => kept.find((log) => covers(log, code)) ?? plain;
  const ranges = new Map<string, Range | undefined>();
  const rangeOf = (code: string): Range | undefined => {
    if (!ranges.has(code)) ranges.set(code, cutTo(rangeIn(code)));
    return ranges.get(code);
  };
  const torn = new Map<ScanLog, string>();
  const index = createLogIndex((code, ms) => {
    if (ms < fromMs || ms >= toMs) return false;
    if (logOf(code)?.state === undefined) return true;
    const range = rangeOf(code);
    return range !== undefined && ms >= (range.sinceMs ?? ms) && ms < range.untilMs;
  });
  await readLogs(reading, index.add, (log, path) =>
    torn.set(log, `the last line of ${basename(path)} is incomplete`),
  );
  const { firstMs, lastMs } = index.span();
  return {
    index,
    rangeOf,
    faultOf(code) {
      const log = logOf(code);
      return log && (log.fault?.reason ?? torn.get(log));
    },
  };

  function rangeIn(code: string): Range | undefined {
    const log = logOf(code);
    if (log?.state) return keptRange(log, code);
    const isBounded = Number.isFinite(fromMs) || Number.isFinite(toMs);
    if (log)
      return { sinceMs: isBounded ? undefined : firstMs, untilMs: Number.isFinite(toMs) ? toMs : lastMs + 1 };
    return kept.map((other) => keptRange(other, code)).reduce(widest, undefined);
  }

  function cutTo(range: Range | undefined): Range | undefined {
    if (!range) return undefined;
    const sinceMs = Math.max(fromMs, range.sinceMs ?? Number.NEGATIVE_INFINITY);
    const untilMs = Math.min(toMs, range.untilMs);
    if (!(sinceMs < untilMs)) return undefined;
    return { sinceMs: sinceMs === Number.NEGATIVE_INFINITY ? undefined : sinceMs, untilMs };
  }
}

/** Returns the range from the earlier beginning to the later end. */
export function widest(one: Range | undefined, other: Range | undefined): Range | undefined {
  if (!one || !other) return one ?? other;
  const sinceMs =
    one.sinceMs === undefined || other.sinceMs === undefined
      ? undefined
      : Math.min(one.sinceMs, other.sinceMs);
  return { sinceMs, untilMs: Math.max(one.untilMs, other.untilMs) };
}
