/** Counts distinct scans and repeated rows per day, and finds the ranges that logs cover. */

import { basename } from 'node:path';
import { getOrAdd } from '#base/collections';
import { UsageError } from '#base/errors';
import { DAY_MS } from '#base/time/time';
import type { CodeLabel } from '#scans/export/export-codes';
import { type Bounds, contains, type Range, widest } from '#scans/export/range';
import { createIdSet, type IdSet } from '#scans/stats/input/distinct';
import { readEveryRow } from '#scans/stats/input/read-scans';
import { codeOfRows, covers, keptRange, type ScanLog } from './scan-log.ts';

export type CodeIndex = ReturnType<typeof emptyIndex>;

export type LogIndex = ReturnType<typeof createLogIndex>;

export function createLogIndex(isWanted: (code: string, ms: number) => boolean) {
  const codes = new Map<string, { index: CodeIndex; ids: IdSet }>();
  const span = { firstMs: Infinity, lastMs: -Infinity };
  return {
    add(code: string, id: number | bigint, ms: number): void {
      if (!isWanted(code, ms)) return;
      const { index, ids } = getOrAdd(codes, code, () => ({ index: emptyIndex(), ids: createIdSet() }));
      const day = dayOf(ms);
      if (ids.add(id, ms) !== 'new') {
        addOne(index.twice, day);
        return;
      }
      index.rows += 1;
      index.sum = (index.sum + hashOf(id)) | 0;
      addOne(index.days, day);
      span.firstMs = Math.min(span.firstMs, ms);
      span.lastMs = Math.max(span.lastMs, ms);
    },
    of: (code: string) => codes.get(code)?.index,
    codes: () => codes.keys(),
    span: () => span,
  };
}

/** Creates an index. The keys of `days` and `twice` are UTC days, numbered from 1970-01-01. */
export function emptyIndex() {
  return { rows: 0, days: new Map<number, number>(), twice: new Map<number, number>(), sum: 0 };
}

export function countIn({ days }: CodeIndex, { sinceMs = -Infinity, untilMs }: Range): number {
  let rows = 0;
  for (const [day, count] of days) if (day >= dayOf(sinceMs) && day * DAY_MS < untilMs) rows += count;
  return rows;
}

export function sumOf(ids: Iterable<number | bigint>): number {
  let sum = 0;
  for (const id of ids) sum = (sum + hashOf(id)) | 0;
  return sum;
}

export function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS);
}

export function addOne(days: Map<number, number>, day: number): void {
  days.set(day, (days.get(day) ?? 0) + 1);
}

/** Hashes an ID like MurmurHash3's finalizer, so that different sets of IDs rarely have equal sums. */
function hashOf(id: number | bigint): number {
  const [low, high] =
    typeof id === 'bigint'
      ? [Number(BigInt.asUintN(32, id)), Number(BigInt.asUintN(32, id >> 32n))]
      : [id, Math.floor(id / 2 ** 32)];
  let hash = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ high;
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

export type CoveredIndex = Awaited<ReturnType<typeof indexLogs>>;

interface LogReading {
  logs: readonly ScanLog[];
  codes: readonly CodeLabel[];
  signal: AbortSignal;
}

export async function readLogs(
  { logs, codes, signal }: LogReading,
  take: (code: string, id: number | bigint, ms: number) => void,
  takeTorn: (log: ScanLog, path: string) => void = () => undefined,
): Promise<void> {
  for (const log of logs) {
    for (const path of log.paths) {
      const codeId = codeOfRows(log, path, codes);
      const job = { paths: [path], fields: [], note: () => takeTorn(log, path), signal };
      const reading = readEveryRow(job, (owner, id, ms) => {
        const code = owner === '' ? codeId : owner;
        if (code === undefined) throw unnamed(path);
        take(code, id, ms);
      });
      await reading.catch((error: unknown) => {
        // Skips a log with a fault, which is reported for its codes.
        if (log.fault === undefined || !(error instanceof UsageError)) throw error;
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
 * V11: indexes logs. An appended log covers its codes up to its last complete run. Other files cover all
 * codes up to the requested end or the last row. A code without a log gets the range of all logs.
 */
export async function indexLogs(reading: LogReading, requested: Bounds) {
  const { sinceMs: fromMs = -Infinity, untilMs: toMs = Infinity } = requested;
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
    return range !== undefined && contains(range, ms);
  });
  await readLogs(reading, index.add, (log, path) =>
    torn.set(log, `the last line of ${basename(path)} is incomplete`),
  );
  const { firstMs, lastMs } = index.span();
  return {
    index,
    rangeOf,
    faultOf(code: string): string | undefined {
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
    const sinceMs = Math.max(fromMs, range.sinceMs ?? -Infinity);
    const untilMs = Math.min(toMs, range.untilMs);
    if (!(sinceMs < untilMs)) return undefined;
    return { sinceMs: sinceMs === -Infinity ? undefined : sinceMs, untilMs };
  }
}
