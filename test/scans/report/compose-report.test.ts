/** What a report says of its figures, in any language. */
import { expect, test } from 'vitest';
import { composeReport } from '#scans/report/compose-report';
import type { Card, FigureTable } from '#scans/report/document';
import { loadLanguage } from '#scans/report/languages/load-language';
import { LANGUAGES } from '#scans/report/languages/plurals';
import { figureOf, figuresOf, OCTOBER, SEPTEMBER, sectionOf } from './figures.ts';

const ENGLISH = await loadLanguage('en');
const BEFORE = { ...SEPTEMBER, isCovered: true };
/** A total of October that is compared with September. */
const COMPARED = {
  ...figureOf('', { scans: 12_400, perDay: 400, previous: 11_400, previousPerDay: 380, change: 0.052632 }),
  comparesAverages: true,
};

const compose = (given: Parameters<typeof figuresOf>[0]) => composeReport(figuresOf(given), ENGLISH);

const textsOf = (card: Card | undefined) =>
  (card?.tables ?? []).flatMap((table) =>
    (table as FigureTable).rows.map(({ name, cells }) => [name, ...cells.map(({ text }) => text)]),
  );

test('a report compares the averages per day of months that differ in length, in addition to their totals', () => {
  const countries = sectionOf(
    { kind: 'value', by: 'country' },
    [{ value: 'DE', scans: 310, perDay: 10, previous: 300, previousPerDay: 10, change: 0, share: 0.5 }],
    { comparesAverages: true },
  );
  const report = compose({ before: BEFORE, total: COMPARED, sections: [countries] });
  expect(report.tiles.slice(0, 2)).toEqual([
    { label: 'Scans', value: '12,400', detail: 'September 2026: 11,400' },
    {
      label: 'Average per day',
      value: '400.0',
      detail: 'September 2026: 380.0',
      change: { text: '+5.3%', tone: 'up' },
    },
  ]);
  expect(report.comparedWith).toContain('September 2026');
  const table = report.cards[0]?.tables[0] as FigureTable | undefined;
  expect(table?.head.map(({ detail }) => detail ?? '')).toEqual(['', 'per day', '', 'per day', '']);
  expect(table?.rows[0]).toMatchObject({
    name: 'Germany',
    cells: [
      { text: '310', detail: '10.0', isStrong: true },
      expect.anything(),
      { text: '300', detail: '10.0' },
      expect.anything(),
    ],
  });
  expect(table?.rows[0]?.cells.at(-1)).toEqual({ text: '±0.0%', tone: 'even' });
});

test('a report marks periods that begin before the data, and shows no change for them', () => {
  const row = { value: 'DE', scans: 300, previous: 40, isBeforeData: true as const, share: 1 };
  const section = sectionOf({ kind: 'value', by: 'country' }, [row]);
  const total = {
    ...figureOf('', { scans: 300, previous: 40, isBeforeData: true }),
    comparesAverages: false,
  };
  const report = compose({ before: { ...BEFORE, isCovered: false }, total, sections: [section] });
  expect(textsOf(report.cards[0])).toEqual([['Germany', '300', '100.0%', '40\u00a0†', '–']]);
  expect(report.cards[0]?.notes).toEqual([]);
  expect(report.comparedWith).toContain(ENGLISH.words.notCovered);
  expect(report.tiles[0]).toEqual({ label: 'Scans', value: '300', detail: 'September 2026: 40\u00a0†' });
});

test('a report explains the mark for missing data if only some rows of a table have the mark', () => {
  const rows = [
    { value: 'a', scans: 300, previous: 40, isBeforeData: true as const },
    { value: 'b', scans: 60, previous: 50, change: 0.2 },
    { value: 'c', scans: 20, previous: null, isBeforeData: true as const },
  ];
  const section = sectionOf({ kind: 'code', by: 'code' }, rows);
  const { cards } = compose({ before: BEFORE, sections: [section] });
  expect(textsOf(cards[0])).toEqual([
    ['a', '300', '–', '40\u00a0†', '–'],
    ['b', '60', '–', '50', '+20.0%'],
    ['c', '20', '–', '–', '–'],
  ]);
  expect(cards[0]?.notes).toEqual([ENGLISH.words.notes.beforeData]);
  const noMark = { ...section, rows: section.rows.slice(1) };
  const days = sectionOf({ kind: 'time', by: 'day' }, [{ ...rows[0], value: '2026-10-01' }]);
  for (const { notes } of compose({ before: BEFORE, sections: [noMark, days] }).cards)
    expect(notes).toEqual([]);
});

