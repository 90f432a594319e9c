import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { loadFonts } from '../../src/image/caption-fonts.ts';
import { breakLines, canWrite, captionOf, piecesOf } from '../../src/image/captions.ts';
import { BLACK, WHITE } from '../../src/image/colour.ts';
import { drawSheet, type Label, type SheetStyle } from '../../src/image/draw-sheet.ts';
import { encodeText } from '../../src/image/encode.ts';
import { findGrid, fitsPage, type LabelGrid, placesOf, SHEET_NUMBERS } from '../../src/image/label-grids.ts';
import { layOutLabel } from '../../src/image/label-layout.ts';
import { readPdf } from '../../src/image/read-pdf.ts';
import { placeFault } from '../../src/image/verify.ts';

const grid = (name: string): LabelGrid => findGrid(name) ?? expect.fail(name);

function label(slug: string, caption = slug): Label {
  const text = `https://qr.example/${slug}`;
  return { text, modules: encodeText(text, 'M') ?? expect.fail(), caption, plain: slug };
}

function style(name: string, more: Partial<SheetStyle> = {}): SheetStyle {
  const layout = layOutLabel(grid(name).label, { caption: true, sizeMm: undefined }) ?? expect.fail();
  const picture = { dpi: 300, quietZone: 4, level: 'M', color: BLACK, background: WHITE } as const;
  const sizeMm = layout.code.sizeMm;
  return { grid: grid(name), layout, picture: { ...picture, sizeMm }, skipped: 0, outline: false, title: 'labels', ...more };
}

describe('sheets by their trade numbers', () => {
  /** Left and top of the first label and of the last, in mm, as their makers' templates have them. */
  it.each([
    ['L7160', 21, [7.2, 15.1], [139.3, 243.7]],
    ['L7163', 14, [4.65, 15.1], [106.25, 243.7]],
    ['L7651', 65, [4.7, 10.7], [167.1, 265.1]],
    ['5160', 30, [4.8, 12.7], [144.5, 241.3]],
    ['5163', 10, [4.0, 12.7], [110.3, 215.9]],
    ['5167', 80, [7.1, 12.7], [164.3, 254]],
  ])('%s has its %d labels within half a millimetre of their places', (name, count, first, last) => {
    const places = [...placesOf(grid(name))];
    expect(places).toHaveLength(count);
    for (const [place, wanted] of [
      [places[0], first],
      [places.at(-1), last],
    ] as const) {
      expect(Math.abs((place?.xMm ?? 0) - (wanted[0] ?? 0))).toBeLessThan(0.5);
      expect(Math.abs((place?.yMm ?? 0) - (wanted[1] ?? 0))).toBeLessThan(0.5);
    }
  });

  it('all fit their page, and are found with their maker and in any case', () => {
    for (const number of SHEET_NUMBERS) expect(fitsPage(grid(number))).toBe(true);
    expect(findGrid('avery l7160')).toEqual(grid('L7160'));
    expect(findGrid('J8160')).toEqual(grid('L7160'));
    for (const name of ['', 'L9999', 'constructor', '__proto__']) expect(findGrid(name)).toBeUndefined();
  });
});

describe('a label', () => {
  it('has its caption beside the code where it is wide, else below, or none', () => {
    expect(layOutLabel({ widthMm: 63.5, heightMm: 38.1 }, { caption: true, sizeMm: undefined })).toMatchObject({
      code: { xMm: 1.5, sizeMm: 35.1 },
      caption: { xMm: 36.6, align: 'left', lines: 10 },
    });
    expect(layOutLabel({ widthMm: 40, heightMm: 40 }, { caption: true, sizeMm: undefined })).toMatchObject({
      code: { sizeMm: 33.6 },
      caption: { align: 'center', lines: 1 },
    });
    expect(layOutLabel({ widthMm: 40, heightMm: 40 }, { caption: false, sizeMm: 30 })?.code).toEqual({
      xMm: 5,
      yMm: 5,
      sizeMm: 30,
    });
    expect(layOutLabel({ widthMm: 40, heightMm: 40 }, { caption: false, sizeMm: 37.1 })).toBeUndefined();
  });
});

