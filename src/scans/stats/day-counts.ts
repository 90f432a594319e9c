/** Counts the days of a range by the zone's own clock, as what an average per day is divided by. */
import { DAY_MS, HOUR_MS } from '../../base/time/units.ts';
import { unitOf } from './calendar.ts';
import type { ClosedSpan } from './compare-span.ts';
import type { OffsetAt } from './tally.ts';

export const HOURS_A_DAY = 24;
export const DAYS_A_WEEK = 7;
const HOURS_A_WEEK = HOURS_A_DAY * DAYS_A_WEEK;

/** Days of a range, fractions for days that it cuts: in all, and those of a weekday (0 is Monday) or with an hour of the day. */
export interface DayCounts {
  all: number;
  ofWeekday(weekday: number): number;
  ofHour(hour: number): number;
  ofHourOnWeekday(weekday: number, hour: number): number;
}

/** Counts the days of a range. F15: each date is one day of 24 hours, also if clocks change in it. */
export function countDays({ sinceMs, untilMs }: ClosedSpan, offsetAt: OffsetAt): DayCounts {
  const from = localMs(sinceMs, offsetAt) / HOUR_MS;
  const to = Math.max(from, localMs(untilMs, offsetAt) / HOUR_MS);
  const weeks = Math.floor((to - from) / HOURS_A_WEEK);
  const hours = new Float64Array(HOURS_A_WEEK).fill(weeks);
  const cell = (weekday: number, hour: number) => weekday * HOURS_A_DAY + hour;
  for (let at = from + weeks * HOURS_A_WEEK; at < to; ) {
    const hour = Math.floor(at);
    const end = Math.min(hour + 1, to);
    const place = cell(unitOf('weekday', hour), unitOf('hour', hour));
    hours[place] = (hours[place] ?? 0) + end - at;
    at = end;
  }
  const sum = (cells: Float64Array) => cells.reduce((all, part) => all + part, 0);
  return {
    all: (to - from) / HOURS_A_DAY,
    ofWeekday: (weekday) => sum(hours.subarray(cell(weekday, 0), cell(weekday + 1, 0))) / HOURS_A_DAY,
    ofHour: (hour) => sum(hours.filter((_, place) => place % HOURS_A_DAY === hour)),
    ofHourOnWeekday: (weekday, hour) => hours[cell(weekday, hour)] ?? 0,
  };
}

/** Returns the number of days of a range, as `countDays` does. */
export function daysBetween({ sinceMs, untilMs }: ClosedSpan, offsetAt: OffsetAt): number {
  return Math.max(0, localMs(untilMs, offsetAt) - localMs(sinceMs, offsetAt)) / DAY_MS;
}

/** Local time of an end of a range. The offset before it: a day that begins at 1:00 because clocks changed at midnight is a whole one. */
function localMs(ms: number, offsetAt: OffsetAt): number {
  return ms + offsetAt(ms - 1);
}
