import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { displayWidth } from '#base/text/display-width';
import type { Column } from '#files/formats/columns';
import { textOf } from '#files/formats/formatter';
import { loadColors, NO_COLORS } from '#terminal/color';
import { fitText } from '#terminal/grid';
import { createRecordFormatter, createTableFormatter, type TableOptions } from '#terminal/table';
import { runs, SOAK } from '../support/property-runs.ts';

const columns: Column[] = [
  { name: 'id', keepWhole: true, importance: 1 },
  { name: 'name', importance: 5 },
  { name: 'status', importance: 4, color: (value) => (value === 'active' ? 'green' : 'yellow') },
  { name: 'scans', align: 'right', importance: 2 },
];

function render(rows: Record<string, unknown>[], options: Partial<TableOptions> = {}) {
  const dropped: string[] = [];
  const formatter = createTableFormatter({
    columns,
    width: 80,
    colors: NO_COLORS,
    header: true,
    ruled: true,
    mayDrop: true,
    onDropped(names) {
      expect(names).not.toEqual([]);
      dropped.push(...names);
    },
    ...options,
  });
  return { text: formatter.begin() + formatter.rows(rows) + formatter.end(), dropped };
}

const ann = { id: 'c-1', name: 'Ann', status: 'active', scans: 12 };
const bob = { id: 'c-22', name: '東京 🫠', status: 'paused', scans: 1234 };

