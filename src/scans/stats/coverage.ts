/** Computes which part of a range the files cover: outside of it, no scans does not mean zero scans. Pure. */
import type { Span } from './calendar.ts';

/** One log, or one file outside of any log. Times in ms since the epoch. */
export interface CoveredLog {
  /** First and last scan; undefined if there are none. */
  firstMs: number | undefined;
  lastMs: number | undefined;
  /** Start of the export: -Infinity for the first scan of all. Undefined if unknown. */
  beginsMs: number | undefined;
  /** An export appends to it. */
  isKept: boolean;
}

/** Coverage of a range by the data. */
export interface Coverage {
  /** First scan of all, if the range begins before it and it is not known that the data begins with the range. */
  startsLateMs: number | undefined;
  /** The last scan of all, if the range ends after it. */
  endsEarlyMs: number | undefined;
  /** Each log goes from the beginning of the range to its end: no scan in it is a result. */
  isWhole: boolean;
}

/** F12: compares a range, and the previous one, with the coverage of the logs. */
export function coverageOf(logs: readonly CoveredLog[], span: Span, before: Span | undefined): Coverage {
  const { sinceMs, untilMs } = span;
  // A range without a beginning begins with the data.
  const from = before?.sinceMs ?? sinceMs ?? Number.POSITIVE_INFINITY;
  const firstMs = logs.reduce(
    (found, log) => Math.min(found, log.firstMs ?? found),
    Number.POSITIVE_INFINITY,
  );
  const isBegun = logs.every(({ beginsMs = Number.POSITIVE_INFINITY }) => beginsMs <= from);
  const lastMs = latestOf(logs);
  const lastKeptMs = latestOf(logs.filter(({ isKept }) => isKept));
  const isReached = (log: CoveredLog) =>
    untilMs !== undefined &&
    Math.max(log.lastMs ?? Number.NEGATIVE_INFINITY, log.isKept ? lastKeptMs : Number.NEGATIVE_INFINITY) >=
      untilMs;
  const isFrom = ({ beginsMs, firstMs: first }: CoveredLog) =>
    Math.min(beginsMs ?? Number.POSITIVE_INFINITY, first ?? Number.POSITIVE_INFINITY) <=
    (sinceMs ?? Number.NEGATIVE_INFINITY);
  return {
    startsLateMs: !isBegun && from < firstMs && Number.isFinite(firstMs) ? firstMs : undefined,
    endsEarlyMs: untilMs !== undefined && Number.isFinite(lastMs) && lastMs < untilMs ? lastMs : undefined,
    isWhole: logs.length > 0 && logs.every((log) => isFrom(log) && isReached(log)),
  };
}

/** Returns the time of the last scan of all. */
function latestOf(logs: readonly CoveredLog[]): number {
  return logs.reduce((found, { lastMs = found }) => Math.max(found, lastMs), Number.NEGATIVE_INFINITY);
}
