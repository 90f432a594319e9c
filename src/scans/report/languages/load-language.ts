/** Formats numbers and dates with frozen CLDR data (UTS 35), independently of the Node version. */
import { type Category, type Language, PLURAL_RULES } from './plurals.ts';

type Plural<L extends Language> = Readonly<Record<Category<L>, string>>;

type SharedWords = Omit<typeof import('./words/en.json'), 'scans' | 'codes'>;
type Words<L extends Language> = SharedWords & Record<'scans' | 'codes', Plural<L>>;

/** CLDR data. Months begin with January (`alone`: without a day), and weekdays with Monday. */
type LocaleData = Omit<typeof import('./cldr/en.json'), 'countries'> & {
  firstDay?: string;
  countries: Readonly<Record<string, string>>;
};

/**
 * Name of a CLDR date pattern. Patterns for ranges repeat the fields that differ. `dateTime` joins a time
 * `{0}` and a date `{1}`, and `fallback` the ends of a range.
 */
export type PatternName = keyof LocaleData['patterns'];

export interface LocalDate {
  year: number;
  month: number;
  day: number;
  /** Weekday, from 0 (Monday). */
  weekday: number;
  hour?: number;
  minute?: number;
}

export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (placeholder, name) => values[name] ?? placeholder);
}

type Loaded<L extends Language> = [{ default: Words<L> }, { default: LocaleData }];

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

export type Locale = Awaited<ReturnType<typeof loadLanguage>>;

const MOST_GROWTH = 9.99;

export async function loadLanguage<L extends Language>(language: L) {
  const [{ default: all }, { default: cldr }] = await DATA[language]();
  const words: SharedWords = all;
  const { decimal, group, minimumGroupingDigits, percent, patterns, weekdays, countries } = cldr;
  const counted = (forms: Plural<L>) => (count: number) =>
    fill(forms[PLURAL_RULES[language](count)], { count: number(count) });
  return {
    language,
    direction: language === 'ar' ? ('rtl' as const) : ('ltr' as const),
    words,
    scans: counted(all.scans),
    codes: counted(all.codes),
    number,
    average(value: number, neighbors: readonly (number | null)[] = [value]): string {
      const isSmall = neighbors.some((other) => other !== null && other > 0 && other < 0.1);
      return number(value, isSmall ? 2 : 1);
    },
    /** Formats a number on an axis with at most two decimals and no trailing zeros. */
    tick(value: number): string {
      return number(
        value,
        [0, 1].find((count) => Number(value.toFixed(count)) === Number(value.toFixed(2))) ?? 2,
      );
    },
    share: (fraction: number) => inPercent(number(fraction * 100, 1)),
    change(growth: number): string {
      if (growth > MOST_GROWTH) return words.moreThanTenfold;
      const digits = number(Math.abs(growth) * 100, Math.abs(growth) >= 1 ? 0 : 1);
      const sign = growth > 0 ? '+' : '−';
      return inPercent(`${/[1-9]/.test(digits) ? sign : '±'}${digits}`);
    },
    date,
    dateTime: (day: LocalDate) => fill(patterns.dateTime, { 0: date('time', day), 1: date('date', day) }),
    joinSentences: (sentences: readonly string[]) => sentences.join(words.gap),
    range: (first: string, last: string) => fill(patterns.fallback, { 0: first, 1: last }),
    weekday: (day: number, width: 'long' | 'short') => weekdays[width][day] ?? '',
    country: (code: string) => (Object.hasOwn(countries, code) ? (countries[code] ?? code) : code),
  };

  function number(value: number, decimals = 0): string {
    const [whole = '', fraction] = value.toFixed(decimals).split('.');
    const grouped =
      whole.length < 3 + minimumGroupingDigits ? whole : whole.replace(/\B(?=(?:\d{3})+$)/g, group);
    return fraction === undefined ? grouped : `${grouped}${decimal}${fraction}`;
  }

  function inPercent(digits: string): string {
    return percent.replace('{0}', digits);
  }

  /** Formats dates by a pattern. From the first repeated field on, formats `last`. */
  function date(name: PatternName, first: LocalDate, last = first): string {
    const seen = new Set<string>();
    let shown = first;
    return patterns[name].replace(PARTS, (part, quoted: string | undefined, field: string | undefined) => {
      if (field === undefined) return quoted ?? part;
      if (seen.has(field)) shown = last;
      seen.add(field);
      const format = FIELDS[part];
      if (!format) throw new Error(`no rule for the field ${part} of a date`);
      return format(shown, cldr) ?? '';
    });
  }
}

const PARTS = /'([^']*)'|([yMLdEQHm])\2*|[^'yMLdEQHm]+/g;

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