test('a report shows growth of more than tenfold in words', () => {
  const row = { value: 'DE', scans: 20_000, previous: 30, change: 665.666667, share: 1 };
  const section = sectionOf({ kind: 'value', by: 'country' }, [row]);
  const total = { ...figureOf('', row), comparesAverages: false };
  const report = compose({ before: BEFORE, total, sections: [section] });
  expect(textsOf(report.cards[0])).toEqual([['Germany', '20,000', '100.0%', '30', 'more than tenfold']]);
  expect(report.tiles[0]?.change).toEqual({ text: 'more than tenfold', tone: 'up' });
  const head = ['Country', 'Scans', 'Share', 'Previous', 'Change'].map((text) => ({ text }));
  expect(report.cards[0]?.tables[0]?.head).toEqual(head);
});

test('a report shows the names of codes, with the slug to distinguish codes with the same name', () => {
  const codes = sectionOf({ kind: 'code', by: 'code' }, [
    { value: 'mhxwdc', name: 'Menu', scans: 50, share: 0.5 },
    { value: 'r7pvgg', name: 'Menu', scans: 40, share: 0.4 },
    { value: 'poster', name: 'poster', scans: 6, share: 0.06 },
    { value: '539u67', name: null, scans: 4, share: 0.04 },
  ]);
  const silent = [{ name: 'Old poster', detail: 'da4vss' }];
  const report = compose({ sections: [codes], silent });
  const table = report.cards[0]?.tables[0] as FigureTable | undefined;
  expect(table?.rows.map(({ name, detail }) => [name, detail])).toEqual([
    ['Menu', 'mhxwdc'],
    ['Menu', 'r7pvgg'],
    ['poster', undefined],
    ['539u67', undefined],
  ]);
  expect(report.cards.at(-1)).toMatchObject({ id: 'silent', names: silent });
});

test('a report translates countries and devices, and shows unknown values unchanged', async () => {
  const countries = sectionOf({ kind: 'value', by: 'country' }, [
    { value: 'JP' },
    { value: 'ZZ' },
    { value: null },
    { value: 'other', isRest: true },
  ]);
  const devices = sectionOf({ kind: 'value', by: 'device' }, [
    { value: 'mobile' },
    { value: 'unknown' },
    { value: 'toaster' },
  ]);
  const { cards } = composeReport(figuresOf({ sections: [countries, devices] }), await loadLanguage('de'));
  const names = cards.map((card) => textsOf(card).map(([name]) => name));
  expect(names).toEqual([
    ['Japan', 'ZZ', 'Nicht erfasst', 'Alle übrigen'],
    ['Smartphone', 'Unbekannt', 'toaster'],
  ]);
});

test('a report has a card for a joined column, with the name of the column as its title and a unique ID', () => {
  const column = (by: string) => sectionOf({ kind: 'column', by }, [{ value: 'DE', scans: 30 }]);
  const { cards } = compose({ sections: [column('Stadt "A" <b>'), column('country')] });
  expect(cards.map(({ id, title }) => [id, title])).toEqual([
    ['by-column-1', 'Stadt "A" <b>'],
    ['by-column-2', 'country'],
  ]);
  expect(textsOf(cards[1])).toEqual([['DE', '30', '–']]);
});

test('a report shows averages for weekdays and hours, even without a comparison', () => {
  const weekdays = sectionOf(
    { kind: 'time', by: 'weekday' },
    [
      { value: 'Monday', scans: 40, perDay: 10, share: 0.5 },
      { value: 'Thursday', scans: 40, perDay: 8, share: 0.5 },
    ],
    { comparesAverages: true },
  );
  const { cards } = compose({ sections: [weekdays] });
  const table = cards[0]?.tables[0] as FigureTable | undefined;
  expect(table?.rows.map(({ name, bar, cells }) => [name, bar, cells[0]?.detail])).toEqual([
    ['Monday', 1, '10.0'],
    ['Thursday', 0.8, '8.0'],
  ]);
  expect(cards[0]?.notes).toEqual([ENGLISH.words.notes.averageBars]);
});