describe('a table', () => {
  test('aligns columns by display width, even with newer emoji', () => {
    expect(render([ann, bob]).text).toBe(
      [
        'id    name     status  scans',
        '────  ───────  ──────  ─────',
        'c-1   Ann      active     12',
        'c-22  東京 🫠  paused   1234',
        '',
      ].join('\n'),
    );
  });

  test('has no line below the header for a screen reader', () => {
    expect(render([ann], { ruled: false }).text).toBe('id   name  status  scans\nc-1  Ann   active     12\n');
  });

  test('has the same text with and without color', async () => {
    const colored = render([ann], { colors: await loadColors(true) }).text;
    expect(colored).toContain('\x1b[32mactive\x1b[39m');
    expect(stripVTControlCharacters(colored)).toBe(render([ann]).text);
  });

  test('has bold column names above a dim line if colors are enabled', async () => {
    const colored = render([{ name: 'Ann' }], {
      columns: [{ name: 'name' }],
      colors: await loadColors(true),
    });
    expect(colored.text).toBe('\x1b[1mname\x1b[22m\n\x1b[2m────\x1b[22m\nAnn\n');
  });

  test('escapes invisible characters in a name, so each row has one line', () => {
    expect(render([{ ...ann, name: 'a\x1b[2J\n\u202eb' }]).text).toContain('a\\x1b[2J\\n\\u{202e}b');
  });

  test('drops a column if a cell would be narrower than its minimum width, unless the user chose the columns', () => {
    const wide: Column[] = [
      { name: 'name', importance: 5, leastWidth: 24, wishedWidth: 40 },
      { name: 'city', importance: 2, leastWidth: 16 },
    ];
    const row = { name: 'n'.repeat(40), city: 'c'.repeat(40) };
    expect(render([row], { columns: wide, width: 42 }).dropped).toEqual([]);
    expect(render([row], { columns: wide, width: 41 }).dropped).toEqual(['city']);
    const chosen = render([row], { columns: wide, width: 30, mayDrop: false });
    expect(Math.max(...chosen.text.split('\n').map(displayWidth))).toBe(30);
  });

  test('has an error below its row, wrapped between words, if the error does not fit in its column', () => {
    const columns: Column[] = [{ name: 'code' }, { name: 'outcome' }, { name: 'error', below: true }];
    const failed = {
      code: 'spring-menu',
      outcome: 'failed',
      error: 'destination: must be a web address\x1b[2J, and this is none',
    };
    const rows = [
      failed,
      { code: 'summer-menu', outcome: 'updated', error: null },
      { code: 'x', outcome: 'failed', error: 'short' },
    ];
    const { text, dropped } = render(rows, { columns, width: 40 });
    expect(dropped).toEqual([]);
    expect(text).toBe(
      [
        'code         outcome',
        '───────────  ───────',
        'spring-menu  failed',
        '  destination: must be a web',
        '    address\\x1b[2J, and this is none',
        'summer-menu  updated',
        'x            failed',
        '  short',
        '',
      ].join('\n'),
    );
    expect(render(rows, { columns, width: 90 }).text).toContain(
      '\nspring-menu  failed   destination: must be',
    );
    const fitting = (width: number) => render(rows.slice(2), { columns, width }).text.split('\n').slice(2);
    expect(fitting(20)).toEqual(['x     failed   short', '']);
    expect(fitting(19)).toEqual(['x     failed', '  short', '']);
    expect(render([failed], { columns: columns.slice(2), width: 20 }).text.split('\n')[0]).toBe('error');
  });

  test('has a header and the error below it if the error is the only column', () => {
    const { text, dropped } = render([{ error: 'must be a web address' }], {
      columns: [{ name: 'error', below: true }],
      width: 20,
    });
    expect(text.split('\n')).toEqual(['error', '─'.repeat(20), '', '  must be a web', '    address', '']);
    expect(dropped).toEqual([]);
  });

  test('has an error below its row if the error is longer than those in the first 1,000 rows', () => {
    const columns: Column[] = [{ name: 'code' }, { name: 'error', below: true }];
    const formatter = createTableFormatter({
      columns,
      width: 80,
      colors: NO_COLORS,
      header: true,
      ruled: true,
      mayDrop: true,
      onDropped: () => undefined,
    });
    formatter.rows(Array.from({ length: 1000 }, () => ({ code: 'a', error: 'short' })));
    expect(formatter.rows([{ code: 'b', error: 'a long one' }])).toBe('b\n  a long one\n');
  });

  test('drops the ID column if names would otherwise get less than their preferred width', () => {
    const columns: Column[] = [
      { name: 'id', importance: 1, keepWhole: true },
      { name: 'name', importance: 5, leastWidth: 24, wishedWidth: 40 },
    ];
    const row = { id: 'x'.repeat(36), name: 'n'.repeat(60) };
    expect(render([row], { columns, width: 36 + 2 + 39 }).dropped).toEqual(['id']);
    expect(render([row], { columns, width: 36 + 2 + 40 }).dropped).toEqual([]);
    expect(render([{ ...row, name: 'short' }], { columns, width: 36 + 2 + 5 }).dropped).toEqual([]);
  });

  test('shows an ellipsis instead of an origin that at least half of the cells share if a cell does not fit', () => {
    const url = (address: string) => ({ slug: 'a', to: address });
    const rows = [
      url('https://www.example.com/menu/spring'),
      url('https://www.example.com/menu/summer'),
      url('https://www.example.com/x'),
      url('https://other.example/menu/spring'),
      url(''),
    ];
    const narrow = { columns: [{ name: 'slug' }, { name: 'to', isUrl: true }], ruled: false };
    expect(
      render(rows, { ...narrow, width: 31 })
        .text.split('\n')
        .slice(1, 5),
    ).toEqual([
      'a     …/menu/spring',
      'a     …/menu/summer',
      'a     https://www.example.com/x',
      'a     https://other.example/me…',
    ]);
    const [first] = render(rows, narrow).text.split('\n').slice(1);
    expect(first).toBe('a     https://www.example.com/menu/spring');
    const differing = [
      url('https://a.example/menu/spring'),
      url('https://b.example/menu/spring'),
      url('tel:1'),
    ];
    const linesOf = (rows: { slug: string; to: string }[], columns: Column[] = narrow.columns) =>
      render(rows, { ...narrow, columns, width: 26 })
        .text.split('\n')
        .slice(1, -1);
    expect(linesOf(differing)[0]).toBe('a     https://a.example/m…');
    const spring = url('HTTP://a.example/menu/spring');
    const text = url('no link, but a long text');
    expect(linesOf([text, text, spring, spring, url('')]).slice(2, 4)).toEqual([
      'a     HTTP://a.example/me…',
      'a     HTTP://a.example/me…',
    ]);
    expect(linesOf([spring, text, url(''), spring, url('tel:1')])[0]).toBe('a     …/menu/spring');
    expect(linesOf([text, spring, text, spring, url('tel:1')])[1]).toBe('a     HTTP://a.example/me…');
    expect(linesOf([url('tel:1'), spring, spring])[1]).toBe('a     …/menu/spring');
    expect(linesOf([spring, spring, ...differing])[0]).toBe('a     HTTP://a.example/me…');
    expect(linesOf([url('')])).toEqual(['a']);
    expect(linesOf([spring])).toEqual(['a     HTTP://a.example/me…']);
    expect(linesOf([spring, spring], [{ name: 'slug' }, { name: 'to' }])[0]).toBe(
      'a     HTTP://a.example/me…',
    );
  });

  test('drops the least important columns on a narrow terminal, and reports them', () => {
    const { text, dropped } = render([ann, { ...ann, id: 'x'.repeat(36) }], { width: 30 });
    expect(text.split('\n')[0]).toBe('name  status  scans');
    expect(dropped).toEqual(['id']);
  });

  test('keeps the columns that the user chose, and truncates their cells', () => {
    const long = { ...ann, name: 'n'.repeat(50), status: 's'.repeat(50) };
    const { text, dropped } = render([long], { width: 40, mayDrop: false });
    expect(dropped).toEqual([]);
    expect(text.split('\n')[2]).toBe(`c-1  ${'n'.repeat(12)}…  ${'s'.repeat(12)}…     12`);
  });

  test('never truncates an ID', () => {
    const long = { ...ann, id: 'i'.repeat(60), name: 'n'.repeat(60) };
    const { text } = render([long], { width: 40, mayDrop: false });
    expect(text.split('\n')[2]).toBe(`${long.id}  ${'n'.repeat(9)}…  active     12`);
    const alone = render([long], { columns: columns.slice(0, 1), width: 40 });
    expect(alone.text.split('\n')[2]).toBe(long.id);
  });

  test('is empty if there are no rows', () => {
    expect(render([]).text).toBe('');
  });

  test('is printed in parts with the same column widths if it has 1,000 rows or more', () => {
    const formatter = createTableFormatter({
      columns,
      width: 80,
      colors: NO_COLORS,
      header: true,
      ruled: true,
      mayDrop: true,
      onDropped: () => undefined,
    });
    expect(formatter.rows(Array.from({ length: 999 }, () => ann))).toBe('');
    const first = formatter.rows([ann]);
    expect(textOf(first).split('\n')).toHaveLength(1003);
    expect(formatter.rows([{ ...bob, name: 'longer than the sample' }])).toBe('c-22  lon…  paused   1234\n');
    expect(formatter.end()).toBe('');
  });

  test('has aligned columns and no line wider than the terminal, for any text', () => {
    const value = fc.string({
      unit: fc.constantFrom('a', '東', '🫠', '👨‍👩‍👧', '\u0301', '\x1b', '\u202e', '\n', ' ', 'é', '\ud800'),
    });
    fc.assert(
      fc.property(fc.array(value, { minLength: 1 }), fc.integer({ min: 40, max: 90 }), (names, width) => {
        const lines = render(
          names.map((name) => ({ id: 'c-1', name, status: 'active', scans: 7 })),
          { width },
        ).text.split('\n');
        expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(width);
        expect(new Set(lines.slice(0, -1).map(displayWidth)).size).toBe(1); // the last column is flush right
      }),
    );
  });
});

