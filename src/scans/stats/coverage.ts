/** Computes which part of a range the files cover: outside of it, no scans does not mean zero scans. */
import { capitalize } from '../../base/text/quote.ts';
import { createLocalTime } from '../../base/time/local-time.ts';
import type { ScanRun } from '../scan-run.ts';
import type { Span } from './calendar.ts';
import type { InputLog } from './input/input-log.ts';
import type { FileSpan } from './input/read-scans.ts';

/** One log, or one file outside of any log. Times in ms since the epoch. */
export interface CoveredLog {
  /** First and last scan; undefined if there are none. */
  firstMs: number | undefined;
  lastMs: number | undefined;
  /** Start of the export: -Infinity for the first scan of all. Undefined if unknown. */
  beginsMs: number | undefined;
  isKept: boolean;
}

export interface Coverage {
  /** First scan of all, if the range begins before it and it is not known that the data begins with the range. */
  startsLateMs: number | undefined;
  /** Last scan of all, if the range ends after it. */
  endsEarlyMs: number | undefined;
  /** Each log goes from the beginning of the range to its end: no scan in it is a result. */
  isWhole: boolean;
}

/** F12: compares a range, and the previous one, with the coverage of the logs. */
export function coverageOf(logs: readonly CoveredLog[], span: Span, before: Span | undefined): Coverage {
  const { sinceMs = Number.NEGATIVE_INFINITY, untilMs } = span;
  // A range without a beginning begins with the data.
  const from = before?.sinceMs ?? span.sinceMs ?? Number.POSITIVE_INFINITY;
  const firstMs = logs.reduce(
    (found, log) => Math.min(found, log.firstMs ?? found),
    Number.POSITIVE_INFINITY,
  );
  const isBegun = logs.every(({ beginsMs = Number.POSITIVE_INFINITY }) => beginsMs <= from);
  const lastMs = latestOf(logs);
  const lastKeptMs = latestOf(logs.filter(({ isKept }) => isKept));
  const isReached = ({ lastMs: last = Number.NEGATIVE_INFINITY, isKept }: CoveredLog) =>
    untilMs !== undefined && (last >= untilMs || (isKept && lastKeptMs >= untilMs));
  const isFrom = ({ beginsMs, firstMs: first }: CoveredLog) =>
    [beginsMs, first].some((ms) => ms !== undefined && ms <= sinceMs);
  return {
    startsLateMs: !isBegun && from < firstMs && Number.isFinite(firstMs) ? firstMs : undefined,
    endsEarlyMs: untilMs !== undefined && Number.isFinite(lastMs) && lastMs < untilMs ? lastMs : undefined,
    isWhole: logs.length > 0 && logs.every((log) => isFrom(log) && isReached(log)),
  };
}

function latestOf(logs: readonly CoveredLog[]): number {
  return logs.reduce((found, { lastMs = found }) => Math.max(found, lastMs), Number.NEGATIVE_INFINITY);
}

/** Returns the covered logs. `spans`: spans of files by path. Each file of a log without an export counts alone: scans may be missing between them. */
export async function coveredLogs(
  logs: readonly InputLog[],
  spans: ReadonlyMap<string, FileSpan>,
): Promise<CoveredLog[]> {
  const covered: CoveredLog[] = [];
  for (const { keptBy, paths } of logs) {
    const beginsMs = keptBy && (await beginningOf(keptBy, paths));
    const parts = keptBy ? [paths] : paths.map((path) => [path]);
    for (const part of parts) {
      let firstMs: number | undefined;
      let lastMs: number | undefined;
      for (const span of part.flatMap((path) => spans.get(path) ?? [])) {
        firstMs = Math.min(firstMs ?? span.firstMs, span.firstMs);
        lastMs = Math.max(lastMs ?? span.lastMs, span.lastMs);
      }
      covered.push({ firstMs, lastMs, beginsMs, isKept: keptBy !== undefined });
    }
  }
  return covered;
}

async function beginningOf(
  keptBy: NonNullable<InputLog['keptBy']>,
  paths: readonly string[],
): Promise<number | undefined> {
  if ('file' in keptBy) return (await import('../append/append-file.ts')).readBeginning(keptBy.file);
  const { readDatasetBeginning } = await import('../dataset/open-dataset.ts');
  return readDatasetBeginning(keptBy.directory, new Set(paths));
}

/** Returns sentences on the ends of the range that the files don't cover. */
export function describeCoverage(
  { startsLateMs, endsEarlyMs }: Coverage,
  zone: string,
): { start: string | undefined; end: string | undefined } {
  const { format } = createLocalTime(zone);
  const at = (ms: number) => `${format(ms).slice(0, -':00'.length)} (${zone})`;
  const start = (ms: number) => `the data begins at ${at(ms)}; earlier scans, if any, are not included`;
  const end = (ms: number) => `the data ends at ${at(ms)}; later scans, if any, are not included`;
  return {
    start: startsLateMs === undefined ? undefined : start(startsLateMs),
    end: endsEarlyMs === undefined ? undefined : end(endsEarlyMs),
  };
}

export function noteCoverage({ note, warn }: ScanRun['console'], coverage: Coverage, zone: string): void {
  const { start, end } = describeCoverage(coverage, zone);
  if (start !== undefined) warn(start);
  if (end !== undefined) note(capitalize(end));
}
