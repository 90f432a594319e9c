import { Temporal } from 'temporal-polyfill';
import { sum } from '#base/collections';
import type { LocalTime } from '#base/time/local-time';
import { periodName, periodOfRange, periodYearBefore, previousPeriod, zoned } from '#base/time/periods';
import { HOUR_MS, weekdayOfDay } from '#base/time/time';
import type { Bounds } from '#scans/export/range';
import type { TimeDimension } from './dimensions.ts';

export type Span = Bounds;

export type ClosedSpan = Required<Span>;

export type Zone = Pick<LocalTime, 'zone' | 'offsetMs'>;

/** Returns local time minus UTC, in ms, at an instant. */
export type OffsetAt = Zone['offsetMs'];

export const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
export const HOURS_A_DAY = 24;
export const DAYS_A_WEEK = 7;
const HOURS_A_WEEK = HOURS_A_DAY * DAYS_A_WEEK;
const EPOCH_WEEKDAY = 3;
const EPOCH = new Temporal.PlainDate(1970, 1, 1);

export type RunningUnit = 'day' | 'week' | 'month';

export function isRunning(unit: TimeDimension): unit is RunningUnit {
  return unit !== 'hour' && unit !== 'weekday';
}

export function localHour(ms: number, offsetMs: OffsetAt): number {
  return Math.floor((ms + offsetMs(ms)) / HOUR_MS);
}

/** Returns a unit's number: day, week or month since 1970, hour of the day, or weekday from Monday. */
export function unitOf(unit: TimeDimension, hour: number): number {
  const day = Math.floor(hour / HOURS_A_DAY);
  switch (unit) {
    case 'hour':
      return hour - day * HOURS_A_DAY;
    case 'day':
      return day;
    case 'week':
      return Math.floor((day + EPOCH_WEEKDAY) / DAYS_A_WEEK);
    case 'weekday':
      return weekdayOfDay(day);
    case 'month': {
      const { year, month } = dateOf(day);
      return (year - 1970) * 12 + month - 1;
    }
  }
}

/** Formats a unit, such as `2026-10-01`, `2026-W40`, `2026-10`, `08` or `Monday`. */
export function formatUnit(unit: TimeDimension, number: number): string {
  if (unit === 'hour') return String(number).padStart(2, '0');
  return unit === 'weekday' ? (WEEKDAYS[number] ?? '') : periodName(firstDay(unit, number), unit);
}

function firstDay(unit: RunningUnit, number: number): Temporal.PlainDate {
  if (unit === 'day') return dateOf(number);
  if (unit === 'week') return dateOf(number * DAYS_A_WEEK - EPOCH_WEEKDAY);
  return EPOCH.add({ months: number });
}

function dateOf(day: number): Temporal.PlainDate {
  return EPOCH.add({ days: day });
}

export function startOf(unit: RunningUnit, number: number, timezone: string): number {
  return firstDay(unit, number).toZonedDateTime(timezone).epochMilliseconds;
}

export function startOfDay(ms: number, { zone, offsetMs }: Zone, daysLater = 0): number {
  return startOf('day', unitOf('day', localHour(ms, offsetMs)) + daysLater, zone);
}

export function startsDay(time: Temporal.ZonedDateTime): boolean {
  return time.startOfDay().epochMilliseconds === time.epochMilliseconds;
}

export type DayCounts = ReturnType<typeof countDays>;

/** Counts the days in a range, with fractions. F15: each date has 24 hours, even if clocks change. */
export function countDays({ sinceMs, untilMs }: ClosedSpan, offsetMs: OffsetAt) {
  const from = localMs(sinceMs, offsetMs) / HOUR_MS;
  const to = Math.max(from, localMs(untilMs, offsetMs) / HOUR_MS);
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
  return {
    all: (to - from) / HOURS_A_DAY,
    ofWeekday: (weekday: number) => sum(hours.subarray(cell(weekday, 0), cell(weekday + 1, 0))) / HOURS_A_DAY,
    ofHour: (hour: number) => sum(hours.filter((_, place) => place % HOURS_A_DAY === hour)),
    ofHourOnWeekday: (weekday: number, hour: number) => hours[cell(weekday, hour)] ?? 0,
  };
}

/** Converts to local time by the offset just before, so that a day has 24 hours if clocks skip midnight. */
function localMs(ms: number, offsetMs: OffsetAt): number {
  return ms + offsetMs(ms - 1);
}

export const COMPARISONS = ['previous', 'year', 'none'] as const;
export type Comparison = (typeof COMPARISONS)[number] | ClosedSpan;

/**
 * Returns the period to compare `span` with. If `span` is in progress, a `previous` or `year` period ends
 * after the same elapsed local time. A specified period is returned unchanged.
 */
export function spanBefore(
  span: ClosedSpan,
  comparison: Exclude<Comparison, 'none'>,
  timezone: string,
  nowMs: number,
): ClosedSpan {
  if (typeof comparison === 'object') return comparison;
  const whole = wholeBefore(span, comparison === 'year', timezone);
  if (nowMs >= span.untilMs || nowMs <= span.sinceMs) return whole;
  const passed = zoned(span.sinceMs, timezone).until(zoned(nowMs, timezone), { largestUnit: 'days' });
  const endMs = zoned(whole.sinceMs, timezone).add(passed).epochMilliseconds;
  return { sinceMs: whole.sinceMs, untilMs: Math.min(whole.untilMs, endMs) };
}

function wholeBefore(span: ClosedSpan, isYear: boolean, timezone: string): ClosedSpan {
  const { sinceMs, untilMs } = span;
  const period = periodOfRange(span, timezone);
  if (period) {
    const before = isYear ? periodYearBefore(period) : previousPeriod(period);
    return { sinceMs: before.sinceMs, untilMs: before.untilMs };
  }
  const since = zoned(sinceMs, timezone);
  const until = zoned(untilMs, timezone);
  if (isYear) {
    const yearBefore = (time: typeof since) => time.subtract({ years: 1 }).epochMilliseconds;
    return { sinceMs: yearBefore(since), untilMs: yearBefore(until) };
  }
  if (![since, until].every(startsDay)) return { sinceMs: sinceMs - (untilMs - sinceMs), untilMs: sinceMs };
  const { days } = since.toPlainDate().until(until.toPlainDate());
  return { sinceMs: since.subtract({ days }).epochMilliseconds, untilMs: sinceMs };
}
