/** Splits a range so that each part is within one unit of every requested dimension. */
import { HOUR_MS, QUARTER_MS } from '../../base/time/units.ts';
import { type RunningUnit, startOf, unitOf } from './calendar.ts';
import type { ClosedSpan } from './compare-span.ts';
import { fieldsOf, type GroupBy, unitsOfTime } from './dimensions.ts';
import type { OffsetAt } from './tally.ts';

/** More requests than anybody wants in place of pages. */
const MOST_BUCKETS = 20_000;

/**
 * Returns the instants within a range, rising, at which the unit of these groups changes, ms since the epoch; none for
 * groups of codes alone. Undefined if the groups require the scans themselves.
 */
export function bucketCuts(
  groups: readonly GroupBy[],
  span: ClosedSpan,
  timezone: string,
  offsetAt: OffsetAt,
): number[] | undefined {
  if (fieldsOf(groups).length > 0) return undefined;
  const times = unitsOfTime(groups);
  if (times.includes('hour')) return hourCuts(span, offsetAt);
  if (times.length === 0) return [];
  const only = times.every((unit) => unit === times[0]) ? times[0] : 'day';
  return unitCuts(only === 'week' || only === 'month' ? only : 'day', span, timezone, offsetAt);
}

function hourCuts({ sinceMs, untilMs }: ClosedSpan, offsetAt: OffsetAt): number[] | undefined {
  if ((untilMs - sinceMs) / HOUR_MS > MOST_BUCKETS) return undefined;
  const hourOf = (ms: number) => Math.floor((ms + offsetAt(ms)) / HOUR_MS);
  const cuts: number[] = [];
  let hour = hourOf(sinceMs);
  for (let ms = Math.ceil(sinceMs / QUARTER_MS) * QUARTER_MS; ms < untilMs; ms += QUARTER_MS) {
    if (hourOf(ms) === hour) continue;
    hour = hourOf(ms);
    cuts.push(ms);
  }
  return cuts;
}

function unitCuts(
  unit: RunningUnit,
  { sinceMs, untilMs }: ClosedSpan,
  timezone: string,
  offsetAt: OffsetAt,
): number[] | undefined {
  const unitAt = (ms: number) => unitOf(unit, Math.floor((ms + offsetAt(ms)) / HOUR_MS));
  const [first, last] = [unitAt(sinceMs), unitAt(untilMs - 1)];
  if (last - first > MOST_BUCKETS) return undefined;
  const cuts: number[] = [];
  for (let number = first; number <= last; number++) {
    const ms = startOf(unit, number, timezone);
    // A date that a time zone skipped (Samoa, 30 December 2011) begins when the next one does.
    if (ms > (cuts.at(-1) ?? sinceMs)) cuts.push(ms);
  }
  return cuts;
}
