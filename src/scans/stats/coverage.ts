/** Finds the range that files cover. Outside this range, the number of scans is unknown, not zero. */
import { sum } from '#base/collections';
import { capitalize } from '#base/text/quote';
import { createLocalTime } from '#base/time/local-time';
import { parseInstant } from '#base/time/time';
import { describeUnread, readExtent } from '#scans/append/recorded-log';
import type { CodeLabel } from '#scans/export/export-codes';
import type { ScanRun } from '#scans/scan-run';
import { type ClosedSpan, type Span, startOfDay, type Zone } from './calendar.ts';
import type { InputLog } from './input/input-log.ts';
import type { FileSpan } from './input/read-scans.ts';
import type { Tally } from './tally.ts';

export interface CoveredLog extends Partial<FileSpan> {
  /** Time from which the log was exported: -Infinity if from the first scan, undefined if unknown. */
  beginsMs?: number;
  isKept: boolean;
  /** Number of codes whose first export is not complete. */
  unread?: number;
}

export type Coverage = ReturnType<typeof coverageOf>;

/** F12: returns how far logs cover a range. */
export function coverageOf(logs: readonly CoveredLog[], span: Span, before?: Span) {
  const { sinceMs = -Infinity, untilMs } = span;
  // A range without a start can't begin before the data.
  const from = before?.sinceMs ?? span.sinceMs ?? Infinity;
  const firstMs = logs.reduce((found, log) => Math.min(found, log.firstMs ?? found), Infinity);
  const isBegun = logs.every(({ beginsMs = Infinity }) => beginsMs <= from);
  const lastMs = latestOf(logs);
  const unread = sum(logs.map((log) => log.unread ?? 0));
  const lastKeptMs = latestOf(logs.filter(({ isKept }) => isKept));
  const isReached = ({ lastMs: last = -Infinity, isKept }: CoveredLog) =>
    untilMs !== undefined && (last >= untilMs || (isKept && lastKeptMs >= untilMs));
  const isFrom = ({ beginsMs, firstMs: first, unread = 0 }: CoveredLog) =>
    unread === 0 && [beginsMs, first].some((ms) => ms !== undefined && ms <= sinceMs);
  return {
    /** Time of the first data, if the range may begin before it. */
    startsLateMs: !isBegun && from < firstMs && Number.isFinite(firstMs) ? firstMs : undefined,
    /** Time of the last data, if the range ends after it. */
    endsEarlyMs: untilMs !== undefined && Number.isFinite(lastMs) && lastMs < untilMs ? lastMs : undefined,
    ...(unread > 0 && { unread }),
    /** Whether a count of zero is certain. */
    isWhole: logs.length > 0 && logs.every((log) => isFrom(log) && isReached(log)),
  };
}

function latestOf(logs: readonly CoveredLog[]): number {
  return logs.reduce((found, { lastMs = found }) => Math.max(found, lastMs), -Infinity);
}

/** Finds when logs begin and end. A file to which no export appends is its own log. */
export async function coveredLogs(
  logs: readonly InputLog[],
  spans: ReadonlyMap<string, FileSpan>,
): Promise<CoveredLog[]> {
  const covered: CoveredLog[] = [];
  for (const { keptBy, paths } of logs) {
    let beginsMs: number | undefined;
    let unread: number | undefined;
    if (keptBy && 'file' in keptBy) {
      ({ beginsMs, unread } = await readExtent(keptBy.file));
    } else if (keptBy) {
      const { readDatasetExtent } = await import('#scans/dataset/open-dataset');
      ({ beginsMs, unread } = await readDatasetExtent(keptBy.directory, new Set(paths)));
    }
    const parts = keptBy ? [paths] : paths.map((path) => [path]);
    for (const part of parts) {
      const found = part.flatMap((path) => spans.get(path) ?? []);
      const firstMs = found.map((span) => span.firstMs).sort((a, b) => a - b)[0];
      const lastMs = found.map((span) => span.lastMs).sort((a, b) => b - a)[0];
      covered.push({ firstMs, lastMs, beginsMs, isKept: keptBy !== undefined, unread });
    }
  }
  return covered;
}

