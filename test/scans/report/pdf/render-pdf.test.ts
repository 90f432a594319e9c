/** PDF of a report: what a screen reader, a search and a viewer find in it. Read by its own bytes (read-structure.ts). */
import { describe, expect, it, test } from 'vitest';
import type { Card, ReportDocument } from '#scans/report/document';
import { renderPdf } from '#scans/report/pdf/render-pdf';
import { cardOf, reportOf, tableOf } from './documents.ts';
import { readDrawing } from './read-drawing.ts';
import { type Node, nodesOf, readTaggedPdf } from './read-structure.ts';

const render = async (given: Parameters<typeof reportOf>[0] = {}) =>
  readTaggedPdf((await renderPdf(reportOf(given), 'a4')).bytes);

/** Words of an element and its children, in order. */
const textOf = (node: Node) =>
  nodesOf(node)
    .map(({ text }) => text)
    .filter((text) => text !== '');

/** Texts of a card as a reader hears them; a chart is a figure with its label. */
function textsOfCard({ title, legend, tables, notes, names = [] }: Card): string[] {
  const cell = ({ text, detail = '' }: { text: string; detail?: string }) => `${text} ${detail}`.trim();
  const ofTables = tables.flatMap((table) =>
    table.kind === 'shades'
      ? [
          ...table.head,
          ...table.rows.flatMap(({ name, cells }) => [
            name,
            ...cells.flatMap((each) => (each ? [each.text] : [])),
          ]),
        ]
      : [...table.head.map(cell), ...table.rows.flatMap(({ name, cells }) => [name, ...cells.map(cell)])],
  );
  const ofNames = names.map(({ name, detail = '' }) => `${name} ${detail}`.trim());
  return [title, ...(legend ? [legend.now, legend.before] : []), ...ofTables, ...ofNames, ...notes];
}

const withoutFigures = (node: Node): string[] =>
  node.type === 'Figure' ? [] : [node.text, ...node.children.flatMap(withoutFigures)];

const ofType = (node: Node, ...types: string[]) => nodesOf(node).filter(({ type }) => types.includes(type));

