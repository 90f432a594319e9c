/** Languages of the report: complete, and the same on every version of Node. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Locale, loadLanguage } from '#scans/report/languages/load-language';
import { LANGUAGES, PLURAL_RULES } from '#scans/report/languages/plurals';
import { formatRange } from '#scans/report/row-names';

const COUNTS = [
  ...Array.from({ length: 1200 }, (_, n) => n),
  10_000,
  1_000_000,
  1_000_001,
  2_000_000,
  12_345_678,
];

describe.each(LANGUAGES)('the language %s', (language) => {
  test('has the plural categories of Intl.PluralRules', () => {
    const rules = new Intl.PluralRules(language);
    expect(COUNTS.filter((n) => PLURAL_RULES[language](n) !== rules.select(n))).toEqual([]);
  });

  test('has a word for each key, and names for each weekday, for each month and for Germany', async () => {
    const locale = await loadLanguage(language);
    const texts = textsOf({ ...locale.words, gap: ' ' });
    expect(texts.length).toBeGreaterThan(70);
    expect(texts.filter((text) => text === '' || /undefined|\{\d|NaN/.test(text))).toEqual([]);
    const months = Array.from({ length: 12 }, (_, i) => locale.date('month', { ...DAY, month: i + 1 }));
    const weekdays = Array.from({ length: 7 }, (_, day) => locale.weekday(day, 'long'));
    expect([new Set(months).size, new Set(weekdays).size]).toEqual([12, 7]);
    expect(locale.country('DE')).not.toBe('DE');
  });

  test('has a text for each number of scans and codes', async () => {
    const { scans, codes } = await loadLanguage(language);
    expect(COUNTS.filter((n) => scans(n) === '' || codes(n) === '')).toEqual([]);
  });

  test('has the same keys and placeholders as English', async () => {
    const [english, own] = await Promise.all([loadLanguage('en'), loadLanguage(language)]);
    expect(keysOf({ ...own.words, scans: {}, codes: {} })).toEqual(
      keysOf({ ...english.words, scans: {}, codes: {} }),
    );
    expect(placeholdersOf(own.words)).toEqual(placeholdersOf(english.words));
  });

  test('shows an unknown country by its code', async () => {
    const { country } = await loadLanguage(language);
    const expected = ['ZZ', '??', 'toString', '__proto__', ''];
    expect(['ZZ', '??', 'toString', '__proto__', ''].map(country)).toEqual(expected);
  });

  test('has a space between sentences, except Japanese', async () => {
    const { joinSentences } = await loadLanguage(language);
    expect(joinSentences(['A.', 'B.'])).toBe(language === 'ja' ? 'A.B.' : 'A. B.');
  });

  test('is built as two files', () => {
    const files = ['', '2'].map((end) => readFileSync(`dist/${language}${end}.js`, 'latin1'));
    expect(files.filter((file) => file.includes('kicker'))).toHaveLength(1);
    expect(files.filter((file) => file.includes('quarters'))).toHaveLength(1);
  });
});

const DAY = { year: 2026, month: 10, day: 1, weekday: 3 };

function keysOf(value: unknown): unknown[] {
  if (typeof value === 'string') return [];
  return Object.entries(value as object).map(([key, inner]) => [key, keysOf(inner)]);
}

/** The placeholders of the words by key, but for the plural forms, of which some have none. */
function placeholdersOf(words: Locale['words']) {
  const named = (text: string) => [...text.matchAll(/\{\w*\}/g)].map(String).sort();
  return Object.entries({ ...words, ...words.footer }).flatMap(([key, text]) =>
    typeof text === 'string' && text.includes('{') ? [[key, named(text)]] : [],
  );
}

