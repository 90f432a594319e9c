/** Data of one language: its words (words/, written by hand), and its forms of dates and numbers (cldr/). */
import type { Dimension } from '../../stats/dimensions.ts';
import type { Categories, Language } from './plurals.ts';

/** A phrase with a number, by plural category; `{count}` is the formatted number. */
export type Plural<L extends Language> = Readonly<Record<Categories[L], string>>;

/** Words of a report. A table that lacks one, or a plural form of its language, is a type error. `{name}` is replaced by a value. */
export interface Words<L extends Language> {
  kicker: string;
  title: string;
  summary: string;
  /** Name of the image, for a screen reader. */
  logo: string;
  scans: Plural<L>;
  codes: Plural<L>;
  noScans: string;
  tiles: Record<'scans' | 'perDay' | 'busiestDay' | 'topCode' | 'topCountry' | 'onPhones', string>;
  /** `{share} of all scans` */
  ofScans: string;
  /** `{words}.` */
  sentence: string;
  gap: string;
  /** `{name}: {value}` */
  pair: string;
  moreThanTenfold: string;
  /** Sentence about the comparison, with its `{range}`. */
  comparedWith: string;
  averagesCompared: string;
  notCovered: string;
  dataBegins: string;
  dataEnds: string;
  cards: Record<Dimension | 'hours' | 'silent', string>;
  columns: Record<Dimension, string>;
  heads: Record<'scans' | 'share' | 'perDay' | 'previous' | 'change' | 'isNew' | 'weekOf', string>;
  /** Rows that are not a value; `noValue`: of a column of a file, or of a UTM tag. */
  rows: Record<'others' | 'tooMany' | 'notRecorded' | 'noValue' | 'noReferrer' | 'unknown', string>;
  devices: Record<'mobile' | 'tablet' | 'desktop', string>;
  /** Text for a screen reader, with `{title}`, `{peak}` (a date or an hour) and `{scans}`. */
  chart: string;
  notes: Record<
    | 'approximate'
    | 'sparse'
    | 'part'
    | 'beforeData'
    | 'averageBars'
    | 'averageChanges'
    | 'averageCells'
    | 'byWeek'
    | 'byWeekday',
    string
  >;
  /** `zone` has `{zone}`; `source`: name of the source of the figures, a number of codes or `files`. */
  footer: Record<'notPeople' | 'fewScans' | 'zone' | 'source' | 'files' | 'onceEach', string>;
  pageOf: string;
}

/** Replaces each `{name}` of a text by its value. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (placeholder, name) => values[name] ?? placeholder);
}

/** Names and forms of dates and numbers, from the Unicode CLDR (Unicode-3.0); src/build/write-cldr.mjs writes them. */
export interface LocaleData {
  decimal: string;
  group: string;
  /** Digits before the first group that is separated: with 2, `1234` and `12 345`. */
  minimumGroupingDigits: number;
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
