/** PDFs in every language: the embedded fonts have each character that a report writes by itself. */
import { expect, test } from 'vitest';
import { composeReport } from '#scans/report/compose-report';
import { type Locale, loadLanguage, type PatternName } from '#scans/report/languages/load-language';
import { LANGUAGES } from '#scans/report/languages/plurals';
import { renderPdf } from '#scans/report/pdf/render-pdf';
import { SOAK } from '../../../support/property-runs.ts';
import { figuresOf } from '../figures.ts';
import { nodesOf, readTaggedPdf } from './read-structure.ts';

const PATTERNS: readonly PatternName[] = [
  ...([
    'fullDate',
    'date',
    'dateShort',
    'dayMonth',
    'month',
    'monthShort',
    'monthAlone',
    'quarter',
    'year',
    'time',
  ] as const),
  ...(['daysInMonth', 'daysInYear', 'days', 'monthsInYear', 'months'] as const),
];
const QUOTES = '« a » “b” „c“ ‘d’ ‚e‘ ‹ f › 「g」 – — … • · ’';
const REGIONS = Array.from({ length: 26 * 26 }, (_, at) =>
  String.fromCharCode(65 + Math.floor(at / 26), 65 + (at % 26)),
);

/** Everything that a language can write: words, numbers, dates and names of countries. */
function textsOf(locale: Locale): string[] {
  const { number, average, tick, share, change, scans, codes, country, weekday, date, dateTime } = locale;
  const dates = Array.from({ length: 12 }, (_, at) => ({
    year: 2026,
    month: at + 1,
    day: at * 2 + 1,
    weekday: at % 7,
  }));
  const counts = [0, 1, 2, 3, 11, 1000, 12_345, 1_234_567, 2_000_000].flatMap((n) => [
    number(n),
    scans(n),
    codes(n),
  ]);
  return [
    QUOTES,
    ...stringsIn(locale.words),
    ...counts,
    ...[0.05, 0.5, 12_345.6].flatMap((value) => [
      average(value),
      tick(value),
      share(value),
      change(value),
      change(-0.5),
    ]),
    ...PATTERNS.flatMap((name) => dates.map((day, at) => date(name, day, dates[(at + 1) % 12]))),
    dateTime({ year: 2026, month: 10, day: 1, weekday: 3, hour: 12, minute: 30 }),
    ...[0, 1, 2, 3, 4, 5, 6].flatMap((day) => [weekday(day, 'long'), weekday(day, 'short')]),
    ...REGIONS.map(country),
  ];
}

/** The texts that have a character that no text before them has; of a joined script also a new pair of characters. */
function withEachCharacter(texts: readonly string[]): string[] {
  const seen = new Set<string>();
  return texts.filter((text) => {
    const characters = [...text];
    const pairs = characters.flatMap((character, at) =>
      // In most scripts the neighbours do not change a letter.
      /\p{Script=Arabic}/u.test(character) ? character + (characters[at + 1] ?? '') : character,
    );
    const before = seen.size;
    for (const pair of pairs) seen.add(pair);
    return seen.size > before;
  });
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'function') return stringsIn(value('one', 'two', 'three'));
  return Object.values(value as object).flatMap(stringsIn);
}

// By day one for each font.
test.each(SOAK ? LANGUAGES : (['pl', 'ar', 'ja'] as const))(
  'a PDF in the language %s has every character of its numbers, dates, quotes, words and country names',
  async (language) => {
    const locale = await loadLanguage(language);
    const note = withEachCharacter(textsOf(locale)).join('\n\n');
    const { bytes, lossy } = await renderPdf(composeReport(figuresOf({ note }), locale), 'a4');
    expect(lossy).toEqual([]);
    const { root, file, pages } = readTaggedPdf(bytes);
    const text = nodesOf(root)
      .map((node) => node.text)
      .join('\n');
    expect(text.length).toBeGreaterThan(1000);
    expect(text).not.toMatch(/\ufffd|undefined/);
    // Glyph 0 of every font is the box of a character that it lacks.
    for (const page of pages)
      expect(file.stream(page.Contents)).not.toMatch(
        /<(?:[0-9a-f]{4})*?0000(?:[0-9a-f]{4})*>(?=[^\]]*\] TJ| Tj)/,
      );
  },
);
