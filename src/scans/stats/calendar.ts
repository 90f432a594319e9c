/** Days, weeks and months as consecutive numbers, their text forms, and the number of days in a range. */
import { Temporal } from 'temporal-polyfill';
import { DAY_MS, HOUR_MS } from '../../base/time/time.ts';
import type { TimeDimension } from './dimensions.ts';

/** Half-open range of ms since the epoch; an undefined end is open. */
export interface Span {
  sinceMs: number | undefined;
  untilMs: number | undefined;
}

export interface ClosedSpan extends Span {
  sinceMs: number;
  untilMs: number;
}

/** Returns local time minus UTC at an instant, both in ms; see `offsetMs` of local-time.ts. */
export type OffsetAt = (instantMs: number) => number;

/** Clock by which days are days. */
export interface Zone {
  timezone: string;
  offsetAt: OffsetAt;
}

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;
export const HOURS_A_DAY = 24;
export const DAYS_A_WEEK = 7;
const HOURS_A_WEEK = HOURS_A_DAY * DAYS_A_WEEK;
/** 1970-01-01 was a Thursday. */
const EPOCH_WEEKDAY = 3;
const EPOCH = new Temporal.PlainDate(1970, 1, 1);

/** Units that follow one another, unlike hours of the day and weekdays. */
export type RunningUnit = 'day' | 'week' | 'month';

export function isRunning(unit: TimeDimension): unit is RunningUnit {
  return unit !== 'hour' && unit !== 'weekday';
}

/** Returns the hours from 1970-01-01T00 of the zone's own clock to an instant. */
export function localHour(ms: number, offsetAt: OffsetAt): number {
  return Math.floor((ms + offsetAt(ms)) / HOUR_MS);
}

/** Returns the number of the unit that contains a local hour: days, ISO weeks and months since 1970, the hour of the day, the weekday from Monday. */
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
      return modulo(day + EPOCH_WEEKDAY, DAYS_A_WEEK);
    case 'month': {
      const { year, month } = dateOf(day);
      return (year - 1970) * 12 + month - 1;
    }
  }
}

/** Formats a unit: `2026-10-01`, `2026-W40`, `2026-10`, `08`, `Monday`. */
export function formatUnit(unit: TimeDimension, number: number): string {
  switch (unit) {
    case 'hour':
      return String(number).padStart(2, '0');
    case 'weekday':
      return WEEKDAYS[number] ?? '';
    case 'day':
      return dateOf(number).toString();
    case 'week': {
      const { yearOfWeek, weekOfYear } = firstDay('week', number);
      return `${yearOfWeek}-W${String(weekOfYear).padStart(2, '0')}`;
    }
    case 'month':
      return firstDay('month', number).toPlainYearMonth().toString();
  }
}

function firstDay(unit: RunningUnit, number: number): Temporal.PlainDate {
  if (unit === 'day') return dateOf(number);
  if (unit === 'week') return dateOf(number * DAYS_A_WEEK - EPOCH_WEEKDAY);
  return new Temporal.PlainDate(1970 + Math.floor(number / 12), modulo(number, 12) + 1, 1);
}

function modulo(number: number, divisor: number): number {
  return ((number % divisor) + divisor) % divisor;
}

function dateOf(day: number): Temporal.PlainDate {
  return EPOCH.add({ days: day });
}

/** Returns the start of a unit in a zone, ms since the epoch, also for days of 23 or 25 hours or without midnight. */
export function startOf(unit: RunningUnit, number: number, timezone: string): number {
  return firstDay(unit, number).toZonedDateTime(timezone).epochMilliseconds;
}

/** Returns the beginning of the local day of an instant, or of a later day. */
export function startOfDay(ms: number, { timezone, offsetAt }: Zone, daysLater = 0): number {
  return startOf('day', unitOf('day', localHour(ms, offsetAt)) + daysLater, timezone);
}

/** Converts an instant to the local time of a zone. */
export function zoned(ms: number, timezone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(Math.floor(ms)).toZonedDateTimeISO(timezone);
}

/** Days of a range, with fractions for days that it cuts: in all, and those of a weekday (0 is Monday) or with an hour of the day. */
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

/** Returns the local time of an end of a range, by the offset before it: a day that begins at 1:00 because clocks changed at midnight is whole. */
function localMs(ms: number, offsetAt: OffsetAt): number {
  return ms + offsetAt(ms - 1);
}
