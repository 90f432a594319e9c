import { capitalize } from '#base/text/quote';
import { isPeriod, parsePeriod, periodOfRange, zoned } from '#base/time/periods';
import { DAY_MS } from '#base/time/time';
import { type ClosedSpan, startsDay, WEEKDAYS } from '#scans/stats/calendar';
import type { Figure, Section } from '#scans/stats/figures';
import type { Filter } from '#scans/stats/filters';
import type { Name } from './document.ts';
import { fill, type LocalDate, type Locale } from './languages/load-language.ts';

const LONGEST = 120;

export function shorten(text: string, longest = LONGEST): string {
  const start = [...text.slice(0, 2 * longest)].slice(0, longest).join('');
  return start.length < text.length ? `${start}…` : text;
}

export function rowName(row: Figure, section: Section, locale: Locale): Name {
  const { name, detail } = nameOf(row, section, locale);
  return {
    name: shorten(section.kind === 'time' ? capitalize(name) : name),
    detail: detail && shorten(detail),
  };
}

export function filterText({ group, values }: Filter, locale: Locale): string {
  const named = values.map((text) => {
    return nameOf({ value: text || null, name: null }, { ...group, rows: [] }, locale).name;
  });
  const name = group.kind === 'column' ? group.by : locale.words.columns[group.by];
  return fill(locale.words.pair, {
    name: shorten(name),
    value: named.map((text) => shorten(text)).join(', '),
  });
}

export function unitName({ value }: Figure, { by }: Section, locale: Locale): string {
  return timeName(by, value ?? '', locale).name;
}

function nameOf(
  { value, name, isRest, destination }: Pick<Figure, 'value' | 'name' | 'isRest' | 'destination'>,
  { kind, by, rows }: Pick<Section, 'kind' | 'by' | 'rows'>,
  locale: Locale,
): Name {
  const { others, tooMany, noReferrer, noValue, notRecorded } = locale.words.rows;
  if (isRest) return { name: rows.length > 1 ? others : tooMany };
  if (value === null && (kind === 'column' || kind === 'utm')) return { name: noValue };
  if (value === null) return { name: by === 'referrer' ? noReferrer : notRecorded };
  if (kind === 'time') return timeName(by, value, locale);
  if (kind === 'code') {
    const details = [name === null || name === value ? undefined : value, destination];
    const detail = details.filter((text) => text !== undefined).join(' · ');
    return { name: name ?? value, detail: detail || undefined };
  }
  return { name: kind === 'value' ? valueName(by, value, locale) : value };
}

const AGENT: ReadonlySet<string> = new Set(['device', 'os', 'browser']);

function valueName(by: string, value: string, { country, words }: Locale): string {
  if (by === 'country') return country(value);
  if (value === 'unknown' && AGENT.has(by)) return words.rows.unknown;
  if (by === 'device' && Object.hasOwn(words.devices, value))
    return words.devices[value as keyof typeof words.devices];
  return value;
}

function timeName(by: string, value: string, locale: Locale): Name {
  const dates = unitDates(by, value);
  if (by === 'hour') return { name: formatHour(Number(value), locale) };
  if (dates === undefined) return { name: value };
  const [first, last] = dates;
  switch (by) {
    case 'weekday':
      return { name: locale.weekday(first.weekday, 'long') };
    case 'month':
      return { name: locale.date('month', first) };
    case 'week':
      return { name: formatDays(first, last, locale), detail: value };
    default:
      return { name: locale.date('fullDate', first) };
  }
}

export function formatHour(hour: number, { date }: Locale): string {
  return date('time', { ...MIDNIGHT, hour });
}

const MIDNIGHT: LocalDate = { year: 1970, month: 1, day: 1, weekday: 3, hour: 0, minute: 0 };

export function localDate(ms: number, zone: string): LocalDate {
  const { year, month, day, dayOfWeek, hour, minute } = zoned(ms, zone);
  return { year, month, day, hour, minute, weekday: dayOfWeek - 1 };
}

/** Formats a range, such as `17 to 23 November 2026`. Adds times if it has partial days. */
export function formatRange({ sinceMs, untilMs }: ClosedSpan, zone: string, locale: Locale): string {
  const first = localDate(sinceMs, zone);
  const last = localDate(untilMs - 1, zone);
  const unit = periodOfRange({ sinceMs, untilMs }, zone)?.unit;
  if (unit === 'day') return locale.date('fullDate', first);
  if (unit === 'year' || unit === 'quarter' || unit === 'month') return locale.date(unit, first);
  if (![sinceMs, untilMs].every((ms) => startsDay(zoned(ms, zone)))) {
    return locale.range(locale.dateTime(first), locale.dateTime(localDate(untilMs, zone)));
  }
  const isOfMonths = first.day === 1 && localDate(untilMs, zone).day === 1;
  if (!isOfMonths) return formatDays(first, last, locale);
  return locale.date(first.year === last.year ? 'monthsInYear' : 'months', first, last);
}

function formatDays(first: LocalDate, last: LocalDate, locale: Locale): string {
  if (first.year !== last.year) return locale.date('days', first, last);
  if (first.month !== last.month) return locale.date('daysInYear', first, last);
  return locale.date('daysInMonth', first, last);
}

/** Returns the first and last date of a unit (`2026-10-01`, `2026-W40`, `2026-10`, `Monday`). */
export function unitDates(by: string, value: string): [LocalDate, LocalDate] | undefined {
  if (by === 'weekday') {
    const date = { year: 1970, month: 1, day: 5, weekday: WEEKDAYS.indexOf(value) };
    return [date, date];
  }
  if (!isPeriod(value, 0)) return undefined;
  const { sinceMs, untilMs } = parsePeriod(value, { flag: '', nowMs: 0, timezone: 'UTC' });
  return [localDate(sinceMs, 'UTC'), localDate(untilMs - DAY_MS, 'UTC')];
}