describe('one record', () => {
  const formatter = createRecordFormatter({ columns, colors: NO_COLORS, extra: true });

  test('has one line per field, including unknown fields, with untruncated values', () => {
    const record = { ...ann, name: 'n'.repeat(200), scans: null, extra: { a: [1n] } };
    expect(formatter.rows([record])).toBe(
      `id      c-1\nname    ${'n'.repeat(200)}\nstatus  active\nscans   –\nextra   {"a":[1]}\n`,
    );
  });

  test('has dim names and a dim dash for a missing value if colors are enabled', async () => {
    const colored = createRecordFormatter({ columns, colors: await loadColors(true), extra: false });
    expect(colored.rows([{ name: 'Ann' }])).toContain('\x1b[2mid\x1b[22m      \x1b[2m–\x1b[22m\n');
  });

  test('is printed in fewer than 5,000 characters if a value has 10 MB', () => {
    expect(formatter.rows([{ ...ann, name: 'x'.repeat(1e7) }]).length).toBeLessThan(5000);
  });
});

describe('fitText', () => {
  test.each([
    ['東京東京東京', 5, '東京…'],
    ['東京東京', 4, '東…'],
    ['👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧', 5, '👨‍👩‍👧👨‍👩‍👧…'],
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['abcd', 1, '…'],
    ['abcd', 0, ''],
    ['e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
  ])('fits %j into %i columns as %j', (text, width, cut) => {
    expect(fitText(text, width)).toBe(cut);
  });

  test('truncates a text of at least a million characters to 20 columns', () => {
    for (const unit of ['a', '\u0301', '東', '\x1b'])
      expect(displayWidth(fitText(unit.repeat(SOAK ? 1e7 : 1e6), 20))).toBeLessThanOrEqual(20);
  });
});

describe('displayWidth', () => {
  test('equals string-width for single characters', () => {
    // By day every 29th: each block of characters but the smallest has some of them.
    const every = SOAK ? 1 : 29;
    const units = Array.from({ length: 0x10000 / every }, (_, i) => String.fromCharCode(i * every));
    const emoji = Array.from({ length: 0x1000 / every }, (_, i) => String.fromCodePoint(0x1f000 + i * every));
    expect([...units, ...emoji].filter((c) => displayWidth(c) !== stringWidth(c))).toEqual([]);
  });

  test('equals string-width for texts with characters that combine', () => {
    const unit = fc.constantFrom(
      ...'a1é東かガ한…Яกำ',
      '\u3099',
      '\u0301',
      '\u200d',
      '\ufe0f',
      '\u20e3',
      '\u11a8',
      '👨',
      '👧',
      '🇩',
      '🇪',
      '🏽',
    );
    fc.assert(
      fc.property(fc.string({ unit }), (text) => {
        expect(displayWidth(text)).toBe(stringWidth(text));
      }),
      runs(40, 20_000),
    );
  });
});
