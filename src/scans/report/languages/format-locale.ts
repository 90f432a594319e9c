/** Formats by frozen CLDR data, equal in all versions of Node (UTS 35). */
import type { LocaleData, PatternName } from './language-data.ts';

export interface LocalDate {
  year: number;
  month: number;
  day: number;
  /** Starts with 0 for Monday. */
  weekday: number;
  hour?: number;
  minute?: number;
}

const PARTS = /'([^']*)'|([yMLdEQHm])\2*|[^'yMLdEQHm]+/g;

/** Formats two dates by the pattern of an interval: the second from the first repeated field on. */
export function formatPattern(cldr: LocaleData, name: PatternName, first: LocalDate, last = first): string {
  const seen = new Set<string>();
  let date = first;
  return cldr.patterns[name].replace(PARTS, (part, quoted: string | undefined, field: string | undefined) => {
    if (field === undefined) return quoted ?? part;
    const kind = field === 'L' ? 'M' : field;
    if (seen.has(kind)) date = last;
    seen.add(kind);
    const format = FIELDS[part];
    if (!format) throw new Error(`no rule for the field ${part} of a date`);
    return format(date, cldr) ?? '';
  });
}

const FIELDS: Readonly<Record<string, (date: LocalDate, cldr: LocaleData) => string | undefined>> = {
  y: ({ year }) => `${year}`,
  M: ({ month }) => `${month}`,
  MMM: ({ month }, { months }) => months.shortFormat[month - 1],
  MMMM: ({ month }, { months }) => months.format[month - 1],
  LLL: ({ month }, { months }) => months.shortAlone[month - 1],
  LLLL: ({ month }, { months }) => months.alone[month - 1],
  d: ({ day }, { firstDay = '1' }) => (day === 1 ? firstDay : `${day}`),
  EEEE: ({ weekday }, { weekdays }) => weekdays.long[weekday],
  QQQQ: ({ month }, { quarters }) => quarters[Math.floor((month - 1) / 3)],
  H: ({ hour = 0 }) => `${hour}`,
  HH: ({ hour = 0 }) => `${hour}`.padStart(2, '0'),
  mm: ({ minute = 0 }) => `${minute}`.padStart(2, '0'),
};

const MOST_GROWTH = 9.99;

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

/** Formats a number of an axis: at most two decimals, without trailing zeros. */
export function formatTick(cldr: LocaleData, value: number): string {
  const decimals = [0, 1].find((count) => Number(value.toFixed(count)) === Number(value.toFixed(2))) ?? 2;
  return formatDecimal(cldr, value, decimals);
}

/** Formats an average with one decimal, or with two if it or a neighbor in `beside` would be zero. */
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
