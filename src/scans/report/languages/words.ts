/** The words of a report in one language. A table that lacks one, or a plural form of its language, is a type error. */
import type { Dimension } from '../../stats/dimensions.ts';
import type { Categories, Language } from './plurals.ts';

/** A phrase with a number, by plural category; `{}` is the formatted number. */
export type Plural<L extends Language> = Readonly<Record<Categories[L], string>>;

export interface Words<L extends Language> {
  /** Kind of the document. */
  kicker: string;
  /** Default title. */
  title: string;
  /** Name of the key figures, for a screen reader. */
  summary: string;
  /** Name of the image, for a screen reader. */
  logo: string;
  scans: Plural<L>;
  codes: Plural<L>;
  /** In place of the period, and of the charts. */
  noScans: string;
  tiles: Readonly<Record<'scans' | 'perDay' | 'busiestDay' | 'topCode' | 'topCountry' | 'onPhones', string>>;
  /** `12 % of all scans` */
  ofScans(share: string): string;
  /** Ends a sentence. */
  sentence(words: string): string;
  /** Between two sentences. */
  gap: string;
  /** `September 2026: 11,950` */
  pair(name: string, value: string): string;
  /** Growth above 999 %. */
  moreThanTenfold: string;
  /** Sentences about the comparison. */
  comparedWith(range: string): string;
  averagesCompared: string;
  notCovered: string;
  /** Sentences about what the data cover. */
  dataBegins(date: string, time: string): string;
  dataEnds(date: string, time: string): string;
  /** Titles of cards; a column of a file has its own name. */
  cards: Readonly<Record<Dimension | 'hours' | 'silent', string>>;
  /** Heads of the first column. */
  columns: Readonly<Record<Dimension, string>>;
  heads: Readonly<Record<'scans' | 'share' | 'perDay' | 'previous' | 'change' | 'isNew' | 'weekOf', string>>;
  /** Rows that are not a value; `noValue`: of a column of a file, or of a UTM tag. */
  rows: Readonly<Record<'others' | 'tooMany' | 'notRecorded' | 'noValue' | 'noReferrer' | 'unknown', string>>;
  devices: Readonly<Record<'mobile' | 'tablet' | 'desktop', string>>;
  /** For a reader who doesn't see the chart; `peak` is a date or an hour. */
  chart(title: string, peak: string, scans: string): string;
  /** Sentences below a table. */
  notes: Readonly<
    Record<
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
    >
  >;
  footer: Readonly<{
    notPeople: string;
    fewScans: string;
    zone(zone: string): string;
    /** Name of the source of the figures: so many codes, or files. */
    source: string;
    files: string;
    onceEach: string;
  }>;
  pageOf(page: string, pages: string): string;
}
