/** Formats dates and intervals by the frozen patterns of a language (https://unicode.org/reports/tr35/tr35-dates.html#Date_Format_Patterns). */
import type { LocaleData, PatternName } from './locale-data.ts';

/** Day of the calendar, perhaps with a time. */
export interface LocalDate {
  year: number;
  /** From 1. */
  month: number;
  day: number;
  /** 0: Monday. */
  weekday: number;
  hour?: number;
  minute?: number;
}

/** A quoted text, a field, or anything else. */
const PARTS = /'([^']*)'|([yMLdEQHm])\2*|[^'yMLdEQHm]+/g;

/** Formats one date or, by the pattern of an interval, two: from the first field that comes again on, it is the second. */
export function formatPattern(cldr: LocaleData, name: PatternName, first: LocalDate, last = first): string {
  const seen = new Set<string>();
  let date = first;
  return cldr.patterns[name].replace(PARTS, (part, quoted: string | undefined, field: string | undefined) => {
    if (field === undefined) return quoted ?? part;
    const kind = field === 'L' ? 'M' : field;
    if (seen.has(kind)) date = last;
    seen.add(kind);
    return formatField(cldr, part, date);
  });
}

function formatField(
  { months, quarters, weekdays, firstDay }: LocaleData,
  field: string,
  date: LocalDate,
): string {
  const { year, month, day, weekday, hour = 0, minute = 0 } = date;
  switch (field) {
    case 'y':
      return String(year);
    case 'M':
      return String(month);
    case 'MMM':
      return months.shortFormat[month - 1] ?? '';
    case 'MMMM':
      return months.format[month - 1] ?? '';
    case 'LLL':
      return months.shortAlone[month - 1] ?? '';
    case 'LLLL':
      return months.alone[month - 1] ?? '';
    case 'd':
      return day === 1 ? (firstDay ?? '1') : String(day);
    case 'EEEE':
      return weekdays.long[weekday] ?? '';
    case 'QQQQ':
      return quarters[Math.floor((month - 1) / 3)] ?? '';
    case 'H':
      return String(hour);
    case 'HH':
      return String(hour).padStart(2, '0');
    case 'mm':
      return String(minute).padStart(2, '0');
    default:
      throw new Error(`no rule for the field ${field} of a date`);
  }
}

/** Joins two texts by a pattern with `{0}` and `{1}`. */
export function joinBy(cldr: LocaleData, name: 'dateTime' | 'fallback', zero: string, one: string): string {
  return cldr.patterns[name].replace(/\{([01])\}/g, (_, at) => (at === '0' ? zero : one));
}
