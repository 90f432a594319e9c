import { createRequire } from 'node:module';
import Table from 'cli-table3';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { displayWidth } from '#base/text/display-width';
import type { ColorName } from '#files/formats/columns';
import { type Colors, loadColors, NO_COLORS } from '#terminal/color';
import { type Cell, createGrid, fitText, type GridColumn } from '#terminal/grid';
import { runs } from '../support/property-runs.ts';

/** The measure of cli-table3, of 2021: other than ours for newer emoji, which are left to ours. */
const measureOfTable: (text: string) => number = createRequire(
  createRequire(import.meta.url).resolve('cli-table3'),
)('string-width');
const isMeasuredAlike = (text: string) => measureOfTable(text) === displayWidth(text);

const unit = fc.constantFrom(
  'a',
  'Z',
  '0',
  ' ',
  '~',
  '!',
  '…',
  'é',
  'Я',
  '東',
  '🫠',
  '👨‍👩‍👧',
  '🇩🇪',
  'e\u0301',
  '─',
);
const text = fc.oneof(
  fc.constantFrom('', ' ', 'active', 'paused'),
  fc.string({ maxLength: 12 }).map((ascii) => ascii.replace(/[^ -~]/g, '')),
  fc.array(unit, { maxLength: 8 }).map((units) => units.join('')),
);
const color = fc.constantFrom<(ColorName | undefined)[]>(
  undefined,
  'red',
  'green',
  'yellow',
  'cyan',
  'dim',
  'bold',
);
const column = fc.record({
  width: fc.integer({ min: 1, max: 14 }),
  align: fc.constantFrom('left' as const, 'right' as const, undefined),
});

const tables = fc.array(column, { minLength: 1, maxLength: 8 }).chain((columns) =>
  fc.record({
    columns: fc.constant(columns),
    lines: fc.array(fc.tuple(...columns.map(() => fc.record({ text, color }))) as fc.Arbitrary<Cell[]>, {
      minLength: 1,
      maxLength: 12,
    }),
  }),
);

/** Draws all lines as one table of cli-table3; texts that fit their columns only. */
function drawWhole(columns: readonly GridColumn[], lines: readonly Cell[][], colors: Colors): string {
  const sides = ['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'];
  const edges = ['top', 'bottom'].flatMap((edge) => [
    edge,
    ...['mid', 'left', 'right'].map((part) => `${edge}-${part}`),
  ]);
  const table = new Table({
    chars: { ...Object.fromEntries([...sides, ...edges].map((part) => [part, ''])), middle: '  ' },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
    colWidths: columns.map(({ width }) => width),
    colAligns: columns.map(({ align = 'left' }) => align),
  });
  for (const cells of lines)
    table.push(cells.map(({ text, color }) => (color && text ? colors[color](text) : text)));
  const drawn = table.toString().split('\n');
  return drawn.map((line) => `${line.replace(/ +$/, '')}\n`).join('');
}

test('a grid has the same bytes as the output of cli-table3 if all texts fit', async () => {
  const colors = await loadColors(true);
  fc.assert(
    fc.property(tables, fc.boolean(), ({ columns, lines }, isColored) => {
      const used = isColored ? colors : NO_COLORS;
      const fitting = lines.map((cells) =>
        cells.map((cell, at) => {
          const fits = displayWidth(cell.text) <= (columns[at]?.width ?? 0);
          return { ...cell, text: fits && isMeasuredAlike(cell.text) ? cell.text : '' };
        }),
      );
      expect(createGrid(columns, used)(fitting)).toBe(drawWhole(columns, fitting, used));
    }),
    runs(40, 6000),
  );
});

test('a cell wider than its column shifts only the later cells of the same line', () => {
  const draw = createGrid([{ width: 6 }, { width: 6, align: 'right' }], NO_COLORS);
  expect(
    draw([
      [{ text: 'plain' }, { text: '東京' }],
      [{ text: '東京と大阪' }, { text: 'cell' }],
    ]),
  ).toBe('plain     東京\n東京と大阪    cell\n');
});

test('a grid calls cli-table3 only once, even if its lines come in several parts', () => {
  const drawn = vi.spyOn(Table.prototype, 'toString');
  onTestFinished(() => drawn.mockRestore());
  const draw = createGrid([{ width: 6 }, { width: 6, align: 'right' }], NO_COLORS);
  for (let part = 0; part < 5; part++) draw([[{ text: 'plain' }, { text: 'cell', color: 'red' }]]);
  expect(drawn).toHaveBeenCalledTimes(1);
});

test.each([
  ['abc', 3, 'abc'],
  ['abcd', 3, 'ab…'],
  ['ab', 1, '…'],
  ['ab', 0, ''],
  ['', 0, ''],
  ['東京と', 6, '東京と'],
  ['東京と', 5, '東京…'],
  ['東京と', 4, '東…'],
  ['e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
  ['a\nb', 4, 'a\\nb'],
  ['a\nb', 3, 'a\\…'],
])('%j is truncated to %i columns as %j', (text, width, expected) => {
  expect(fitText(text, width)).toBe(expected);
});

test.each([
  [1, 16],
  [10, 160],
  [36, 576],
  [37, 586],
  [100, 712],
])(
  'a text that is a single grapheme is truncated in %i columns if it has more than %i UTF-16 units',
  (width, units) => {
    const text = (length: number) => 'a'.padEnd(length, '\u0301');
    expect(fitText(text(units), width)).toBe(text(5));
    expect(fitText(text(units + 1), width)).toBe(width === 1 ? '…' : `${text(5)}…`);
  },
);