describe('a sheet', () => {
  it('has each code in its cell, from the first free one on, and prints unscaled', async () => {
    const labels = Array.from({ length: 25 }, (_, at) => label(`s${at}`));
    const wanted = style('L7160', { skipped: 20, outline: true });
    const sheet = await drawSheet(labels, wanted);
    if ('fault' in sheet) return expect.fail(sheet.fault);
    expect(sheet).toMatchObject({ pages: 3, replaced: 0 });
    const text = sheet.bytes.toString('latin1');
    expect(text).toContain('/PrintScaling /None');
    expect(text).not.toMatch(/CreationDate|D:\d{4}/);
    const pages = readPdf(sheet.bytes);
    expect(pages.map(({ areas }) => areas.length)).toEqual([2, 42, 6]);
    const places = [...placesOf(wanted.grid)];
    const { xMm = 0, yMm = 0 } = places[20] ?? {};
    const place = { xMm: xMm + wanted.layout.code.xMm, yMm: yMm + wanted.layout.code.yMm };
    const expected = { text: 'https://qr.example/s0', sizeMm: wanted.layout.code.sizeMm, quietZone: 4, across: 33 };
    const [page = expect.fail()] = pages;
    expect(placeFault(page, place, expected)).toBeUndefined();
    expect(placeFault(page, { ...place, xMm: place.xMm - 5 }, expected)).toBeDefined();
    expect(placeFault(page, place, { ...expected, text: 'https://qr.example/s1' })).toBe('a decoder reads another text');
  });

  it('is not given away with a code that does not read (I1)', async () => {
    const one = label('one');
    const broken = { ...one, text: 'https://qr.example/two' };
    expect(await drawSheet([one, broken], style('L7160'))).toEqual({
      fault: 'https://qr.example/two: a decoder reads another text',
    });
  });

  it('has the slug where a name has a character that no font has, and the same bytes each time (I4)', async () => {
    const labels = [label('tokyo', '東京'), label('party', '🎉'), label('lodz', 'Łódź'), label('arabic', 'عربى')];
    const sheet = await drawSheet(labels, style('L7160'));
    if ('fault' in sheet) return expect.fail(sheet.fault);
    expect(sheet.replaced).toBe(1);
    expect(createHash('sha256').update(sheet.bytes).digest('hex').slice(0, 16)).toBe('a56ecc86b18297e1');
  });
});

describe('captions', () => {
  it('are one line, without what is not seen', () => {
    expect(captionOf('a\r\n\tb\u202e\u200bc\u0000 \ud800')).toBe('a bc');
  });

  it('stand in pieces of one font and direction, from left to right', async () => {
    const fonts = await loadFonts(['menu قائمة 12 東京 Łódź']);
    const texts = (text: string) => piecesOf(text, fonts).map((piece) => piece.text);
    expect(texts('menu قائمة 12')).toEqual(['menu ', '12', 'قائمة ']);
    expect(texts('قائمة menu')).toEqual(['menu', 'قائمة ']);
    expect(texts('Łódź').join('')).toBe('Łódź');
    expect(canWrite('東京 Łódź', fonts)).toBe(true);
    expect(canWrite('🎉', fonts)).toBe(false);
    expect(() => piecesOf('🎉', fonts)).toThrow('no font');
  });

  it.each([
    ['one two three', 2, ['one two', 'three']],
    ['one two three four five', 2, ['one two', 'three f…']],
    ['abcdefghijkl', 3, ['abcdefgh', 'ijkl']],
    ['abcdefgh', 1, ['abcdefgh']],
    ['abcdefghi', 1, ['abcdefg…']],
    ['', 2, []],
  ])('%j breaks into lines of eight, at most %d', (text, most, lines) => {
    expect(breakLines(text, most, (part) => [...part].length, 8)).toEqual(lines);
  });
});
