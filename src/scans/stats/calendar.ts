/** Days, weeks and months as consecutive numbers, and their text forms. */
import { Temporal } from 'temporal-polyfill';
import type { TimeDimension } from './dimensions.ts';

/** Half-open range of ms since the epoch; an undefined end is open. */
export interface Span {
  sinceMs: number | undefined;
  untilMs: number | undefined;
}

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;
const HOURS_A_DAY = 24;
const DAYS_A_WEEK = 7;
/** 1970-01-01 was a Thursday. */
const EPOCH_WEEKDAY = 3;

/** Units that follow one another; hours of the day and weekdays come round again. */
export type RunningUnit = 'day' | 'week' | 'month';

export function isRunning(unit: TimeDimension): unit is RunningUnit {
  return unit !== 'hour' && unit !== 'weekday';
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
      return (((day + EPOCH_WEEKDAY) % DAYS_A_WEEK) + DAYS_A_WEEK) % DAYS_A_WEEK;
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

/** The first day of a unit. */
function firstDay(unit: RunningUnit, number: number): Temporal.PlainDate {
  if (unit === 'day') return dateOf(number);
  if (unit === 'week') return dateOf(number * DAYS_A_WEEK - EPOCH_WEEKDAY);
  return new Temporal.PlainDate(1970 + Math.floor(number / 12), (((number % 12) + 12) % 12) + 1, 1);
}

/** Returns the start of a unit in a zone, ms since the epoch, also for days of 23 or 25 hours or without midnight. */
export function startOf(unit: RunningUnit, number: number, timezone: string): number {
  return firstDay(unit, number).toZonedDateTime(timezone).epochMilliseconds;
}

const EPOCH = new Temporal.PlainDate(1970, 1, 1);

function dateOf(day: number): Temporal.PlainDate {
  return EPOCH.add({ days: day });
}

/** Converts an instant to the local time of a zone. */
export function zoned(ms: number, timezone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(Math.floor(ms)).toZonedDateTimeISO(timezone);
}
