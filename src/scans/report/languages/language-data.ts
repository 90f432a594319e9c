import type { Categories, Language } from './plurals.ts';

export type Plural<L extends Language> = Readonly<Record<Categories[L], string>>;

type EnglishWords = typeof import('./words/en.json');
type EnglishForms = typeof import('./cldr/en.json');

/** Keys of `cards` and `columns` are dimensions. */
export type Words<L extends Language> = Omit<EnglishWords, 'scans' | 'codes'> &
  Record<'scans' | 'codes', Plural<L>>;

/**
 * Lists months from January (`alone` without a day) and weekdays from Monday. `minimumGroupingDigits` is the
 * number of digits before the first separator.
 */
export type LocaleData = Omit<EnglishForms, 'countries'> & {
  firstDay?: string;
  countries: Readonly<Record<string, string>>;
};

/** Intervals repeat fields; `dateTime` and `fallback` have the parts `{0}` and `{1}`. */
export type PatternName = keyof LocaleData['patterns'];

export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (placeholder, name) => values[name] ?? placeholder);
}
