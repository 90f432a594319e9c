/** The times a person may give for `--since` and `--until`. */
import { Temporal } from 'temporal-polyfill';
import { UsageError } from './errors.ts';
import { shown } from './quote.ts';
import { parseDuration } from './time.ts';

const DATE = /^\d{4}-\d\d-\d\d$/;
const DATE_TIME = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d([.,]\d+)?)?([Zz]|[+-]\d\d:?\d\d)?$/;
const OFFSET = /([Zz]|[+-]\d\d:?\d\d)$/;

/**
 * Milliseconds since the epoch of a date, a date-time, a DURATION ago, `now`, `today` or `yesterday`. What has no offset is meant
 * in `timezone` (an IANA name; the machine's when undefined), a date is its first instant there, also where the clocks change.
 * Throws UsageError naming `flag`.
 */
export function parseMoment(
  text: string,
  { flag, nowMs, timezone }: { flag: string; nowMs: number; timezone: string | undefined },
): number {
  const zone = timezone ?? Temporal.Now.timeZoneId();
  const now = Temporal.Instant.fromEpochMilliseconds(Math.floor(nowMs));
  const duration = parseDuration(text);
  if (text === 'now') return now.epochMilliseconds;
  if (duration !== undefined && duration <= now.epochMilliseconds) return now.epochMilliseconds - duration;
  try {
    if (text === 'today' || text === 'yesterday') {
      const today = now.toZonedDateTimeISO(zone).toPlainDate();
      return startOf(text === 'today' ? today : today.subtract({ days: 1 }), zone);
    }
    if (DATE.test(text)) return startOf(Temporal.PlainDate.from(text, { overflow: 'reject' }), zone);
    if (DATE_TIME.test(text)) return dateTime(text.replace(' ', 'T').replace(',', '.'), zone);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
  }
  throw new UsageError(`${flag} '${shown(text)}' is not a time.`, {
    hint: 'Use a date (2026-03-29), a date-time (2026-03-29T14:30 or 2026-03-29T14:30:00Z), a duration ago (24h), now, today or yesterday.',
  });
}

function startOf(date: Temporal.PlainDate, zone: string): number {
  return date.toZonedDateTime(zone).epochMilliseconds;
}

function dateTime(text: string, zone: string): number {
  if (OFFSET.test(text.slice(10))) return Temporal.Instant.from(text).epochMilliseconds;
  return Temporal.PlainDateTime.from(text, { overflow: 'reject' }).toZonedDateTime(zone).epochMilliseconds;
}

/** Throws UsageError where a zone is not one. */
export function checkTimezone(timezone: string): void {
  try {
    Temporal.Now.instant().toZonedDateTimeISO(timezone);
  } catch {
    throw new UsageError(`--timezone '${timezone}' is not a time zone.`, {
      hint: 'Use an IANA name such as Europe/Berlin, America/New_York or UTC.',
    });
  }
}
