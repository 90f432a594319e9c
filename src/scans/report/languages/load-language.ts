/** Loads one language: its words, and its forms of numbers, dates and names. Only the file of that language is read. */
import { formatPattern, joinBy, type LocalDate } from './format-date.ts';
import { formatAverage, formatDecimal, formatGrowth, formatShare, formatTick } from './format-number.ts';
import type { LocaleData, PatternName } from './locale-data.ts';
import { type Language, PLURAL_RULES } from './plurals.ts';
import type { Plural, Words } from './words.ts';

/** A language with everything that a report needs of it. */
export interface Locale {
  language: Language;
  direction: 'ltr' | 'rtl';
  words: Omit<Words<Language>, 'scans' | 'codes'>;
  /** `1 scan`, `2,000 scans` */
  scans(count: number): string;
  codes(count: number): string;
  number(value: number): string;
  /** With one decimal, or two if it or one of `beside` would be zero otherwise. */
  average(value: number, beside?: readonly (number | null)[]): string;
  tick(value: number): string;
  /** A fraction as a percentage. */
  share(fraction: number): string;
  /** Growth as a percentage with its sign, or in words if it is too large for one. */
  change(growth: number): string;
  date(pattern: PatternName, first: LocalDate, last?: LocalDate): string;
  dateTime(date: LocalDate): string;
  joinSentences(sentences: readonly string[]): string;
  /** Two texts as a range. */
  range(first: string, last: string): string;
  /** 0: Monday. */
  weekday(day: number, width: 'long' | 'short'): string;
  /** Name of a country; the code itself if it is unknown. */
  country(code: string): string;
}

interface Table<L extends Language> {
  LANGUAGE: { cldr: LocaleData; words: Words<L> };
}

/** The build makes a file of each (src/build/bundle.mjs). */
const TABLES: { readonly [L in Language]: () => Promise<Table<L>> } = {
  en: () => import('./en.ts'),
  de: () => import('./de.ts'),
  fr: () => import('./fr.ts'),
  es: () => import('./es.ts'),
  it: () => import('./it.ts'),
  nl: () => import('./nl.ts'),
  pt: () => import('./pt.ts'),
  pl: () => import('./pl.ts'),
  ja: () => import('./ja.ts'),
  ar: () => import('./ar.ts'),
};

export async function loadLanguage<L extends Language>(language: L): Promise<Locale> {
  const { cldr, words } = (await TABLES[language]()).LANGUAGE;
  const number = (value: number) => formatDecimal(cldr, value);
  const count = (forms: Plural<L>) => (value: number) =>
    forms[PLURAL_RULES[language](value)].replace('{}', number(value));
  return {
    ...{ language, words, number },
    direction: language === 'ar' ? 'rtl' : 'ltr',
    scans: count(words.scans),
    codes: count(words.codes),
    average: (value, beside) => formatAverage(cldr, value, beside),
    tick: (value) => formatTick(cldr, value),
    share: (fraction) => formatShare(cldr, fraction),
    change: (growth) => formatGrowth(cldr, growth) ?? words.moreThanTenfold,
    date: (pattern, first, last) => formatPattern(cldr, pattern, first, last),
    dateTime: (date) =>
      joinBy(cldr, 'dateTime', formatPattern(cldr, 'time', date), formatPattern(cldr, 'date', date)),
    joinSentences: (sentences) => sentences.join(words.gap),
    range: (first, last) => joinBy(cldr, 'fallback', first, last),
    weekday: (day, width) => cldr.weekdays[width][day] ?? '',
    country: (code) => (Object.hasOwn(cldr.countries, code) ? (cldr.countries[code] ?? code) : code),
  };
}
