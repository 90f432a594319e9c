/**
 * Data of one language: its words (words/, written by hand), and names and forms of dates and numbers (cldr/, which
 * src/build/write-cldr.mjs writes from the Unicode CLDR). English is the model: a language that lacks one of its keys is a type error.
 */
import type { Categories, Language } from './plurals.ts';

/** A phrase with a number, by plural category; `{count}` is the formatted number. A missing form is a type error. */
export type Plural<L extends Language> = Readonly<Record<Categories[L], string>>;

type EnglishWords = typeof import('./words/en.json');
type EnglishForms = typeof import('./cldr/en.json');

/** Words of a report, in which `fill` replaces each `{name}`. Keys of `cards` and `columns` are dimensions. */
export type Words<L extends Language> = Omit<EnglishWords, 'scans' | 'codes'> &
  Record<'scans' | 'codes', Plural<L>>;

/**
 * Names and forms. Months begin with January (`format` within a date, `alone` without a day), weekdays with Monday; countries are named by
 * code (ISO 3166-1 alpha-2). `minimumGroupingDigits`: digits before the first group that is separated; with 2, `1234` and `12 345`.
 */
export type LocaleData = Omit<EnglishForms, 'countries'> & {
  /** The first day of a month, if it is not `1`. */
  firstDay?: string;
  countries: Readonly<Record<string, string>>;
};

/** Date patterns of UTS 35; those of intervals have each field once or twice. `dateTime` and `fallback` have two parts, `{0}` and `{1}`. */
export type PatternName = keyof LocaleData['patterns'];

/** Replaces each `{name}` of a text by its value. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (placeholder, name) => values[name] ?? placeholder);
}
