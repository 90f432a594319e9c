/** Cards, tiles, notes and footer of a report. */
import { expect, test } from 'vitest';
import { composeReport } from '#scans/report/compose-report';
import type { FigureTable, ShadeTable } from '#scans/report/document';
import { loadLanguage } from '#scans/report/languages/load-language';
import { figureOf, figuresOf, SEPTEMBER, sectionOf } from './figures.ts';

const ENGLISH = await loadLanguage('en');
const BEFORE = { ...SEPTEMBER, isCovered: true };

const compose = (given: Parameters<typeof figuresOf>[0]) => composeReport(figuresOf(given), ENGLISH);
const totalOf = (row: Parameters<typeof figureOf>[1], comparesAverages = false) => ({
  ...figureOf('', row),
  comparesAverages,
});
const CODES = sectionOf({ kind: 'code', by: 'code' }, [
  { value: 'other', scans: 70, share: 0.7, isRest: true },
  { value: 'menu', name: 'Menu', scans: 30, share: 0.3 },
]);

test('a report shows cards of short values in pairs, and a card without a partner in full width', () => {
  const value = (by: 'country' | 'device' | 'os' | 'referrer' | 'browser' | 'city') =>
    sectionOf({ kind: 'value', by }, []);
  const { cards } = compose({
    sections: [
      value('country'),
      value('device'),
      value('os'),
      value('referrer'),
      sectionOf({ kind: 'utm', by: 'utm_term' }, []),
      value('browser'),
      sectionOf({ kind: 'column', by: 'Stadt' }, []),
      value('city'),
      CODES,
    ],
    silent: [{ name: 'x' }],
  });
  expect(cards.map(({ id, isWide }) => [id, isWide])).toEqual([
    ['by-country', false],
    ['by-device', false],
    ['by-os', true],
    ['by-referrer', true],
    ['by-utm_term', true],
    ['by-browser', true],
    ['by-column-7', true],
    ['by-city', true],
    ['by-code', true],
    ['silent', true],
  ]);
  expect(cards[0]).toMatchObject({ title: 'Countries', tables: [], notes: ['No scans in this period.'] });
  expect(cards.at(-1)).toEqual({
    id: 'silent',
    title: 'Codes without scans',
    isWide: true,
    names: [{ name: 'x' }],
    tables: [],
    notes: [],
  });
});

test('a report without scans has one tile and no story, and lists the codes without scans', () => {
  const report = compose({ total: totalOf({ perDay: 0 }), sections: [CODES], silent: [{ name: 'x' }] });
  expect(report.story).toBe('');
  expect(report.tiles).toEqual([{ label: 'Scans', value: '0', detail: '3 codes' }]);
  expect(report.cards.map(({ id, notes }) => [id, notes])).toEqual([
    ['none', ['No scans in this period.']],
    ['silent', []],
  ]);
});

test('the story and tiles of a report state the busiest day, top code, top known country and share of phones', () => {
  const days = sectionOf({ kind: 'time', by: 'day' }, [
    { value: '2026-10-13', scans: 40 },
    { value: '2026-10-14', scans: 60 },
  ]);
  const countries = sectionOf({ kind: 'value', by: 'country' }, [
    { value: null, scans: 60, share: 0.6 },
    { value: 'DE', scans: 40, share: 0.4 },
  ]);
  const devices = sectionOf({ kind: 'value', by: 'device' }, [
    { value: 'tablet', scans: 80, share: 0.8 },
    { value: 'mobile', scans: 20, share: 0.2 },
  ]);
  const column = sectionOf({ kind: 'column', by: 'code' }, [{ value: 'A', scans: 100, share: 1 }]);
  const total = totalOf({ scans: 100, perDay: 50, previous: 80, previousPerDay: 40, change: 0.25 });
  const sections = [column, days, CODES, countries, devices];
  const { story, tiles } = compose({ before: BEFORE, total, sections });
  expect(story).toBe(
    '100 scans; +25.0% compared with September 2026; the busiest day was Wednesday, 14 October 2026; the most scanned code (30.0%) was Menu.',
  );
  expect(tiles).toEqual([
    {
      label: 'Scans',
      value: '100',
      detail: 'September 2026: 80',
      change: { text: '+25.0%', tone: 'up' },
    },
    { label: 'Average per day', value: '50.0', detail: 'September 2026: 40.0' },
    { label: 'Busiest day', value: '60', detail: 'Wednesday, 14 October 2026' },
    { label: 'Most scanned code', value: 'Menu', detail: '30.0% of all scans' },
    { label: 'Top country', value: 'Germany', detail: '40.0% of all scans' },
    { label: 'On phones', value: '20.0%', detail: '20 scans' },
  ]);
  expect(compose({ before: BEFORE, total: { ...total, comparesAverages: true } }).story).toBe(
    '100 scans; +25.0% per day compared with September 2026.',
  );
});

