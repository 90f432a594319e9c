import { describe, expect, it } from 'vitest';
import { PAPERS } from '#codes/images/label-grids';
import {
  isRoll,
  parseGrid,
  parseLength,
  parsePaper,
  parseSides,
  parseSize,
  requireLayout,
  resolveSheet,
} from '#codes/images/label-sheet';

const size = (widthMm: number, heightMm: number) => ({ widthMm, heightMm });
const paper = (raw: string) => parsePaper(raw) ?? expect.fail();

it.each([
  ['1mm', 1],
  ['3cm', 30],
  ['1.25in', 31.75],
  ['5m', 5000],
  ['5000mm', 5000],
  ['0.9999mm', undefined],
  ['5000.1mm', undefined],
  ['30', undefined],
  ['.5cm', undefined],
  ['1.mm', undefined],
  ['1.23456cm', undefined],
  ['1234567mm', undefined],
  ['x30mm', undefined],
  ['30mmx', undefined],
  ['30 mm', undefined],
])('the length %j in millimeters is %j', (raw, mm) => {
  expect(parseLength(raw)).toBe(mm);
});

it.each([
  ['63.5x38.1mm', size(63.5, 38.1)],
  ['2x1in', size(50.8, 25.4)],
  ['63.25x38.125mm', size(63.25, 38.125)],
  ['0x1cm', size(0, 10)],
  ['0x0mm', size(0, 0)],
  ['500x499cm', size(5000, 4990)],
  ['501x1cm', undefined],
  ['1x501cm', undefined],
  ['1x1m', undefined],
  ['1x1', undefined],
  ['a1x1mm', undefined],
  ['1x1mmm', undefined],
  ['12345x1mm', undefined],
  ['1x12345mm', undefined],
  ['1.x1mm', undefined],
  ['1x1.mm', undefined],
])('the size %j is %j', (raw, sides) => {
  expect(parseSize(raw)).toEqual(sides);
  expect(parseSides(raw)).toEqual(sides);
});

it.each([
  ['2.5mm', size(2.5, 2.5)],
  ['1in', size(25.4, 25.4)],
  ['2.5', undefined],
  ['1.2.3mm', undefined],
  ['x1mm', undefined],
  ['1mmm', undefined],
])('the length %j for both sides is %j', (raw, sides) => {
  expect(parseSides(raw)).toEqual(sides);
});

it.each([
  ['a4', { size: PAPERS.A4, name: 'A4' }],
  ['LETTER', { size: PAPERS.Letter, name: 'Letter' }],
  ['62x29.5mm', { size: size(62, 29.5), name: '62 x 29.5 mm', isSized: true }],
  ['62x0mm', undefined],
  ['0x62mm', undefined],
  ['A5', undefined],
])('the paper %j is %j', (raw, expected) => {
  expect(parsePaper(raw)).toEqual(expected);
});

it.each([
  ['3x7', [3, 7]],
  ['99x12', [99, 12]],
  ['0x7', undefined],
  ['3x0', undefined],
  ['100x1', undefined],
  ['1x100', undefined],
  ['3', undefined],
])('the grid %j is %j', (raw, grid) => {
  expect(parseGrid(raw)).toEqual(grid);
});

