/** Pages of labels: outlines, captions, and the number of pages. */
import { describe, expect, it } from 'vitest';
import { BLACK, WHITE } from '#base/color';
import { drawSheet, type SheetStyle } from '#codes/images/draw-sheet';
import { encodeText } from '#codes/images/encode';
import { POINTS_A_MM } from '#codes/images/image-style';
import { findGrid, placesOf } from '#codes/images/label-grids';
import { FONT_SIZE_MM, LINE_MM, layOutLabel } from '#codes/images/label-sheet';
import { contentsOf, readDrawnTexts } from '../../support/read-pdf-text.ts';

const TEXT = 'https://qr.example/a';
const MODULES = encodeText(TEXT, 'M') ?? expect.fail();

/** Draws labels with these captions; without captions, that many labels. */
async function draw(name: string, captions: readonly string[] | number, more: Partial<SheetStyle> = {}) {
  const grid = findGrid(name) ?? expect.fail(name);
  const hasCaption = typeof captions !== 'number';
  const layout = layOutLabel(grid.label, { caption: hasCaption, sizeMm: undefined }) ?? expect.fail();
  const image = {
    dpi: 300,
    quietZone: 4,
    level: 'M',
    color: BLACK,
    background: WHITE,
    sizeMm: layout.code.sizeMm,
  } as const;
  const labels = (hasCaption ? captions : Array.from({ length: captions }, () => '')).map((caption) => {
    return { text: TEXT, modules: MODULES, caption, plain: 'Łódź' };
  });
  const style = { grid, layout, image, skipped: 0, outline: false, title: 'labels', ...more };
  const sheet = await drawSheet(labels, style);
  if ('fault' in sheet) return expect.fail(sheet.fault);
  return { ...sheet, grid, pdf: sheet.bytes.toString('latin1') };
}

describe('a sheet', () => {
  it('begins a new page only for a label that does not fit on the previous page', async () => {
    expect(await draw('5164', 6)).toMatchObject({ pages: 1, lost: new Map() });
    expect(await draw('5164', 6, { skipped: 1 })).toMatchObject({ pages: 2 });
  });

  it('has a gray 0.1 mm line around each cell on each page, if requested', async () => {
    const { pdf, grid } = await draw('5164', 2, { skipped: 5, outline: true });
    expect(contentsOf(pdf)).toHaveLength(2);
    for (const content of contentsOf(pdf)) {
      const [line = ''] = content.split(/^S$/m);
      expect(Number(/^([\d.]+) w$/m.exec(line)?.[1]) / POINTS_A_MM).toBeCloseTo(0.1);
      expect(line).toMatch(/^0 0 0 0\.41\d* SCN$/m);
      const boxes = [...line.matchAll(/^(.*) re$/gm)].map(([, box = '']) =>
        box.split(' ').map((value) => Number(value) / POINTS_A_MM),
      );
      const { widthMm, heightMm } = grid.label;
      const cells = [...placesOf(grid)].map(({ xMm, yMm }) => [xMm, yMm, widthMm, heightMm]);
      expect(boxes).toEqual(cells.map((cell) => cell.map((value) => expect.closeTo(value, 3))));
    }
    expect(contentsOf((await draw('5164', 2)).pdf)[0]).not.toMatch(/^S$/m);
  });

  it('shows the plain caption if the name is empty or no font has its characters', async () => {
    const { pdf, lost } = await draw('5164', ['', '🎉', '🎉 menu']);
    expect([...lost]).toEqual([
      ['🎉', 'words'],
      ['🎉 menu', 'symbols'],
    ]);
    const letters = readDrawnTexts(pdf).map((text) => text.letters);
    expect(letters.join('')).toBe('ŁódźŁódźmenu');
  });
});

describe('the caption of a label', () => {
  it('below a code is centered', async () => {
    const { pdf, grid } = await draw('5164', ['x', 'xxx']);
    const [one = expect.fail(), three = expect.fail()] = readDrawnTexts(pdf);
    const [left, right] = [...placesOf(grid)].map(({ xMm }) => (xMm + grid.label.widthMm / 2) * POINTS_A_MM);
    // Both are centered, so that an x is as wide as the space that it takes from both sides.
    const [toLeft, toRight] = [(left ?? 0) - one.x, (right ?? 0) - three.x];
    expect(toLeft).toBeGreaterThan(0);
    expect(toRight).toBeCloseTo(3 * toLeft, 1);
    expect(three.y).toBe(one.y);
  });

  it('next to a code is broken into lines with a fixed font size and line spacing', async () => {
    const { pdf } = await draw('L7160', ['menu of the restaurant at the market square']);
    const lines = readDrawnTexts(pdf);
    expect(lines.map((line) => line.letters)).toEqual(['menu of the', 'restaurant at the', 'market square']);
    expect(lines.map((line) => line.size)).toEqual(
      lines.map(() => expect.closeTo(FONT_SIZE_MM * POINTS_A_MM, 3)),
    );
    const [first = 0, ...others] = lines.map((line) => line.y);
    expect(others).toEqual([1, 2].map((at) => expect.closeTo(first + at * LINE_MM * POINTS_A_MM, 1)));
  });
});