/** Each string of a table. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return Object.values(value as object).flatMap(textsOf);
}

const RANGES: [string, number, number, Record<string, string>][] = [
  [
    'a month',
    Date.UTC(2026, 9, 1),
    Date.UTC(2026, 10, 1),
    { en: 'October 2026', de: 'Oktober 2026', pl: 'październik 2026' },
  ],
  [
    'days of a month',
    Date.UTC(2026, 10, 17),
    Date.UTC(2026, 10, 24),
    {
      en: '17 to 23 November 2026',
      de: '17.–23. November 2026',
      ja: '2026年11月17日～23日',
      es: '17–23 de noviembre de 2026',
    },
  ],
  [
    'days of two months',
    Date.UTC(2026, 10, 30),
    Date.UTC(2026, 11, 7),
    {
      en: '30 November to 6 December 2026',
      fr: '30 novembre – 6 décembre 2026',
      pl: '30 listopada – 6 grudnia 2026',
    },
  ],
  [
    'days of two years',
    Date.UTC(2025, 11, 29),
    Date.UTC(2026, 0, 5),
    { en: '29 December 2025 to 4 January 2026' },
  ],
  [
    'a day',
    Date.UTC(2026, 9, 1),
    Date.UTC(2026, 9, 2),
    { en: 'Thursday, 1 October 2026', fr: 'jeudi 1er octobre 2026' },
  ],
  [
    'a quarter',
    Date.UTC(2026, 9, 1),
    Date.UTC(2027, 0, 1),
    { en: '4th quarter 2026', pl: 'IV kwartał 2026' },
  ],
  ['months', Date.UTC(2026, 8, 1), Date.UTC(2026, 10, 1), { en: 'September to October 2026' }],
  ['a year', Date.UTC(2026, 0, 1), Date.UTC(2027, 0, 1), { en: '2026', ja: '2026年' }],
  [
    'times',
    Date.UTC(2026, 9, 1, 8, 30),
    Date.UTC(2026, 9, 3),
    { en: '1 October 2026, 08:30 to 3 October 2026, 00:00', ja: '2026年10月1日 8:30～2026年10月3日 0:00' },
  ],
];

test.each(RANGES)(
  'a range of %s is formatted by the conventions of each tested language',
  async (_, sinceMs, untilMs, words) => {
    const found = await Promise.all(
      LANGUAGES.filter((language) => language in words).map(async (language) => {
        return [
          language,
          withPlainSpaces(formatRange({ sinceMs, untilMs }, 'UTC', await loadLanguage(language))),
        ];
      }),
    );
    expect(Object.fromEntries(found)).toEqual(words);
  },
);

/** Without the kinds of spaces that CLDR distinguishes. */
const withPlainSpaces = (text: string) => text.replace(/[\u00a0\u2009\u202f]/g, ' ');

const numbersOf = ({ number, average, share, change, scans }: Locale) =>
  [
    number(1234),
    number(1_234_567),
    average(0.04),
    average(0.1),
    share(0.3415),
    change(0.0326),
    change(-0.2),
    change(-0.00001),
    change(9.99),
    scans(1_000_000),
  ].join(' | ');

test.each([
  ['en', '1,234 | 1,234,567 | 0.04 | 0.1 | 34.2% | +3.3% | −20.0% | ±0.0% | +999% | 1,000,000 scans'],
  ['de', '1.234 | 1.234.567 | 0,04 | 0,1 | 34,2 % | +3,3 % | −20,0 % | ±0,0 % | +999 % | 1.000.000 Scans'],
  [
    'es',
    '1234 | 1.234.567 | 0,04 | 0,1 | 34,2 % | +3,3 % | −20,0 % | ±0,0 % | +999 % | 1.000.000 de escaneos',
  ],
  ['ar', '1,234 | 1,234,567 | 0.04 | 0.1 | 34.2% | +3.3% | −20.0% | ±0.0% | +999% | 1,000,000 عملية مسح'],
] as const)('the language %s formats numbers by its own rules', async (language, numbers) => {
  expect(withPlainSpaces(numbersOf(await loadLanguage(language)))).toBe(numbers);
});

test.each(LANGUAGES)('the language %s shows growth above 999 % in words', async (language) => {
  const { change, words } = await loadLanguage(language);
  expect([change(9.9901), change(655.89)]).toEqual([words.moreThanTenfold, words.moreThanTenfold]);
});