test('the story and tiles omit the busiest day of a one-day report, and shares that the tables omit', () => {
  const day = sectionOf({ kind: 'time', by: 'day' }, [{ value: '2026-10-13', scans: 20, perDay: 20 }]);
  const codes = sectionOf({ kind: 'code', by: 'code' }, [{ value: 'menu', scans: 20 }]);
  const devices = sectionOf({ kind: 'value', by: 'device' }, [{ value: 'mobile', scans: 20 }]);
  const total = totalOf({ scans: 20, perDay: 20 });
  const { story, tiles } = compose({
    before: BEFORE,
    total,
    sections: [day, codes, devices],
    codes: undefined,
  });
  expect(story).toBe('20 scans.');
  expect(tiles).toEqual([{ label: 'Scans', value: '20', detail: '' }]);
  const rest = sectionOf({ kind: 'code', by: 'code' }, [{ value: 'other', share: 1, isRest: true }]);
  expect(compose({ total, sections: [rest] }).story).toBe('20 scans.');
});

test('a chart describes its peak, and has short labels for hours, months and weeks', () => {
  const months = (count: number) =>
    Array.from({ length: count }, (_, at) => ({
      value: `${2025 + Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, '0')}`,
      scans: at,
      perDay: 1,
    }));
  const chartOf = (by: 'hour' | 'month' | 'week', rows: Parameters<typeof sectionOf>[1]) => {
    const { chart } = compose({ sections: [sectionOf({ kind: 'time', by }, rows)] }).cards[0] ?? {};
    return { label: chart?.label, labels: chart?.columns.map(({ label }) => label).slice(0, 2) };
  };
  const hours = [
    { value: '08', scans: 5, perDay: 1 },
    { value: '09', scans: 7, perDay: 2 },
  ];
  expect(chartOf('hour', hours)).toEqual({
    label: 'Time of day. Peak: 09:00, 7 scans. All figures are in the table below.',
    labels: ['08:00', '09:00'],
  });
  expect(chartOf('month', months(12)).labels).toEqual(['Jan', 'Feb']);
  expect(chartOf('month', months(13)).labels).toEqual(['Jan 2025', 'Feb 2025']);
  expect(chartOf('week', [{ value: '2026-W44', perDay: 0 }])).toEqual({
    label: 'No scans in this period.',
    labels: ['26 Oct'],
  });
});

test('a card notes minimum counts, omitted rows, partial periods and changes of averages', () => {
  const { notes } = ENGLISH.words;
  const rows = [
    { value: '2026-W44', scans: 5, perDay: 1, isPart: true as const },
    { value: '2026-W45', scans: 5, perDay: 1 },
  ];
  const more = { isApproximate: true, isSparse: true as const, comparesAverages: true };
  const section = sectionOf({ kind: 'time', by: 'week' }, rows, more);
  const [card] = compose({ before: BEFORE, sections: [section] }).cards;
  expect(card?.notes).toEqual([notes.averageChanges, notes.approximate, notes.sparse, notes.part]);
  expect(card?.chart?.columns.map(({ isPart }) => isPart)).toEqual([true, false]);
  expect(
    (card?.tables[0] as FigureTable | undefined)?.rows.map(({ name, detail }) => [name, detail]),
  ).toEqual([
    ['26 October to 1 November 2026\u00a0*', '2026-W44'],
    ['2 to 8 November 2026', '2026-W45'],
  ]);
  const averages = { before: BEFORE, total: totalOf({ scans: 9 }, true), sections: [section] };
  expect(compose(averages).cards[0]?.notes).not.toContain(notes.averageChanges);
});

test('a table shows the row for all other values without a bar and in gray', () => {
  const tableOf = (rows: Parameters<typeof sectionOf>[1]) =>
    compose({ sections: [sectionOf({ kind: 'value', by: 'referrer' }, rows)] }).cards[0]
      ?.tables[0] as FigureTable;
  const rest = { value: 'other', scans: 90, isRest: true as const };
  const rows = tableOf([{ value: 'a.example', scans: 40 }, { scans: 10 }, rest]).rows;
  expect(rows.map(({ name, bar, isDim }) => [name, bar, isDim])).toEqual([
    ['a.example', 1, false],
    ['No referrer', 0.25, true],
    ['All others', undefined, true],
  ]);
  expect(tableOf([rest]).head).toEqual([{ text: 'Referrer' }, { text: 'Scans' }, { text: 'Share' }]);
  expect(tableOf([rest]).rows[0]?.name).toBe('Too many to list');
});

