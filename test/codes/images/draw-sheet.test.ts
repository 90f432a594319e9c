import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { BLACK, WHITE } from '#base/color';
import { drawSheet, type Label, type SheetStyle } from '#codes/images/draw-sheet';
import { encodeText } from '#codes/images/encode';
import { findGrid, fitsPage, type LabelGrid, placesOf, SHEET_NUMBERS } from '#codes/images/label-grids';
import { layOutLabel } from '#codes/images/label-sheet';
import { placeFault } from '#codes/images/verify';
import { loadFonts } from '#files/paper/caption-fonts';
import { captionOf, piecesOf } from '#files/paper/captions';
import { readPdf } from '../../support/read-pdf.ts';
import { contentsOf, readDrawnTexts } from '../../support/read-pdf-text.ts';

const grid = (name: string): LabelGrid => findGrid(name) ?? expect.fail(name);

function label(slug: string, caption = slug): Label {
  const text = `https://qr.example/${slug}`;
  return { text, modules: encodeText(text, 'M') ?? expect.fail(), caption, plain: slug };
}

function style(name: string, more: Partial<SheetStyle> = {}): SheetStyle {
  const layout = layOutLabel(grid(name).label, { caption: true, sizeMm: undefined }) ?? expect.fail();
  const image = { dpi: 300, quietZone: 4, level: 'M', color: BLACK, background: WHITE } as const;
  const sizeMm = layout.code.sizeMm;
  return {
    grid: grid(name),
    layout,
    image: { ...image, sizeMm },
    skipped: 0,
    outline: false,
    title: 'labels',
    ...more,
  };
}

describe('the label sheet', () => {
  /**
   * Columns, rows, then in hundredths of a millimeter pitch across and down, width and height of a label, left and top of the first: as
   * LibreOffice 7.4 has them (labels.xml), L7169 turned upright.
   */
  it.each([
    ['L7159', 3, 8, [6654, 3386, 6400, 3386, 646, 1306]],
    ['L7160', 3, 7, [6604, 3810, 6350, 3810, 720, 1515]],
    ['L7161', 3, 6, [6604, 4656, 6350, 4656, 721, 882]],
    ['L7162', 2, 8, [10160, 3387, 9906, 3387, 467, 1302]],
    ['L7163', 2, 7, [10160, 3810, 9906, 3810, 467, 1515]],
    ['L7164', 3, 4, [6604, 7197, 6350, 7197, 721, 457]],
    ['L7165', 2, 4, [10160, 6773, 9906, 6773, 467, 1304]],
    ['L7169', 2, 2, [10164, 13900, 9910, 13900, 463, 950]],
    ['L7173', 2, 5, [10160, 5700, 9906, 5700, 467, 600]],
    ['L7651', 5, 13, [4064, 2117, 3810, 2117, 467, 1090]],
    ['L7654', 4, 10, [4826, 2540, 4572, 2540, 975, 2143]],
    ['3425', 2, 5, [10500, 5700, 10500, 5700, 0, 593]],
    ['3474', 3, 8, [7000, 3710, 7000, 3710, 0, 0]],
    ['3475', 3, 8, [7000, 3600, 7000, 3600, 0, 443]],
    ['5160', 3, 10, [6985, 2540, 6668, 2540, 478, 1270]],
    ['5161', 2, 10, [10636, 2540, 10160, 2540, 396, 1270]],
    ['5162', 2, 7, [10636, 3387, 10160, 3387, 396, 2117]],
    ['5163', 2, 5, [10636, 5080, 10160, 5080, 396, 1270]],
    ['5164', 2, 3, [10636, 8467, 10160, 8467, 396, 1270]],
    ['5167', 4, 20, [5240, 1270, 4445, 1270, 714, 1270]],
    ['5371', 2, 5, [8890, 5080, 8890, 5080, 1905, 1270]],
  ])(
    '%s has each label within half a millimeter of its position in LibreOffice',
    (name, columns, rows, hundredths) => {
      const [across = 0, down = 0, width = 0, height = 0, left = 0, top = 0] = hundredths.map(
        (value) => value / 100,
      );
      const { label } = grid(name);
      const places = [...placesOf(grid(name))];
      expect(places).toHaveLength(columns * rows);
      const worst = places.map(({ xMm, yMm }, at) => {
        const [x, y] = [left + (at % columns) * across, top + Math.floor(at / columns) * down];
        const ends = [xMm + label.widthMm - x - width, yMm + label.heightMm - y - height];
        return Math.max(...[xMm - x, yMm - y, ...ends].map(Math.abs));
      });
      expect(Math.max(...worst)).toBeLessThan(0.5);
    },
  );

  it('fits its page for each product number, and is not found by an unknown name', () => {
    for (const number of SHEET_NUMBERS) expect(fitsPage(grid(number))).toBe(true);
    for (const name of ['', 'L9999', 'constructor', '__proto__']) expect(findGrid(name)).toBeUndefined();
  });
});