export function describeCoverage({ startsLateMs, endsEarlyMs, unread = 0 }: Coverage, zone: string) {
  const { format } = createLocalTime(zone);
  const at = (ms: number) => `${format(ms).slice(0, -':00'.length)} (${zone})`;
  const start = (ms: number) => `the data begins at ${at(ms)}; earlier scans, if any, are not included`;
  const end = (ms: number) => `the data ends at ${at(ms)}; later scans, if any, are not included`;
  return {
    start: [startsLateMs === undefined ? '' : start(startsLateMs), unread > 0 && describeUnread(unread)]
      .filter(Boolean)
      .join('; '),
    end: endsEarlyMs === undefined ? '' : end(endsEarlyMs),
  };
}

export function noteCoverage({ note, warn }: ScanRun['console'], coverage: Coverage, zone: string): void {
  const { start, end } = describeCoverage(coverage, zone);
  if (start) warn(start);
  if (end) note(capitalize(end));
}

/** Period with data. `ofCode`: start (ms) of the day on which each code was created, by ID. */
export interface DataPart {
  fromMs?: number;
  toMs?: number;
  ofCode?: ReadonlyMap<string, number>;
}

export function partOfFiles({ startsLateMs, endsEarlyMs }: Coverage, zone: Zone): DataPart {
  return {
    fromMs: startsLateMs === undefined ? undefined : startOfDay(startsLateMs, zone),
    toMs: endsEarlyMs === undefined ? undefined : startOfDay(endsEarlyMs, zone, 1),
  };
}

/**
 * Returns the period with data, and the day on which each code was created. If all codes were created after
 * `sinceMs`, the period begins on the day of the first scan (Infinity if totals don't show it) or, without
 * scans, of the first creation.
 */
export function partOfService(
  codes: readonly Pick<CodeLabel, 'id' | 'created_at'>[],
  tallies: readonly Tally[],
  sinceMs: number | undefined,
  zone: Zone,
): DataPart {
  const created = codes.map(({ created_at = '' }) => parseInstant(created_at));
  const ofCode = new Map<string, number>();
  for (const [at, { id }] of codes.entries()) {
    const ms = created[at];
    if (ms !== undefined) ofCode.set(id.toLowerCase(), startOfDay(ms, zone));
  }
  const isOld = created.some((ms) => ms === undefined || sinceMs === undefined || ms <= sinceMs);
  if (isOld || created.length === 0) return { ofCode };
  if (tallies.some((tally) => tally.total() > 0 && !tally.span())) return { fromMs: Infinity, ofCode };
  const firsts = tallies.flatMap((tally) => tally.span()?.firstMs ?? []);
  const begins = firsts.length > 0 ? firsts : created.flatMap((ms) => ms ?? []);
  const first = begins.reduce((found, ms) => Math.min(found, ms), Infinity);
  return { fromMs: startOfDay(first, zone), ofCode };
}

/** F18: returns whether a range does not begin before the data. */
export function isCovered({ sinceMs }: Span, { fromMs }: DataPart): boolean {
  return sinceMs === undefined || fromMs === undefined || sinceMs >= fromMs;
}

/** F14: returns the covered part of a period. An open bound is the day of the first or last scan. */
export function coveredPart(
  { sinceMs, untilMs }: Span,
  { tally, data, nowMs, ...zone }: Zone & { tally: Tally; data: DataPart; nowMs?: number },
): ClosedSpan | undefined {
  const seen = tally.span();
  const fromMs = sinceMs ?? (seen && startOfDay(seen.firstMs, zone));
  const toMs = untilMs ?? (seen && startOfDay(seen.lastMs, zone, 1));
  if (fromMs === undefined || toMs === undefined) return undefined;
  const part = {
    sinceMs: Math.max(fromMs, data.fromMs ?? -Infinity),
    untilMs: Math.min(toMs, data.toMs ?? Infinity, nowMs ?? Infinity),
  };
  return part.sinceMs < part.untilMs ? part : undefined;
}