test('a calendar has a row per week, named after the first day in the range, with the year if the days span two years', () => {
  const weeksOf = (...days: string[]) => {
    const rows = days.map((value) => ({ value, scans: 1, perDay: 1 }));
    const [card] = compose({ sections: [sectionOf({ kind: 'time', by: 'day' }, rows)] }).cards;
    const table = card?.tables[0] as ShadeTable;
    return table.rows.map(({ name, cells }) => [name, cells.findIndex((cell) => cell !== undefined)]);
  };
  expect(weeksOf('2026-10-03', '2026-10-04', '2026-10-05', '2026-10-12')).toEqual([
    ['3 Oct', 5],
    ['5 Oct', 0],
    ['12 Oct', 0],
  ]);
  expect(weeksOf('2026-12-30', '2026-12-31', '2027-01-04').map(([name]) => name)).toEqual([
    '30 Dec 2026',
    '4 Jan 2027',
  ]);
});

test('a table of hours by weekday rounds averages of 100 or more to whole numbers', () => {
  const cellOf = (perDay: number) => {
    const hours = Array.from({ length: 7 }, () => [{ scans: 1, perDay }]);
    const { tables, notes } = compose({ hours }).cards[0] ?? {};
    return [(tables?.[0] as ShadeTable | undefined)?.rows[0]?.cells[0]?.text, tables?.[0]?.head[0], notes];
  };
  const { averageCells } = ENGLISH.words.notes;
  expect([cellOf(99.94), cellOf(100)]).toEqual([
    ['99.9', 'Hour', [averageCells]],
    ['100', 'Hour', [averageCells]],
  ]);
});

test('a table of two dimensions has a column per value, and the sum of the row at the end', () => {
  const rows = sectionOf({ kind: 'column', by: 'Stadt' }, [
    { value: 'Berlin', scans: 1200 },
    { value: 'other', scans: 3, isRest: true },
  ]);
  const columns = sectionOf({ kind: 'value', by: 'device' }, [
    { value: 'mobile', scans: 1101 },
    { value: 'a-device-with-a-name-too-long-for-a-column', scans: 102 },
  ]);
  const cells = [
    [1100, 100],
    [1, 2],
  ];
  const [card] = compose({ crosses: [{ rows, columns, cells }] }).cards;
  expect([card?.id, card?.title]).toEqual(['cross-1', 'Stadt × Device']);
  const table = card?.tables[0] as FigureTable;
  expect(table.head.map(({ text }) => text)).toEqual([
    'Stadt',
    'Phone',
    'a-device-with-a-name-too…',
    'Scans',
  ]);
  expect(table.rows).toEqual([
    {
      name: 'Berlin',
      isDim: false,
      cells: [{ text: '1,100' }, { text: '100' }, { text: '1,200', isStrong: true }],
    },
    { name: 'All others', isDim: true, cells: [{ text: '1' }, { text: '2' }, { text: '3', isStrong: true }] },
  ]);
});

test('a footer states the source, the time zone and your own text', () => {
  const words = ENGLISH.words.footer;
  expect(compose({ footer: 'Made by us.\n\n© 2026' }).footer).toEqual([
    'Made by us.',
    '© 2026',
    `${words.notPeople} ${words.fewScans}`,
    'Days and hours are in the time zone Europe/Berlin.',
    `Source: 3 codes. ${words.onceEach}`,
  ]);
  expect(compose({ codes: undefined }).footer.at(-1)).toBe(`Source: exported data. ${words.onceEach}`);
});

test('a report translates its filters, but not a joined column that has the name of a dimension', async () => {
  const filters = [
    { group: { kind: 'time', by: 'weekday' }, values: ['Monday', 'Sunday'] },
    { group: { kind: 'time', by: 'hour' }, values: ['08'] },
    { group: { kind: 'time', by: 'day' }, values: ['2026-10-01'] },
    { group: { kind: 'value', by: 'country' }, values: ['FR', ''] },
    { group: { kind: 'value', by: 'browser' }, values: ['tablet', 'unknown'] },
    { group: { kind: 'column', by: 'country' }, values: ['FR', ''] },
  ] as const;
  expect(composeReport(figuresOf({ filters }), await loadLanguage('de')).coverage).toEqual([
    'Nur Scans mit Wochentag: Montag, Sonntag · Uhrzeit: 08:00 · Tag: Donnerstag, 1. Oktober 2026 · Land: Frankreich, Nicht erfasst · Browser: tablet, Unbekannt · country: FR, Ohne Wert',
  ]);
});

test('a change that rounds to zero is neither up nor down', () => {
  const toneOf = (change: number) =>
    compose({ before: BEFORE, total: totalOf({ scans: 9000, previous: 9000, change }) }).tiles[0]?.change;
  expect([0.0005, 0.0004, -0.0004, -0.0005].map(toneOf)).toEqual([
    { text: '+0.1%', tone: 'up' },
    { text: '±0.0%', tone: 'even' },
    { text: '±0.0%', tone: 'even' },
    { text: '−0.1%', tone: 'down' },
  ]);
});