describe('the product numbers', () => {
  it('are each listed only once', () => {
    expect(SHEET_NUMBERS.filter((number, at) => SHEET_NUMBERS.indexOf(number) !== at)).toEqual([]);
  });

  /** As in labels.xml of LibreOffice 7.4 and avery-us-templates.xml of gLabels. */
  it.each([
    ['5160', ['5260', '5960', '8160']],
    ['5161', ['5261', '5961', '8161']],
    ['5162', ['5262', '5962', '8162']],
    ['5163', ['5263', '5963', '8163']],
    ['5164', ['5264', '8164']],
    ['5167', ['5267', '8167']],
    ['5371', ['8371']],
  ])('with the same grid as %s include %j', (number, others) => {
    for (const other of others) expect(grid(other)).toEqual(grid(number));
  });
});

describe('a sheet', () => {
  it('has its first code in the first free cell, fills further pages, and prints unscaled', async () => {
    const labels = Array.from({ length: 25 }, (_, at) => label(`s${at}`));
    const wanted = style('L7160', { skipped: 20, outline: true });
    const sheet = await drawSheet(labels, wanted);
    if ('fault' in sheet) return expect.fail(sheet.fault);
    expect([sheet.pages, sheet.lost.size]).toEqual([3, 0]);
    const text = sheet.bytes.toString('latin1');
    expect(text).toContain('/PrintScaling /None');
    expect(text).not.toMatch(/CreationDate|D:\d{4}/);
    const pages = readPdf(sheet.bytes);
    expect(pages.map(({ areas }) => areas.length)).toEqual([2, 42, 6]);
    const places = [...placesOf(wanted.grid)];
    const { xMm = 0, yMm = 0 } = places[20] ?? {};
    const place = { xMm: xMm + wanted.layout.code.xMm, yMm: yMm + wanted.layout.code.yMm };
    const expected = {
      text: 'https://qr.example/s0',
      sizeMm: wanted.layout.code.sizeMm,
      quietZone: 4,
      across: 33,
    };
    const [page = expect.fail()] = pages;
    expect(placeFault(page, place, expected)).toBeUndefined();
    expect(placeFault(page, { ...place, xMm: place.xMm - 5 }, expected)).toBeDefined();
    expect(placeFault(page, place, { ...expected, text: 'https://qr.example/s1' })).toBe(
      'the code decodes to a different text',
    );
  });

  it('is refused if a code decodes to a different text (I1)', async () => {
    const one = label('one');
    const broken = { ...one, text: 'https://qr.example/two' };
    expect(await drawSheet([one, broken], style('L7160'))).toEqual({
      fault: 'https://qr.example/two: the code decodes to a different text',
    });
  });

  it('has captions with at most as many lines as fit on the label, and at least one line of each text', async () => {
    const sizes = ['menu '.repeat(100), 'x'].flatMap((first) =>
      ['slug '.repeat(100), 'y'].map((second) => [first, second]),
    );
    const counts: number[] = [];
    for (const texts of sizes) {
      const sheet = await drawSheet(
        [label('menu', texts.map((text) => text.trim()).join('\n'))],
        style('L7160'),
      );
      if ('fault' in sheet) return expect.fail(sheet.fault);
      const drawn = readDrawnTexts(sheet.bytes.toString('latin1'));
      counts.push(new Set(drawn.map(({ y }) => y)).size);
    }
    expect(counts).toEqual([10, 10, 10, 2]);
  });

  it('has captions in the middle of their boxes below the codes, or at the left of their boxes beside the codes', async () => {
    const placesOn = async (name: string) => {
      const sheet = await drawSheet([label('menu')], style(name));
      if ('fault' in sheet) return expect.fail(sheet.fault);
      return readDrawnTexts(sheet.bytes.toString('latin1')).map(({ letters, x, y }) => [letters, x, y]);
    };
    expect(await placesOn('L7169')).toEqual([['menu', 142.783937, 362.551181]]);
    expect(await placesOn('L7160')).toEqual([['menu', 124.185827, 99.354331]]);
  });

  it('has a gray line of 0.1 mm around each label if outlines are requested', async () => {
    const linesOf = async (outline: boolean) => {
      const sheet = await drawSheet([label('menu')], style('L7169', { outline }));
      if ('fault' in sheet) return expect.fail(sheet.fault);
      return contentsOf(sheet.bytes.toString('latin1'))
        .join('')
        .match(/^.* (?:re|w|SCN)$|^S$/gm);
    };
    const code = '0 0 33 33 re';
    expect(await linesOf(false)).toEqual([code]);
    expect(await linesOf(true)).toEqual([
      '0.283465 w',
      '13.181102 26.929134 280.913386 394.015748 re',
      '301.181102 26.929134 280.913386 394.015748 re',
      '13.181102 420.944882 280.913386 394.015748 re',
      '301.181102 420.944882 280.913386 394.015748 re',
      '0 0 0 0.4117647058823529 SCN',
      'S',
      code,
    ]);
  });

  it('is returned with the names whose characters no font has, and has the same bytes as in earlier versions (I4)', async () => {
    const labels = [
      label('tokyo', '東京'),
      label('party', '🎉'),
      label('lodz', 'Łódź'),
      label('arabic', 'عربى'),
    ];
    const sheet = await drawSheet(labels, style('L7160'));
    if ('fault' in sheet) return expect.fail(sheet.fault);
    expect([...sheet.lost]).toEqual([['🎉', 'words']]);
    expect(createHash('sha256').update(sheet.bytes).digest('hex').slice(0, 16)).toBe('73c93659132f549e');
  });
});