test('a report has a table of hours by weekday after the cards for weekdays and hours, with empty cells for missing data', () => {
  const by = (unit: 'hour' | 'weekday') =>
    sectionOf({ kind: 'time', by: unit }, [], { comparesAverages: true });
  const hours = Array.from({ length: 7 }, (_, weekday) =>
    Array.from({ length: 24 }, (_, hour) => ({ scans: hour, perDay: weekday === 6 ? null : hour / 2 })),
  );
  const { cards } = compose({
    sections: [by('weekday'), by('hour'), sectionOf({ kind: 'value', by: 'os' }, [])],
    hours,
  });
  expect(cards.map(({ id, isWide }) => [id, isWide])).toEqual(
    ['by-weekday', 'by-hour', 'hours', 'by-os'].map((id) => [id, true]),
  );
  const [table] = cards[2]?.tables ?? [];
  expect(table?.rows.length).toBe(24);
  expect(table?.rows[23]?.cells).toEqual([...new Array(6).fill({ text: '11.5', shade: 5 }), undefined]);
  expect(table?.rows[0]?.cells[0]).toEqual({ text: '0', shade: 0 });
});

test('a report shows no number for days that the data does not cover, such as future days', () => {
  const days = sectionOf({ kind: 'time', by: 'day' }, [
    { value: '2026-10-29', scans: 5, perDay: 5 },
    { value: '2026-10-30', scans: 0, perDay: 0, isPart: true },
    { value: '2026-10-31', scans: 0, isPart: true },
  ]);
  const months = sectionOf({ kind: 'time', by: 'month' }, [
    { value: '2026-10', scans: 5, perDay: 1 },
    { value: '2026-11', scans: 0, isPart: true },
  ]);
  const { cards } = compose({ sections: [days, months] });
  expect(cards[0]?.chart?.columns.map(({ value }) => value)).toEqual([5, 0, 0]);
  const expected = [{ text: '5', shade: 5 }, { text: '0*', shade: 0 }, undefined];
  expect(cards[0]?.tables[0]?.rows[0]?.cells.slice(3, 6)).toEqual(expected);
  expect(textsOf(cards[1]).map(([name]) => name)).toEqual(['October 2026']);
  expect(cards[1]?.tables[0]?.head[1]).toEqual({ text: 'Scans', detail: 'per day' });
  expect(cards[1]?.notes).toEqual([]);
});

test('a report aligns the comparison line of 14 or more days by weekday, and notes the shift', () => {
  // October 1 is a Thursday, September 1 a Tuesday, August 1 a Saturday, April 1 a Wednesday; each day has its number as scans.
  const rows = Array.from({ length: 31 }, (_, at) => {
    const date = `2026-10-${String(at + 1).padStart(2, '0')}`;
    return { value: date, scans: 1, perDay: 1, previous: at < 30 ? at + 1 : null };
  });
  const days = sectionOf({ kind: 'time', by: 'day' }, rows);
  const lineOf = (monthIndex: number, sections = [days]) => {
    const before = { sinceMs: Date.UTC(2026, monthIndex, 1), untilMs: 0, isCovered: true };
    const [card] = compose({ before, sections, zone: 'UTC' }).cards;
    return {
      line: card?.chart?.columns.map(({ previous }) => previous),
      notes: card?.notes,
      legend: card?.legend,
    };
  };
  const { line = [], notes } = lineOf(8);
  expect([line[0], line[27], line[28], line[30]]).toEqual([3, 30, null, null]);
  expect(notes).toEqual([ENGLISH.words.notes.byWeekday]);
  expect(lineOf(7).line?.slice(0, 4)).toEqual([null, null, 1, 2]);
  expect(lineOf(3).line?.slice(0, 2)).toEqual([2, 3]);
  expect(lineOf(5).line?.slice(0, 2)).toEqual([4, 5]);
  expect(lineOf(9)).toMatchObject({ line: rows.map(({ previous }) => previous), notes: [] });
  const first = (count: number) => sectionOf({ kind: 'time', by: 'day' }, rows.slice(0, count));
  expect(lineOf(8, [first(14)]).line?.[0]).toBe(3);
  const weeks = first(14).rows.map((row, at) => ({ ...row, value: `2026-W${at + 10}` }));
  for (const section of [
    first(13),
    { ...days, isSparse: true as const },
    sectionOf({ kind: 'time', by: 'week' }, weeks),
  ]) {
    const same = lineOf(8, [section]);
    expect(same.line).toEqual(section.rows.map(({ previous }) => previous));
    expect(same.notes).not.toContain(ENGLISH.words.notes.byWeekday);
  }
});

