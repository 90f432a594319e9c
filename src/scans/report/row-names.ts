import { capitalize } from '../../base/text/quote.ts';
import type { Figure, Section } from '../stats/figures.ts';
import type { Name } from './document.ts';
import type { LocalDate } from './languages/format-locale.ts';
import type { Locale } from './languages/load-language.ts';
import { formatDays, unitDates } from './range-words.ts';

/** Longer names are truncated: a name of 10 kB would fill the whole page. */
const LONGEST = 120;

/** Truncates a text of the data, by code points. */
export function shorten(text: string, longest = LONGEST): string {
  if (text.length <= longest) return text;
  const start = [...text.slice(0, 2 * longest)].slice(0, longest).join('');
  return start.length < text.length ? `${start}…` : text;
}

export function rowName(row: Figure, section: Section, locale: Locale): Name {
  const { name, detail } = nameOf(row, section, locale);
  return {
    name: shorten(section.kind === 'time' ? capitalize(name) : name),
    ...(detail !== undefined && { detail: shorten(detail) }),
  };
}

export function unitName({ value }: Figure, { by }: Section, locale: Locale): string {
  return timeName(by, value ?? '', locale).name;
}

function nameOf({ value, name, isRest }: Figure, { kind, by, rows }: Section, locale: Locale): Name {
  const { others, tooMany, noReferrer, noValue, notRecorded } = locale.words.rows;
  if (isRest) return { name: rows.length > 1 ? others : tooMany };
  if (value === null && (kind === 'column' || kind === 'utm')) return { name: noValue };
  if (value === null) return { name: by === 'referrer' ? noReferrer : notRecorded };
  if (kind === 'time') return timeName(by, value, locale);
  if (kind === 'code') return name === null || name === value ? { name: value } : { name, detail: value };
  return { name: kind === 'value' ? valueName(by, value, locale) : value };
}

/** Fields that the service takes from the user agent, or calls unknown. */
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

/** Formats an hour of the day, such as `08:00`. */
export function formatHour(hour: number, { date }: Locale): string {
  return date('time', { ...MIDNIGHT, hour });
}

const MIDNIGHT: LocalDate = { year: 1970, month: 1, day: 1, weekday: 3, hour: 0, minute: 0 };