describe('captions', () => {
  it('are one line, without invisible characters', () => {
    expect(captionOf('a\r\n\tb\u202e\u200bc\u0000 \ud800')).toBe('a bc');
  });

  it('are truncated after 1000 characters, however long the name is (I8)', () => {
    const cut = `${'x'.repeat(1000)}…`;
    expect(captionOf('x'.repeat(1000))).toBe('x'.repeat(1000));
    for (const length of [1001, 10_000_000]) expect(captionOf('x'.repeat(length))).toBe(cut);
    expect([...captionOf('𝒳'.repeat(5000))]).toHaveLength(1001);
    expect(captionOf(`Menu${'\u200b'.repeat(4000)}x`)).toBe('Menu…');
    expect(captionOf('\u200b'.repeat(5000))).toBe('');
  });

  it('have at most four combining marks per letter (I8)', () => {
    expect(captionOf(`x${'\u0323\u0301'.repeat(1000)}y`)).toBe('x\u0323\u0323\u0323\u0323y');
    expect(captionOf('Ṩ̌ किर्त्ति שָּׁ')).toBe('Ṩ̌ किर्त्ति שָּׁ'.normalize('NFC'));
  });

  it('are drawn in pieces that each have one font and direction, ordered from left to right', async () => {
    const fonts = await loadFonts(['menu قائمة 12 ۲۴ 東京 Łódź']);
    const texts = (text: string) => piecesOf(text, fonts).map((piece) => piece.text);
    expect(texts('menu قائمة 12')).toEqual(['menu ', '12', 'قائمة ']);
    expect(texts('قائمة menu')).toEqual(['menu', 'قائمة ']);
    // Brackets are turned, and what stands between words has its space on the other side; Persian digits are turned around once more.
    expect(texts('قائمة (ائم) 12')).toEqual(['12', ' (', 'ائم', ')', 'قائمة ']);
    expect(texts('قائمة - ائم')).toEqual(['ائم', ' -', 'قائمة ']);
    expect(texts('قائمة ۲۴')).toEqual(['۴۲', 'قائمة ']);
    expect(texts('Łódź').join('')).toBe('Łódź');
    expect(() => piecesOf('🎉', fonts)).toThrow('no font');
  });
});
