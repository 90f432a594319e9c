/**
 * Formats dates and numbers by the frozen forms of a language, so that every version of Node writes the same
 * (https://unicode.org/reports/tr35/tr35-dates.html#Date_Format_Patterns).
 */
import type { LocaleData, PatternName } from './language-data.ts';

export interface LocalDate {
  year: number;
  month: number;
  day: number;
  /** 0: Monday. */
  weekday: number;
  hour?: number;
  minute?: number;
}

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

const MOST_GROWTH = 9.99;

/** Formats a number with that many decimals; `12.5` → `12,5`. */
export function formatDecimal(
  { decimal, group, minimumGroupingDigits }: LocaleData,
  value: number,
  decimals = 0,
): string {
  const [whole = '', fraction] = Math.abs(value).toFixed(decimals).split('.');
  const grouped =
    whole.length < 3 + minimumGroupingDigits ? whole : whole.replace(/\B(?=(?:\d{3})+$)/g, group);
  const sign = value < 0 ? '−' : '';
  return fraction === undefined ? `${sign}${grouped}` : `${sign}${grouped}${decimal}${fraction}`;
}

/** Formats a number for an axis: with at most two decimals, and none that is zero. */
export function formatTick(cldr: LocaleData, value: number): string {
  const decimals = [0, 1].find((count) => Number(value.toFixed(count)) === Number(value.toFixed(2))) ?? 2;
  return formatDecimal(cldr, value, decimals);
}

/** Formats an average with one decimal, or two if it, or one of `beside` in its table, would be zero otherwise. */
export function formatAverage(
  cldr: LocaleData,
  value: number,
  beside: readonly (number | null)[] = [value],
): string {
  const isSmall = beside.some((other) => other !== null && other > 0 && other < 0.1);
  return formatDecimal(cldr, value, isSmall ? 2 : 1);
}

export function formatShare(cldr: LocaleData, share: number): string {
  return inPercent(cldr, formatDecimal(cldr, share * 100, 1));
}

/** Formats growth as a percentage with its sign; undefined above 999 %. */
export function formatGrowth(cldr: LocaleData, growth: number): string | undefined {
  if (growth > MOST_GROWTH) return undefined;
  const digits = formatDecimal(cldr, Math.abs(growth) * 100, Math.abs(growth) >= 1 ? 0 : 1);
  const sign = growth > 0 ? '+' : '−';
  return inPercent(cldr, `${/[1-9]/.test(digits) ? sign : '±'}${digits}`);
}

function inPercent({ percent }: LocaleData, number: string): string {
  return percent.replace('{0}', number);
}