test('a chart without a comparison line has no legend', () => {
  const days = sectionOf({ kind: 'time', by: 'day' }, [
    { value: '2026-10-01', scans: 1, previous: 5 },
    { value: '2026-10-02' },
  ]);
  expect(compose({ before: BEFORE, sections: [days] }).cards[0]?.legend).toBeUndefined();
});

test('a report marks codes as new if they were created after the previous period began and had no scans in it', () => {
  const rows = [
    { value: 'a', scans: 300, previous: 0, previousPerDay: 0, isBeforeData: true as const },
    { value: 'b', scans: 60, previous: 0, previousPerDay: 0 },
    { value: 'c', scans: 30, previous: 5, isBeforeData: true as const },
  ];
  const of = (group: Parameters<typeof sectionOf>[0], isCovered: boolean) => {
    const before = { ...BEFORE, isCovered };
    const { cards } = compose({ before, sections: [sectionOf(group, rows.slice(0, 2))] });
    return { texts: textsOf(cards[0]).map((texts) => texts.slice(3)), notes: cards[0]?.notes };
  };
  expect(of({ kind: 'code', by: 'code' }, true)).toEqual({
    texts: [
      ['–', 'new'],
      ['0', '–'],
    ],
    notes: [],
  });
  expect(of({ kind: 'column', by: 'Stadt' }, true).texts[0]).toEqual(['–', 'new']);
  expect(of({ kind: 'code', by: 'code' }, false).texts[0]).toEqual(['0\u00a0†', '–']);
  expect(of({ kind: 'value', by: 'os' }, true).texts[0]).toEqual(['0\u00a0†', '–']);
  expect(of({ kind: 'time', by: 'weekday' }, true).texts[0]).toEqual(['0\u00a0†', '–']);
});

test('a report says `No value` for codes that lack a column value or tag, and `Not recorded` for scans that lack a value', () => {
  const sections = [
    sectionOf({ kind: 'column', by: 'Stadt' }, [{ scans: 1 }]),
    sectionOf({ kind: 'utm', by: 'utm_term' }, [{ scans: 1 }]),
    sectionOf({ kind: 'value', by: 'city' }, [{ scans: 1 }]),
  ];
  const { cards } = compose({ sections });
  expect(cards.map((card) => textsOf(card)[0]?.[0])).toEqual(['No value', 'No value', 'Not recorded']);
});

test('all averages in a table have the same number of decimals, except zero in the table of hours', () => {
  const rows = [
    { value: '0', scans: 3, perDay: 0.097 },
    { value: '1', scans: 9, perDay: 0.29 },
  ];
  const section = sectionOf({ kind: 'time', by: 'hour' }, rows, { comparesAverages: true });
  const hours = Array.from({ length: 7 }, () => [0.04, 0.3, 0].map((perDay) => ({ scans: 1, perDay })));
  const { cards } = compose({ sections: [section, sectionOf({ kind: 'time', by: 'weekday' }, rows)], hours });
  const table = cards[0]?.tables[0] as FigureTable | undefined;
  expect(table?.rows.map(({ cells }) => cells[0]?.detail)).toEqual(['0.10', '0.29']);
  const expected = [{ text: '0.04' }, { text: '0.30' }, { text: '0' }];
  expect(cards[2]?.tables[0]?.rows.slice(0, 3).map(({ cells }) => cells[0])).toMatchObject(expected);
});

