/** Fonts of PDFs, and the text that a reader gets from their glyphs. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { breakLines } from '#files/paper/break-lines';
import { loadFonts, readWoff } from '#files/paper/caption-fonts';
import { piecesOf } from '#files/paper/captions';
import { drawPieces } from '#files/paper/pdf-text';
import { closePdf, fontkit, openPdf } from '#files/paper/pdfkit';

const WOFF = 'node_modules/@fontsource/noto-sans-arabic/files/noto-sans-arabic-arabic-400-normal.woff';

describe('a font', () => {
  it('has the same glyphs after unpacking as in the WOFF file', () => {
    const woff = readFileSync(WOFF);
    const [packed, unpacked] = [fontkit.create(woff), fontkit.create(readWoff(woff))];
    if (!('layout' in packed) || !('layout' in unpacked)) return expect.fail();
    expect(unpacked.numGlyphs).toBe(packed.numGlyphs);
    const glyphs = (font: typeof packed) =>
      font.layout('تقرير').glyphs.map(({ id, path }) => [id, path.toSVG()]);
    expect(glyphs(unpacked)).toEqual(glyphs(packed));
  });

  it('is refused if it is not WOFF', () => {
    expect(() => readWoff(Buffer.from('OTTO and more'))).toThrow('not WOFF');
  });

  it('is marked as too light if semibold is requested and no semibold file exists', async () => {
    const fonts = await loadFonts(['a', '東'], 600);
    expect(fonts.map(({ name, isTooLight }) => [name, isTooLight])).toEqual([
      ['noto-sans-latin-600', false],
      ['m-plus-1p-japanese-600', true],
    ]);
  });
});

describe('Arabic text', () => {
  it('has each letter in visual order, with its dots and vowels', async () => {
    const text = 'تقرير نبيّ';
    const fonts = await loadFonts([text]);
    const document = openPdf('Arabic', { size: [283, 142] });
    for (const { name, bytes } of fonts) document.registerFont(name, bytes);
    document.addPage();
    drawPieces(document, piecesOf(text, fonts), { x: 10, y: 50, size: 20 });
    expect(readText((await closePdf(document)).toString('latin1'))).toBe(
      ['يّ', 'ب', 'ن', ' ', 'ر', 'ي', 'ر', 'ق', 'ت'].join(''),
    );
  });
});

describe('a line of Japanese', () => {
  const broken = (text: string, room: number) => breakLines(text, 9, (part) => [...part].length, room);

  it('breaks between characters, but not before a full stop or closing bracket, or after an opening bracket', () => {
    expect(broken('今日は晴れです。明日は雨', 7)).toEqual(['今日は晴れで', 'す。明日は雨']);
    expect(broken('東京都（渋谷区）', 4)).toEqual(['東京都', '（渋谷', '区）']);
  });

  it('breaks words in other scripts only at spaces', () => {
    expect(broken('Tokyo Tower 東京', 7)).toEqual(['Tokyo', 'Tower 東', '京']);
  });
});

describe('a text that is broken into lines', () => {
  const x = (count: number) => 'x'.repeat(count);

  it.each([
    ['', 9, 5, []],
    ['one', 0, 5, []],
    ['one two', 9, 7, ['one two']],
    ['one two three', 9, 7, ['one two', 'three']],
    ['ab  cd', 9, 3, ['ab', 'cd']],
    ['ab    ', 9, 3, ['ab']],
    ['ab東cdefgh', 9, 7, ['ab東', 'cdefgh']],
    ['（（（（', 9, 2, ['（（', '（（']],
    ['one two three', 1, 7, ['one tw…']],
    ['one two three', 1, 5, ['one…']],
    ['one two three', 2, 7, ['one two', 'three']],
    ['one two three four', 2, 7, ['one two', 'three…']],
    [x(100), 9, 100, [x(100)]],
    [x(100), 9, 70, [x(70), x(30)]],
    ['ab', 9, 0, ['a', 'b']],
  ])('like %j, with at most %d lines of %d characters, has the lines %j', (text, most, room, lines) => {
    expect(breakLines(text, most, (part) => [...part].length, room)).toEqual(lines);
  });
});

/** Reads the text of a page from its operators and the map of its only font that has one, as a simple reader does. */
function readText(pdf: string): string {
  const map = /beginbfrange\n<0000> <[0-9a-f]{4}> \[(.*)\]/.exec(pdf)?.[1] ?? '';
  const letters = [...map.matchAll(/<([0-9a-f ]*)>/g)].map(([, units = '']) => {
    return String.fromCharCode(
      ...units.split(' ').flatMap((unit) => (unit === '' ? [] : [Number.parseInt(unit, 16)])),
    );
  });
  const content = pdf.replaceAll(/\/Span <<\/ActualText <>>> BDC.*?EMC/g, '');
  return [...content.matchAll(/<([0-9a-f]{4})> Tj/g)]
    .map(([, number = '']) => letters[Number.parseInt(number, 16)])
    .join('');
}
