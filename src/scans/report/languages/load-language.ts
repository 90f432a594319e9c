import {
  formatAverage,
  formatDecimal,
  formatGrowth,
  formatPattern,
  formatShare,
  formatTick,
  type LocalDate,
} from './format-locale.ts';
import { fill, type LocaleData, type PatternName, type Plural, type Words } from './language-data.ts';
import { type Language, PLURAL_RULES } from './plurals.ts';

export interface Locale {
  language: Language;
  direction: 'ltr' | 'rtl';
  words: Omit<Words<Language>, 'scans' | 'codes'>;
  scans(count: number): string;
  codes(count: number): string;
  number(value: number): string;
  average(value: number, beside?: readonly (number | null)[]): string;
  tick(value: number): string;
  share(fraction: number): string;
  change(growth: number): string;
  date(pattern: PatternName, first: LocalDate, last?: LocalDate): string;
  dateTime(date: LocalDate): string;
  joinSentences(sentences: readonly string[]): string;
  range(first: string, last: string): string;
  weekday(day: number, width: 'long' | 'short'): string;
  country(code: string): string;
}

type Loaded<L extends Language> = [{ default: Words<L> }, { default: LocaleData }];

/** Loads files that the build makes (src/build/bundle.mjs). */
const DATA: { readonly [L in Language]: () => Promise<Loaded<L>> } = {
  en: () => Promise.all([import('./words/en.json'), import('./cldr/en.json')]),
  de: () => Promise.all([import('./words/de.json'), import('./cldr/de.json')]),
  fr: () => Promise.all([import('./words/fr.json'), import('./cldr/fr.json')]),
  es: () => Promise.all([import('./words/es.json'), import('./cldr/es.json')]),
  it: () => Promise.all([import('./words/it.json'), import('./cldr/it.json')]),
  nl: () => Promise.all([import('./words/nl.json'), import('./cldr/nl.json')]),
  pt: () => Promise.all([import('./words/pt.json'), import('./cldr/pt.json')]),
  pl: () => Promise.all([import('./words/pl.json'), import('./cldr/pl.json')]),
  ja: () => Promise.all([import('./words/ja.json'), import('./cldr/ja.json')]),
  ar: () => Promise.all([import('./words/ar.json'), import('./cldr/ar.json')]),
};

export async function loadLanguage<L extends Language>(language: L): Promise<Locale> {
  const [{ default: words }, { default: cldr }] = await DATA[language]();
  const number = (value: number) => formatDecimal(cldr, value);
  const counted = (forms: Plural<L>) => (value: number) =>
    fill(forms[PLURAL_RULES[language](value)], { count: number(value) });
  const date = (pattern: PatternName, first: LocalDate, last?: LocalDate) =>
    formatPattern(cldr, pattern, first, last);
  return {
    language,
    direction: language === 'ar' ? 'rtl' : 'ltr',
    words,
    scans: counted(words.scans),
    codes: counted(words.codes),
    number,
    average: (value, beside) => formatAverage(cldr, value, beside),
    tick: (value) => formatTick(cldr, value),
    share: (fraction) => formatShare(cldr, fraction),
    change: (growth) => formatGrowth(cldr, growth) ?? words.moreThanTenfold,
    date,
    dateTime: (day) => fill(cldr.patterns.dateTime, { 0: date('time', day), 1: date('date', day) }),
    joinSentences: (sentences) => sentences.join(words.gap),
    range: (first, last) => fill(cldr.patterns.fallback, { 0: first, 1: last }),
    weekday: (day, width) => cldr.weekdays[width][day] ?? '',
    country: (code) => (Object.hasOwn(cldr.countries, code) ? (cldr.countries[code] ?? code) : code),
  };
}