describe('the PDF of a report', () => {
  it('is tagged, has a language, and shows its title', async () => {
    const { file, catalog } = await render({ title: 'A & <b>' });
    expect(catalog.Lang).toBe('en');
    expect(file.dictionary(catalog.MarkInfo).Marked).toBe(true);
    expect(file.dictionary(catalog.ViewerPreferences).DisplayDocTitle).toBe(true);
    expect(file.get(file.dictionary(file.trailer.Info).Title)).toBe('A & <b>');
    const metadata = file.stream(catalog.Metadata);
    expect(metadata).toContain('<rdf:li xml:lang="x-default">A &amp; &lt;b&gt;</rdf:li>');
  });

  it('contains every text once, in the order of the report', async () => {
    const report = reportOf();
    const { root } = await render();
    const inOrder = [
      ...[report.kicker, report.title, report.range, ...report.coverage, report.story, ...report.note],
      ...report.tiles.flatMap(({ label, value, change, detail }) => [
        label,
        value,
        ...(change ? [change.text] : []),
        detail,
      ]),
      report.comparedWith,
      ...report.cards.flatMap(textsOfCard),
      ...report.footer,
    ];
    const shown = withoutFigures(root).filter((text) => text !== '');
    expect(shown.join('|').replaceAll(' |', ' ')).toBe(inOrder.join('|'));
  });

  it('has all content in structure elements or artifacts, and page numbers only in artifacts', async () => {
    const { stray, artifacts, root } = await render();
    expect(stray).toEqual([]);
    expect(artifacts.map((texts) => texts.at(-1))).toEqual(
      artifacts.map((_, at) => `Page ${at + 1} of ${artifacts.length}`),
    );
    expect(textOf(root).join('\n')).not.toContain('Page 1');
  });

  it('has one heading and one bookmark per card, and an alternate text per chart', async () => {
    const { root, bookmarks } = await render();
    const titles = reportOf().cards.map(({ title }) => title);
    expect(ofType(root, 'H1', 'H2').map(({ text }) => text)).toEqual(['Spring campaign', ...titles]);
    expect(bookmarks.map(({ title }) => title)).toEqual(titles);
    expect(bookmarks.every(({ page }, at) => page >= (bookmarks[at - 1]?.page ?? 0))).toBe(true);
    expect(ofType(root, 'Figure').map(({ alt }) => alt)).toEqual([
      'Scans by day: peak on October 31',
      'Time of day',
    ]);
  });

  it('has tables whose rows have the same number of cells, and whose headers have a scope', async () => {
    const { root } = await render();
    const tables = ofType(root, 'Table');
    expect(tables.length).toBeGreaterThan(3);
    for (const { children } of tables) {
      expect(new Set(children.map(({ type }) => type))).toEqual(new Set(['TR']));
      expect(new Set(children.map((row) => row.children.length)).size).toBe(1);
      const [head, ...rows] = children.map((row) =>
        row.children.map(({ type, scope }) => `${type} ${scope ?? ''}`.trim()),
      );
      expect(new Set(head)).toEqual(new Set(['TH Column']));
      for (const [first, ...others] of rows) expect([first, ...new Set(others)]).toEqual(['TH Row', 'TD']);
    }
  });

  it('repeats the header of a table on each page, but has it only once in the structure', async () => {
    const names = Array.from({ length: 150 }, (_, at) => `Code ${at + 1}`);
    const { root, pages, artifacts } = await render({
      cards: [cardOf('Codes', { tables: [tableOf('Code', names)] })],
    });
    expect(pages.length).toBeGreaterThan(3);
    expect(artifacts.slice(1, -1).every((texts) => texts.includes('Code'))).toBe(true);
    const [table = expect.fail()] = ofType(root, 'Table');
    expect(table.children.map(({ children: [name] }) => name?.text)).toEqual(['Code', ...names]);
  });

  it.each([4, 12, 20, 28])(
    'has the table of hours by weekday on one page, after a table with %d rows',
    async (count) => {
      const rows = Array.from({ length: 24 }, (_, at) => ({
        name: `${at}:00`,
        cells: [{ text: `${at}`, shade: 1 as const }],
      }));
      const hours = {
        kind: 'shades',
        id: 'hours',
        caption: 'Hours',
        head: ['Hour of day', 'Mo'],
        rows,
      } as const;
      const codes = tableOf(
        'Code',
        Array.from({ length: count }, (_, at) => `Code ${at}`),
      );
      const { artifacts, root } = await render({
        cards: [cardOf('Codes', { tables: [codes] }), cardOf('Hours', { tables: [hours] })],
      });
      expect(ofType(root, 'TH').filter(({ text }) => text === 'Hour of day')).toHaveLength(1);
      expect(artifacts.flat()).not.toContain('Hour of day');
    },
  );

  it('splits a table of 24 rows below a chart into three tables, each with a header', async () => {
    const hours = Array.from({ length: 24 }, (_, at) => `${at}:00`);
    const chart = { label: 'Time of day', columns: [] };
    const { root } = await render({
      cards: [cardOf('Time of day', { chart, tables: [tableOf('Hour', hours)] })],
    });
    const names = ofType(root, 'Table').map(({ children }) =>
      children.map(({ children: [name] }) => name?.text),
    );
    expect(names).toEqual([0, 8, 16].map((from) => ['Hour', ...hours.slice(from, from + 8)]));
  });

  it('has pages of the requested paper size', async () => {
    const report = reportOf();
    for (const [paper, size] of [
      ['a4', [0, 0, 595.28, 841.89]],
      ['letter', [0, 0, 612, 792]],
    ] as const) {
      const { pages } = readTaggedPdf((await renderPdf(report, paper)).bytes);
      expect(pages.map(({ MediaBox: box }) => box)).toEqual(pages.map(() => size));
    }
  });

  it('has the same bytes for the same report, no date, and an ID that depends on its content', async () => {
    const [one, same, other] = await Promise.all([
      renderPdf(reportOf(), 'a4'),
      renderPdf(reportOf(), 'a4'),
      renderPdf(reportOf({ footer: ['Scans are people.'] }), 'a4'),
    ]);
    expect(same.bytes.equals(one.bytes)).toBe(true);
    const ids = [one, other].map(
      ({ bytes }) => /\/ID \[<([0-9a-f]{32})>/.exec(bytes.toString('latin1'))?.[1],
    );
    expect(new Set(ids).size).toBe(2);
    expect(one.bytes.toString('latin1')).not.toMatch(/CreationDate|ModDate|CreateDate|D:\d{4}/);
  });
});

describe('an untrusted name', () => {
  const hostile = ['x'.repeat(10_000), 'a\u202eb\u0000c\nd', '한국어 😀 name', ''];

  it('is shown on one line in visible characters, and is truncated with an ellipsis if it has 10,000 characters', async () => {
    const report = reportOf({
      title: hostile[0] ?? '',
      cards: [cardOf('Codes', { tables: [tableOf('Code', hostile)] })],
    });
    const { bytes, lossy } = await renderPdf(report, 'a4');
    const { root } = readTaggedPdf(bytes);
    const [, long = '', controls, emoji, empty] = ofType(root, 'TR').map(
      ({ children: [name] }) => name?.text ?? '',
    );
    expect(long).toMatch(/^x{50,300}…$/);
    expect([controls, emoji, empty]).toEqual(['a\\u{202e}b\\x00c\\nd', '… name', '']);
    expect(lossy).toEqual([hostile[2]]);
    expect(ofType(root, 'H1')[0]?.text).toMatch(/^x{50,300}…$/);
  });
});

describe('the PDF of a right-to-left report', () => {
  const arabic = { language: 'ar', direction: 'rtl', title: 'حملة الربيع 2026' } as const;

  it('has Arabic letters in visual order, and numbers from left to right', async () => {
    const { root, catalog, file } = await render({
      ...arabic,
      cards: [cardOf('البلدان', { tables: [tableOf('البلد', ['مقارنةً'])] })],
    });
    expect(catalog.Lang).toBe('ar');
    expect(file.dictionary(catalog.ViewerPreferences).Direction).toMatchObject({ name: 'R2L' });
    const seen = (text: string) =>
      text
        .match(/\P{M}\p{M}*/gu)
        ?.reverse()
        .join('');
    expect(ofType(root, 'H1')[0]?.text).toBe(`2026 ${seen('حملة الربيع')}`);
    expect(ofType(root, 'TR')[1]?.children.map(({ text }) => text)).toEqual([
      seen('مقارنةً'),
      '1000',
      '0.1% 0.5 per day',
    ]);
  });

  it('has mirrored boxes on its first page', async () => {
    const starts = async (direction: 'ltr' | 'rtl') => {
      const { file, pages } = await render({ direction });
      const boxes = [...file.stream(pages[0]?.Contents).matchAll(/^([\d.]+) [\d.]+ ([\d.]+) 0\.75 re$/gm)];
      return boxes.map(([, x, width]) => [Number(x), Number(width)] as const);
    };
    const [left, right] = await Promise.all([starts('ltr'), starts('rtl')]);
    expect(left.length).toBeGreaterThan(1);
    expect(right).toEqual(left.map(([x, width]) => [Math.round((595.28 - x - width) * 100) / 100, width]));
  });
});

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElFTkSuQmCC';

/** A report of one page and a half that has every kind of block, with long and short texts. */
function variedReport(): ReportDocument {
  const values = [0, 1, 1000, 500, 250, 0, 40, 60, 80];
  const columns = values.map((value, at) => ({
    label: `Day ${at + 1}`,
    value,
    previous: at === 4 ? null : 90 * at,
    isPart: at === 8,
  }));
  const tile = { label: 'Top code', value: 'A long name of a code on a poster', detail: '' };
  const shades = ([0, 1, 2, 3, 4, 5] as const).map((shade) => ({ text: `${10 ** shade}`, shade }));
  const [row] = tableOf('', ['']).rows;
  const wide = ['Poster at the entrance of the long hall on the second floor', 'Door'].map((name, at) => ({
    name,
    detail: 'abc/def',
    isDim: at === 1,
    ...(at === 0 && { bar: 0.5 }),
    cells: [
      ...(row?.cells ?? []),
      { text: '+5.0%', tone: 'up' as const },
      { text: '−5.0%', detail: 'more than tenfold', tone: 'down' as const },
    ],
  }));
  const head = ['Code', 'Scans', 'Share', 'Change', 'Last year'].map((text, at) => ({
    text,
    ...(at > 1 && { detail: 'per day' }),
  }));
  return reportOf({
    accent: '#008000',
    logo: { png: Buffer.from(PNG, 'base64'), width: 40, height: 10, alt: 'Logo' },
    note: ['A note that is too long for a line of the page. '.repeat(6).trim()],
    tiles: [...reportOf().tiles, tile, tile, tile],
    cards: [
      cardOf('Days', {
        chart: { label: 'Peak', columns },
        legend: { now: 'October', before: 'September' },
        tables: [
          {
            kind: 'shades',
            id: 'calendar',
            caption: 'Days',
            head: ['Week', ...'abcdefg'],
            rows: [{ name: '1 Oct', cells: [undefined, ...shades] }],
          },
          tableOf(
            'Day',
            values.map((_, at) => `Day ${at + 1}`),
          ),
        ],
        notes: ['* Partial day.'],
      }),
      cardOf('Codes', { isWide: false, tables: [tableOf('Code', [], { head, rows: wide })] }),
      cardOf('Devices', { isWide: false, tables: [tableOf('Device', ['Phone', 'Tablet'])] }),
      cardOf('Silent', {
        names: [
          { name: 'A name that is far too long for a column', detail: 'and its slug is long too' },
          { name: 'Flyer', detail: 'fly' },
          { name: 'Menu' },
          { name: 'Door' },
        ],
      }),
    ],
  });
}

test('the pages of a report with every kind of block equal their golden file', async () => {
  const { bytes } = await renderPdf(variedReport(), 'a4');
  const drawing = readDrawing(readTaggedPdf(bytes));
  await expect(`${drawing.join('\n')}\n`).toMatchFileSnapshot('../golden/pages.txt');
});

test('the rows of tables side by side and of tables below charts continue on the next page as in their golden file', async () => {
  const names = (count: number) => Array.from({ length: count }, (_, at) => `Row ${at + 1}`);
  const columns = [{ label: 'Day 1', value: 3, previous: null, isPart: false }];
  const chart = { label: 'Peak', columns };
  const { bytes } = await renderPdf(
    reportOf({
      cards: [
        cardOf('Days', { chart, tables: [tableOf('Day', names(100))] }),
        cardOf('Codes', { isWide: false, tables: [tableOf('Code', names(40))] }),
        cardOf('Last', { chart, tables: [tableOf('Day', names(9))] }),
        cardOf('Few', { chart, tables: [tableOf('Day', names(8))] }),
      ],
    }),
    'a4',
  );
  const drawing = readDrawing(readTaggedPdf(bytes)).filter((line) => /^page|Row|"(Day|Code)"/.test(line));
  const places = drawing.map((line) => line.replace(/^text (\S+ \S+) .* "/, '$1 "'));
  await expect(`${places.join('\n')}\n`).toMatchFileSnapshot('../golden/split-tables.txt');
});

test('charts with wide labels, many columns or no values equal their golden file', async () => {
  const chartOf = (labels: readonly string[], value: (at: number) => [number, number | null]) => ({
    label: 'Peak',
    columns: labels.map((label, at) => {
      const [now, previous] = value(at);
      return { label, value: now, previous, isPart: false };
    }),
  });
  const hours = Array.from({ length: 24 }, (_, at) => `${at}:00`);
  const days = Array.from({ length: 90 }, (_, at) => `November ${at}`);
  const charts = [
    chartOf(['A label of some length', 'B'], (at) => [at, null]),
    chartOf(['One'], () => [0, 0]),
    chartOf(hours, (at) => [at * 1000, at === 5 ? 20_000 : null]),
    chartOf(hours.slice(0, 3), (at) => [1e6 * at, at < 2 ? 5e5 : null]),
    chartOf(days, (at) => [at % 7, at > 3 ? at % 5 : null]),
    chartOf(days.slice(0, 8), (at) => [1, at === 0 ? 1 : null]),
    chartOf([], () => [0, 0]),
  ];
  const cards = charts.map((chart, at) =>
    cardOf(`Chart ${at}`, { chart, ...(at % 2 === 0 && { legend: { now: 'Now', before: 'Before' } }) }),
  );
  const { bytes } = await renderPdf(reportOf({ tiles: [], note: [], story: '', coverage: [], cards }), 'a4');
  const drawing = readDrawing(readTaggedPdf(bytes));
  await expect(`${drawing.join('\n')}\n`).toMatchFileSnapshot('../golden/charts.txt');
});

test('a chart and its legend are on the same page, however much is above them', async () => {
  const chart = { label: 'Days', columns: [{ label: 'Day', value: 1, previous: 2, isPart: false }] };
  const days = cardOf('Days', { chart, legend: { now: 'Now', before: 'Before' } });
  const pages: number[] = [];
  for (const cards of [2, 3])
    for (let lines = 12; lines < 19; lines++) {
      const above = Array.from({ length: cards }, () => cardOf('Short', { notes: ['Note'] }));
      const long = cardOf('Long', { notes: Array.from({ length: lines }, () => 'Note') });
      const content = { tiles: [], note: [], story: '', coverage: [], cards: [...above, long, days] };
      const drawing = readDrawing(await render(content));
      const [page, ofLegend] = ['"Day"', '"Now"'].map((text) => {
        const before = drawing.slice(
          0,
          drawing.findIndex((line) => line.endsWith(text)),
        );
        return before.filter((line) => line.startsWith('page ')).length;
      });
      expect(ofLegend).toBe(page);
      pages.push(page ?? 0);
    }
  expect([...new Set(pages)]).toEqual([1, 2]);
});

test('texts that are too long for their place are drawn as in their golden file', async () => {
  const long = 'Very long words without an end ';
  const [row] = tableOf('', ['']).rows;
  const cells = [...(row?.cells ?? []), { text: '123,456,789,012', detail: 'a long detail of a cell' }];
  const rows = [
    { name: long.repeat(9), detail: 'short', isDim: false, cells },
    { name: long, detail: long.repeat(9), isDim: true, cells },
    { name: '', detail: 'no name', isDim: false, bar: 0, cells },
  ];
  const head = [{ text: long.repeat(3) }, { text: long, detail: long }, { text: '' }, { text: 'Scans' }];
  const tile = { label: long, value: long.repeat(3), detail: long.repeat(3) };
  const shades = ([0, 1, 2, 3, 4, 5] as const).map((shade) => ({ text: '1,234,567', shade }));
  const table = {
    kind: 'shades' as const,
    id: 'calendar' as const,
    caption: 'Days',
    head: [long, ...'abcdef'],
    rows: [{ name: long, cells: shades }],
  };
  const report = reportOf({
    title: long.repeat(20),
    kicker: long.repeat(9),
    range: long.repeat(9),
    story: '',
    note: ['', long.repeat(9)],
    coverage: [long.repeat(9), long],
    comparedWith: long.repeat(9),
    logo: { png: Buffer.from(PNG, 'base64'), width: 10, height: 400, alt: '' },
    tiles: [tile, { ...tile, change: { text: '0%', tone: 'even' } }, { label: 'L', value: 'V', detail: '' }],
    cards: [
      cardOf(long.repeat(9), {
        isWide: false,
        tables: [tableOf('Code', [], { head, rows })],
        notes: [long.repeat(9)],
      }),
      cardOf('Names', { isWide: false, names: [{ name: long, detail: long }, { name: long }] }),
      cardOf('Hours', { isWide: false, tables: [table] }),
      cardOf('Hours', { isWide: false, tables: [{ ...table, id: 'hours' }] }),
    ],
    footer: [long.repeat(12), ''],
  });
  const { bytes } = await renderPdf(report, 'a4');
  const drawing = readDrawing(readTaggedPdf(bytes));
  await expect(`${drawing.join('\n')}\n`).toMatchFileSnapshot('../golden/long-texts.txt');
});
