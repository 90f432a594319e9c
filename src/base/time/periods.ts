import { Temporal } from 'temporal-polyfill';
import { orUndefined, UsageError } from '#base/errors';
import { shown } from '#base/text/quote';

const PERIOD_UNITS = ['day', 'week', 'month', 'quarter', 'year'] as const;
type PeriodUnit = (typeof PERIOD_UNITS)[number];

export interface Period {
  /** Name such as `2026`, `2026-Q4`, `2026-10`, `2026-W42` or `2026-10-31`. */
  name: string;
  unit: PeriodUnit;
  sinceMs: number;
  untilMs: number;
  timezone: string;
}

const FORMS =
  'Use a period such as 2026, 2026-Q4, 2026-10, 2026-W42, 2026-10-31, yesterday, this-week or last-month.';

/** Parses a period. `last-month` is relative to the local day of `nowMs`. Throws UsageError. */
export function parsePeriod(
  text: string,
  { flag, nowMs, timezone }: { flag: string; nowMs: number; timezone: string },
): Period {
  const found = findPeriod(text, nowMs, timezone);
  if (found) return periodOn(found.day, found.unit, timezone);
  throw new UsageError(`invalid value for ${flag}: '${shown(text)}' (expected a period)`, { hint: FORMS });
}

export function isPeriod(text: string, nowMs: number): boolean {
  return findPeriod(text, nowMs, 'UTC') !== undefined;
}

export function findPeriod(text: string, nowMs: number, timezone: string): Found | undefined {
  const word = periodWord(text);
  return relative(word, localDay(nowMs, timezone)) ?? absolute(word);
}

export function periodWord(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/[\s_]+/g, '-');
}

export function zoned(ms: number, timezone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(Math.floor(ms)).toZonedDateTimeISO(timezone);
}

function localDay(ms: number, timezone: string): Temporal.PlainDate {
  return zoned(ms, timezone).toPlainDate();
}

interface Found {
  unit: PeriodUnit;
  day: Temporal.PlainDate;
}

function relative(word: string, today: Temporal.PlainDate): Found | undefined {
  if (word === 'today') return { unit: 'day', day: today };
  if (word === 'yesterday') return { unit: 'day', day: today.subtract({ days: 1 }) };
  const [, which, name] = /^(this|last)-(week|month|quarter|year)$/.exec(word) ?? [];
  const unit = PERIOD_UNITS.find((known) => known === name);
  if (!unit) return undefined;
  return { unit, day: which === 'this' ? today : startOf(today, unit).subtract({ days: 1 }) };
}

/** Parses an absolute period; undefined if it does not exist (`2026-02-30`, `2025-W53`). */
function absolute(word: string): Found | undefined {
  const [, year = '', quarter, week, month, day] =
    /^(\d{4})(?:-q([1-4])|-w(\d\d)|-(\d\d)(?:-(\d\d))?)?$/.exec(word) ?? [];
  if (year === '') return undefined;
  if (week !== undefined) return weekOf(Number(year), Number(week));
  const unit = (quarter && 'quarter') || (day && 'day') || (month ? 'month' : 'year');
  const monthOfYear = quarter ? 3 * Number(quarter) - 2 : Number(month ?? 1);
  const date = { year: Number(year), month: monthOfYear, day: Number(day ?? 1) };
  return orUndefined(
    () => ({ unit, day: Temporal.PlainDate.from(date, { overflow: 'reject' }) }),
    RangeError,
  );
}

/** Returns an ISO week, if it exists. Week 1 contains 4 January. */
function weekOf(year: number, week: number): Found | undefined {
  const day = new Temporal.PlainDate(year, 1, 4).add({ weeks: week - 1 });
  return day.yearOfWeek === year ? { unit: 'week', day } : undefined;
}

function periodOn(day: Temporal.PlainDate, unit: PeriodUnit, timezone: string): Period {
  const start = startOf(day, unit);
  const next = start.add(unit === 'quarter' ? { months: 3 } : { [`${unit}s`]: 1 });
  // In some zones, some days do not begin at midnight.
  const [sinceMs, untilMs] = [start, next].map(
    (date) => date.toZonedDateTime(timezone).epochMilliseconds,
  ) as [number, number];
  return { name: periodName(start, unit), unit, sinceMs, untilMs, timezone };
}

function startOf(day: Temporal.PlainDate, unit: PeriodUnit): Temporal.PlainDate {
  if (unit === 'week') return day.subtract({ days: day.dayOfWeek - 1 });
  if (unit === 'day') return day;
  if (unit === 'year') return day.with({ month: 1, day: 1 });
  const month = unit === 'quarter' ? day.month - ((day.month - 1) % 3) : day.month;
  return day.with({ month, day: 1 });
}

export function periodName(start: Temporal.PlainDate, unit: PeriodUnit): string {
  const date = start.toString();
  if (unit === 'day') return date;
  if (unit === 'month') return start.toPlainYearMonth().toString();
  if (unit === 'week') return `${start.yearOfWeek}-W${String(start.weekOfYear).padStart(2, '0')}`;
  return unit === 'quarter' ? `${date.slice(0, 4)}-Q${(start.month + 2) / 3}` : date.slice(0, 4);
}

export function previousPeriod({ sinceMs, unit, timezone }: Period): Period {
  return periodOn(localDay(sinceMs, timezone).subtract({ days: 1 }), unit, timezone);
}

/** Returns the period a year earlier; week 52 if that year has no week 53. */
export function periodYearBefore({ sinceMs, unit, timezone }: Period): Period {
  const day = localDay(sinceMs, timezone);
  if (unit !== 'week') return periodOn(day.subtract({ years: 1 }), unit, timezone);
  const { yearOfWeek: year = 0, weekOfYear: week = 0 } = day;
  // 53 weeks before week 53 is week 52, because the year before a year with week 53 has none.
  return periodOn(weekOf(year - 1, week)?.day ?? day.subtract({ weeks: 53 }), unit, timezone);
}

export function dayAfter(instantMs: number, timezone: string): Period {
  return periodOn(localDay(instantMs, timezone).add({ days: 1 }), 'day', timezone);
}

export function periodOfRange(
  { sinceMs, untilMs }: { sinceMs: number; untilMs: number },
  timezone: string,
): Period | undefined {
  const day = localDay(sinceMs, timezone);
  return PERIOD_UNITS.map((unit) => periodOn(day, unit, timezone)).find(
    (period) => period.sinceMs === sinceMs && period.untilMs === untilMs,
  );
}
