/** Determines the part of a range that the data covers: it begins and ends with a day of the data. Pure. */
import { parseInstant } from '../../base/time/time.ts';
import type { CodeLabel } from '../export/export-codes.ts';
import { type ClosedSpan, type Span, startOfDay, type Zone } from './calendar.ts';
import type { Coverage } from './coverage.ts';
import type { Tally } from './tally.ts';

/** Time that the data covers, ms since the epoch; undefined ends: all of the range. */
export interface DataPart {
  fromMs: number | undefined;
  toMs: number | undefined;
  /** Beginning of the day on which a code was created, by the key of the code; missing if unknown. */
  ofCode?: ReadonlyMap<string, number> | undefined;
}

export const ALL_COVERED: DataPart = { fromMs: undefined, toMs: undefined };

/** Returns the time that files cover: from the day of their first scan to that of their last one, where they don't cover the range. */
export function partOfFiles({ startsLateMs, endsEarlyMs }: Coverage, zone: Zone): DataPart {
  return {
    fromMs: startsLateMs === undefined ? undefined : startOfDay(startsLateMs, zone),
    toMs: endsEarlyMs === undefined ? undefined : startOfDay(endsEarlyMs, zone, 1),
  };
}

/**
 * Returns the time that the scans of these codes cover from `sinceMs` on: all of it if one of the codes existed by then, otherwise from
 * the day of the first counted scan. Earlier scans are not requested, so only the age of the codes shows that there are none.
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
  if (isOld || created.length === 0) return { ...ALL_COVERED, ofCode };
  const firsts = tallies.flatMap((tally) => tally.span()?.firstMs ?? []);
  const begins = firsts.length > 0 ? firsts : created.flatMap((ms) => ms ?? []);
  const first = begins.reduce((found, ms) => Math.min(found, ms), Number.POSITIVE_INFINITY);
  return { ...ALL_COVERED, fromMs: startOfDay(first, zone), ofCode };
}

/** F18: returns whether a range begins with the data or later. */
export function isCovered({ sinceMs }: Partial<Span>, { fromMs }: DataPart): boolean {
  return sinceMs === undefined || fromMs === undefined || sinceMs >= fromMs;
}

/**
 * F14: returns the covered part of a range, undefined if nothing of it is covered. An open range begins and ends with the days of its scans,
 * and no range ends after `nowMs`.
 */
export function coveredPart(
  { sinceMs, untilMs }: Span,
  { tally, data, nowMs, ...zone }: Zone & { tally: Tally; data: DataPart; nowMs: number | undefined },
): ClosedSpan | undefined {
  const seen = tally.span();
  const fromMs = sinceMs ?? (seen && startOfDay(seen.firstMs, zone));
  const toMs = untilMs ?? (seen && startOfDay(seen.lastMs, zone, 1));
  if (fromMs === undefined || toMs === undefined) return undefined;
  const part = {
    sinceMs: Math.max(fromMs, data.fromMs ?? Number.NEGATIVE_INFINITY),
    untilMs: Math.min(toMs, data.toMs ?? Number.POSITIVE_INFINITY, nowMs ?? Number.POSITIVE_INFINITY),
  };
  return part.sinceMs < part.untilMs ? part : undefined;
}
