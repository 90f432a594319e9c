/** Dates of ranges and of units of time, and the words for a range. */
import { isPeriod, parsePeriod, periodOfRange } from '../../base/time/periods.ts';
import { DAY_MS, parseInstant } from '../../base/time/time.ts';
import { zoned } from '../stats/calendar.ts';
import type { ClosedSpan } from '../stats/compare-span.ts';
import type { LocalDate } from './languages/format-locale.ts';
import type { Locale } from './languages/load-language.ts';

/** Returns the local date and time of an instant, ms since the epoch, in an IANA zone. */
export function localDate(ms: number, zone: string): LocalDate {
  const { year, month, day, dayOfWeek, hour, minute } = zoned(ms, zone);
  return { year, month, day, hour, minute, weekday: dayOfWeek - 1 };
}

/** Words a half-open range, as within a sentence: `October 2026`, `17 to 23 November 2026`, or with times if it does not consist of whole days. */
export function formatRange(
  { sinceMs, untilMs }: Pick<ClosedSpan, 'sinceMs' | 'untilMs'>,
  zone: string,
  locale: Locale,
): string {
  const first = localDate(sinceMs, zone);
  const last = localDate(untilMs - 1, zone);
  switch (periodOfRange({ sinceMs, untilMs }, zone)?.unit) {
    case 'year':
      return locale.date('year', first);
    case 'quarter':
      return locale.date('quarter', first);
    case 'month':
      return locale.date('month', first);
    case 'day':
      return locale.date('fullDate', first);
  }
  if (![sinceMs, untilMs].every((ms) => startsDay(ms, zone))) {
    return locale.range(locale.dateTime(first), locale.dateTime(localDate(untilMs, zone)));
  }
  const isOfMonths = first.day === 1 && localDate(untilMs, zone).day === 1;
  return isOfMonths ? formatMonths(first, last, locale) : formatDays(first, last, locale);
}

function startsDay(ms: number, zone: string): boolean {
  const time = zoned(ms, zone);
  return time.startOfDay().epochMilliseconds === time.epochMilliseconds;
}

export function formatDays(first: LocalDate, last: LocalDate, locale: Locale): string {
  if (first.year !== last.year) return locale.date('days', first, last);
  if (first.month !== last.month) return locale.date('daysInYear', first, last);
  return first.day === last.day ? locale.date('date', first) : locale.date('daysInMonth', first, last);
}

function formatMonths(first: LocalDate, last: LocalDate, locale: Locale): string {
  return locale.date(first.year === last.year ? 'monthsInYear' : 'months', first, last);
}

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
/**
 * Returns the first and the last date of a unit in its form in data: `2026-10-01`, `2026-W40`, `2026-10`, `Monday`; undefined if there are
 * none, as for an hour or a year of five digits.
 */
export function unitDates(by: string, value: string): [LocalDate, LocalDate] | undefined {
  if (by === 'weekday') return twice({ year: 1970, month: 1, day: 5, weekday: WEEKDAYS.indexOf(value) });
  if (by === 'day') {
    const ms = parseInstant(`${value}T00:00:00Z`);
    return ms === undefined ? undefined : twice(localDate(ms, 'UTC'));
  }
  if (by === 'hour' || !isPeriod(value, 0)) return undefined;
  const { sinceMs, untilMs } = parsePeriod(value, { flag: '', nowMs: 0, timezone: 'UTC' });
  return [localDate(sinceMs, 'UTC'), localDate(untilMs - DAY_MS, 'UTC')];
}

function twice(date: LocalDate): [LocalDate, LocalDate] {
  return [date, date];
}