describe('a sheet', () => {
  const label = size(60, 30);

  it('is a roll with one label per page if only a paper size is specified, and is refused if the margin leaves no space', () => {
    const roll = { paper: paper('62x29mm'), margin: size(1, 2) };
    expect(resolveSheet(roll)).toEqual({
      grid: {
        paper: size(62, 29),
        columns: 1,
        rows: 1,
        label: size(60, 25),
        gap: size(0, 0),
        margin: size(1, 2),
      },
      name: 'a roll of 62 x 29 mm',
    });
    expect(resolveSheet({ paper: paper('62x29mm') }).grid.label).toEqual(size(62, 29));
    expect(
      [
        { ...roll, grid: [1, 1] as [number, number] },
        { ...roll, sheet: 'L7160' },
        { paper: paper('a4') },
        {},
      ].map(isRoll),
    ).toEqual([false, false, false, false]);
    for (const margin of [size(31, 1), size(1, 14.5)])
      expect(() => resolveSheet({ ...roll, margin })).toThrow(
        expect.objectContaining({
          message: '--margin leaves no space on a page of 62 x 29 mm',
          hint: 'Reduce --margin.',
        }),
      );
  });

  it('has the grid of its number, with other margins if they are specified and the labels fit', () => {
    const { grid, name } = resolveSheet({ sheet: 'avery L7160' });
    expect([name, grid.columns, grid.rows, grid.margin]).toEqual(['avery L7160', 3, 7, undefined]);
    expect(resolveSheet({ sheet: 'L7160', margin: size(7, 15) }).grid).toEqual({
      ...grid,
      margin: size(7, 15),
    });
    expect(() => resolveSheet({ sheet: 'L7160', margin: size(50, 15) })).toThrow(
      "the labels don't fit on its page",
    );
  });

  it.each([
    ['l716o', 'Did you mean L7160? '],
    ['nothing like it', ''],
  ])('with the unknown number %j is refused', (sheet, guess) => {
    expect(() => resolveSheet({ sheet })).toThrow(
      expect.objectContaining({
        message: expect.stringContaining('unknown sheet number '),
        hint: `${guess}To list the known numbers, use --sheet list. Describe any other sheet with --grid CxR --label WxH.`,
      }),
    );
  });

  it('can be described by a grid and a label size, and is refused if either is missing or the labels do not fit', () => {
    expect(resolveSheet({ grid: [3, 8], label })).toEqual({
      grid: { paper: PAPERS.A4, columns: 3, rows: 8, label, gap: size(0, 0), margin: undefined },
      name: 'a grid of 3x8',
    });
    const more = { gap: size(1, 2), margin: size(3, 4), paper: paper('letter') };
    expect(resolveSheet({ grid: [3, 8], label, ...more }).grid).toMatchObject({
      ...more,
      paper: PAPERS.Letter,
    });
    expect(() => resolveSheet({ grid: [3, 8] })).toThrow(
      expect.objectContaining({
        message: '--grid requires --label WxH',
        hint: 'Add the size of a label, as in --grid 3x7 --label 63.5x38.1mm.',
      }),
    );
    expect(() => resolveSheet({ label })).toThrow('--grid requires --label WxH');
    expect(() => resolveSheet({ grid: [4, 8], label })).toThrow(
      expect.objectContaining({
        message: "the labels don't fit on a page of A4",
        hint: 'Reduce --grid, --label, --margin or --gap.',
      }),
    );
  });

  it('is refused if the code does not fit on its labels, with the largest size that does', () => {
    const sheet = resolveSheet({ grid: [3, 8], label });
    expect(requireLayout(sheet, { caption: false, sizeMm: 27 }).code.sizeMm).toBe(27);
    expect(requireLayout(sheet, { caption: true }).code.sizeMm).toBe(27);
    expect(() => requireLayout(sheet, { caption: false, sizeMm: 27.5 })).toThrow(
      expect.objectContaining({
        message: "a 27.5 mm code doesn't fit on a label of a grid of 3x8 (60 x 30 mm)",
        hint: 'Use --size 27mm, the largest that fits, or omit --size.',
      }),
    );
    expect(() => requireLayout(sheet, { caption: true, captionLines: 3, sizeMm: 28 })).toThrow(
      "a 28 mm code doesn't fit on a label of a grid of 3x8 (60 x 30 mm)",
    );
    const tiny = resolveSheet({ grid: [3, 8], label: size(60, 3) });
    for (const sizeMm of [undefined, 10])
      expect(() => requireLayout(tiny, { caption: false, sizeMm })).toThrow(
        expect.objectContaining({
          message: 'no code fits on a label of a grid of 3x8 (60 x 3 mm)',
          hint: 'Use larger labels.',
        }),
      );
  });
});