test('a report notes that the data begins or ends within the range only if whole days are missing', () => {
  const coverageOf = (startsLateMs: number, endsEarlyMs: number) =>
    compose({ coverage: { startsLateMs, endsEarlyMs, isWhole: false } }).coverage;
  const day = 86_400_000;
  expect(coverageOf(OCTOBER.sinceMs + day - 1, OCTOBER.untilMs - day)).toEqual([]);
  expect(coverageOf(OCTOBER.sinceMs + day, OCTOBER.untilMs - day - 1)).toEqual([
    'The data begins on 2 October 2026 at 00:00. Earlier scans, if any, are not included.',
    'The data ends on 30 October 2026 at 23:59. Later scans, if any, are not included.',
  ]);
  const noScans = { range: undefined, coverage: { startsLateMs: OCTOBER.sinceMs, isWhole: false } };
  expect(compose(noScans as Parameters<typeof figuresOf>[0]).coverage).toEqual([
    'The data begins on 1 October 2026 at 00:00. Earlier scans, if any, are not included.',
  ]);
});

test('a report has an alternate text for its logo', () => {
  const logo = { png: new Uint8Array([1]), width: 40, height: 10 };
  expect(compose({ logo }).logo).toEqual({ ...logo, alt: 'Logo' });
});

test('a report states the busiest day with its weekday', () => {
  const days = sectionOf({ kind: 'time', by: 'day' }, [
    { value: '2026-10-13', scans: 5 },
    { value: '2026-10-14', scans: 9 },
  ]);
  const { tiles, cards } = compose({ sections: [days] });
  expect(tiles[2]).toEqual({ label: 'Busiest day', value: '9', detail: 'Wednesday, 14 October 2026' });
  expect(cards[0]?.chart?.columns.map(({ label }) => label)).toEqual(['13 Oct', '14 Oct']);
});

test('a report truncates names of 10 kB, and splits a note into paragraphs', () => {
  const codes = sectionOf({ kind: 'code', by: 'code' }, [
    { value: 'x'.repeat(10_000), name: '😀'.repeat(5000), scans: 1, share: 1 },
  ]);
  const note = ' One \n  two.\r\n \r\n\r\nThree.\n\n \n';
  const report = compose({ sections: [codes], note });
  expect(JSON.stringify(report).length).toBeLessThan(4000);
  expect(JSON.stringify(report)).not.toMatch(/\\ud83d(?!\\ude00)/i);
  expect(report.note).toEqual(['One two.', 'Three.']);
});

test.each(LANGUAGES)('a small report in the language %s equals its golden file', async (language) => {
  const row = { scans: 620, perDay: 20, previous: 300, previousPerDay: 10, change: 1, share: 0.05 };
  const sections = [
    sectionOf({ kind: 'time', by: 'month' }, [{ ...row, value: '2026-10', isPart: true }], {
      comparesAverages: true,
    }),
    sectionOf({ kind: 'time', by: 'week' }, [{ ...row, value: '2026-W44' }]),
    sectionOf({ kind: 'time', by: 'day' }, [
      { ...row, value: '2026-10-01' },
      { ...row, value: '2026-10-02', scans: 5 },
    ]),
    sectionOf({ kind: 'value', by: 'country' }, [
      { ...row, value: 'DE' },
      { ...row, value: 'other', isRest: true },
    ]),
    sectionOf({ kind: 'value', by: 'device' }, [{ ...row, value: 'mobile' }]),
    sectionOf({ kind: 'column', by: 'Stadt' }, [{ ...row, previous: 0, change: null, isBeforeData: true }]),
  ];
  const coverage = {
    startsLateMs: OCTOBER.sinceMs + 3_600_000,
    endsEarlyMs: OCTOBER.untilMs - 90_000_000,
    isWhole: false,
  };
  const figures = figuresOf({ before: BEFORE, total: COMPARED, sections, coverage, silent: [{ name: 'x' }] });
  const { formatNumber, pageOf, ...report } = composeReport(figures, await loadLanguage(language));
  const texts = new Set(textsIn([report, formatNumber(0.5), pageOf(1, 4)]));
  await expect(`${[...texts].join('\n')}\n`).toMatchFileSnapshot(`golden/${language}.txt`);
});

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
