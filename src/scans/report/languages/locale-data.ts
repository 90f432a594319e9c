/** Names and forms of dates and numbers in one language, from the Unicode CLDR (Unicode-3.0); src/build/write-cldr.mjs writes cldr/. */

export interface LocaleData {
  /** Decimal sign. */
  decimal: string;
  /** Sign between groups of three digits. */
  group: string;
  /** Digits before the first group that is separated: with 2, `1234` and `12 345`. */
  minimumGroupingDigits: number;
  /** `{0}` is the number. */
  percent: string;
  /** January first; `format` within a date, `alone` without a day. */
  months: Record<'format' | 'alone' | 'shortFormat' | 'shortAlone', readonly string[]>;
  quarters: readonly string[];
  /** Monday first. */
  weekdays: Record<'long' | 'short', readonly string[]>;
  /** The first day of a month, if it is not `1`. */
  firstDay?: string;
  patterns: Record<PatternName, string>;
  /** Names by code (ISO 3166-1 alpha-2). */
  countries: Readonly<Record<string, string>>;
}

/** Date patterns of UTS 35; those of intervals have each field once or twice. `dateTime` and `fallback` have two parts, `{0}` and `{1}`. */
export type PatternName =
  | 'fullDate'
  | 'date'
  | 'dateTime'
  | 'dateShort'
  | 'dayMonth'
  | 'month'
  | 'monthShort'
  | 'monthAlone'
  | 'quarter'
  | 'year'
  | 'time'
  | 'daysInMonth'
  | 'daysInYear'
  | 'days'
  | 'monthsInYear'
  | 'months'
  | 'fallback';
