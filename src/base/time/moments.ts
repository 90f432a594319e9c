import { Temporal } from 'temporal-polyfill';
import { orUndefined, UsageError } from '#base/errors';
import { shown } from '#base/text/quote';
import { findPeriod, isPeriod, periodWord } from './periods.ts';
import { parseDuration } from './time.ts';

const DATE = /^\d{4}-\d\d-\d\d$/;
const DATE_TIME = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d([.,]\d+)?)?([Zz]|[+-]\d\d:?\d\d)?$/;
const OFFSET = /([Zz]|[+-]\d\d:?\d\d)$/;

interface MomentContext {
  flag: string;
  nowMs: number;
  timezone: () => string;
}

/** Parses a time, a duration before now, or a date (its first instant) to epoch ms. Throws UsageError. */
export function parseMoment(text: string, context: MomentContext): number {
  const { flag, nowMs, timezone } = context;
  const now = Math.floor(nowMs);
  const duration = parseDuration(text);
  if (text === 'now') return now;
  if (duration !== undefined && duration <= now) return now - duration;
  try {
    if (text === 'today' || text === 'yesterday' || isDate(text)) {
      const day = findPeriod(text, now, timezone())?.day;
      if (day) return day.toZonedDateTime(timezone()).epochMilliseconds;
    }
    if (DATE_TIME.test(text)) return dateTime(text.replace(' ', 'T').replace(',', '.'), timezone);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
  }
  const message = `invalid value for ${flag}: '${shown(text)}' (expected a date, a time or a duration)`;
  throw new UsageError(message, { hint: meant(text.trim(), context) ?? FORMS });
}

const FORMS =
  'Use a date (2026-03-29), a date-time (2026-03-29T14:30Z), a duration before now (24h), or now, today or yesterday.';

export function isDate(text: string): boolean {
  return DATE.test(text);
}

export function isInUtc(text: string): boolean {
  return /z/i.test(text) && DATE_TIME.test(text);
}

function dateTime(text: string, timezone: () => string): number {
  if (OFFSET.test(text)) return Temporal.Instant.from(text).epochMilliseconds;
  return Temporal.PlainDateTime.from(text).toZonedDateTime(timezone()).epochMilliseconds;
}

function meant(text: string, { flag, nowMs }: MomentContext): string | undefined {
  if (isPeriod(text, nowMs)) {
    return `Use --during ${periodWord(text)} for the whole period, or pass ${flag} a date such as 2026-10-01.`;
  }
  const [, ago, unit] = /^(\d+)\s*(second|minute|hour|day|week|[smhdw])\w*(?:\s+ago)?$/i.exec(text) ?? [];
  const duration = ago && unit && `${Number(ago)}${unit.charAt(0).toLowerCase()}`;
  if (duration && (parseDuration(duration) ?? nowMs) < nowMs) return `Use ${flag} ${duration}.`;
  const days = datesOf(text);
  return days.length > 0 ? `Use ${days.map((day) => `${flag} ${day}`).join(' or ')}.` : undefined;
}

/** Returns the dates that a text may mean: one for `01.03.2026` or `03/29/2026`, two for `03/04/2026`. */
function datesOf(text: string): string[] {
  const [, year, ...parts] = /^(\d{4})[./]?(\d\d?)[./]?(\d\d?)$/.exec(text) ?? [];
  if (year) return valid([iso(year, parts[0], parts[1])]);
  const [, first, sign, second, last = ''] = /^(\d\d?)([./-])(\d\d?)\2(\d{4})$/.exec(text) ?? [];
  // With slashes or hyphens, the order depends on the country.
  const dayFirst = iso(last, second, first);
  return valid(sign === '.' ? [dayFirst] : [iso(last, first, second), dayFirst]);
}

function valid(dates: readonly (string | undefined)[]): string[] {
  return [...new Set(dates)].filter((date) => date !== undefined);
}

function iso(year: string, month = '', day = ''): string | undefined {
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return orUndefined(() => Temporal.PlainDate.from(date).toString());
}
