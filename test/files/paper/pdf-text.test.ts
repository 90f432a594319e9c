/** Text in a PDF: the positions of its pieces, and the glyphs of scripts whose glyphs are not letters. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { loadFonts, type Weight } from '#files/paper/caption-fonts';
import { captionOf, piecesOf } from '#files/paper/captions';
import { drawPieces, widthOfPieces } from '#files/paper/pdf-text';
import { closePdf, openPdf } from '#files/paper/pdfkit';
import { contentsOf, readDrawnTexts } from '../../support/read-pdf-text.ts';

const PLACE = { x: 10, y: 50, size: 20 };

/** Draws a text as often as stated, and returns the PDF and the ends of its pieces by their widths. */
async function draw(text: string, { weight = 400, times = 1 }: { weight?: Weight; times?: number } = {}) {
  const fonts = await loadFonts([text], weight);
  const document = openPdf(text, { size: [283, 142] });
  for (const { name, bytes } of fonts) document.registerFont(name, bytes);
  document.addPage();
  const pieces = piecesOf(text, fonts);
  for (let time = 0; time < times; time++) drawPieces(document, pieces, PLACE);
  const starts = pieces.map((_, at) => PLACE.x + widthOfPieces(document, pieces.slice(0, at)));
  const width = widthOfPieces(document, pieces);
  return { pdf: (await closePdf(document)).toString('latin1'), starts, width };
}

describe('pieces of text', () => {
  it('are drawn on one baseline, each at the end of the previous piece', async () => {
    const { pdf, starts, width } = await draw('menu قائمة 東京 मेनू Łódź');
    const texts = readDrawnTexts(pdf);
    const isAt = (start: number) => texts.some(({ x }) => Math.abs(x - start) < 0.1);
    expect(starts.length).toBeGreaterThan(5);
    expect(starts.filter((start) => !isAt(start))).toEqual([]);
    expect(texts.filter(({ letters, y }) => letters !== '' && Math.abs(y - PLACE.y) > 0.1)).toEqual([]);
    expect(width).toBeGreaterThan(Math.max(...starts) - PLACE.x);
  });

  it('are not wrapped, even if they are longer than the page is wide', async () => {
    const texts = readDrawnTexts((await draw('menu '.repeat(100).trim())).pdf);
    expect(texts.map(({ letters }) => letters.length)).toEqual([499]);
  });

  it('in Japanese are thickened if they should be semibold, because the font is not', async () => {
    const strokes = async (text: string, weight: Weight) =>
      contentsOf((await draw(text, { weight })).pdf)
        .join('')
        .match(/[\d.]+ (w|Tr)$/gm);
    expect(await strokes('東京', 600)).toEqual(['0.56 w', '2 Tr']);
    expect(await strokes('東京', 400)).toBeNull();
    expect(await strokes('menu', 600)).toBeNull();
  });

  it('have the same glyph for a digit in every word of a Japanese line', async () => {
    const [{ letters, glyphs } = expect.fail()] = readDrawnTexts((await draw('東京1 A1')).pdf);
    expect(letters).toBe('東京1 A1');
    expect(glyphs[2]).toBe(glyphs[5]);
  });
});

test('a new PDF begins without a page, and has its title and the name of the program, but no date', async () => {
  const pdf = (await closePdf(openPdf('Menu', { size: [283, 142] }).addPage())).toString('latin1');
  const keys = pdf.match(/\/(?:Count \d|Title|Producer|Creator|CreationDate)/g);
  expect(keys).toEqual(['/Producer', '/Creator', '/Title', '/Count 1']);
  expect(pdf.match(/^\(.*\)$/gm)).toEqual(['(qrctl)', '(qrctl)', '(Menu)']);
});

describe('text in a script whose letters change their shape', () => {
  it('adds no glyph to the file if it is drawn again', async () => {
    const glyphsOf = async (times: number) => {
      const texts = readDrawnTexts((await draw('قائمة मेनू', { times })).pdf);
      expect(texts.length % times).toBe(0);
      return new Set(texts.flatMap(({ glyphs }) => glyphs));
    };
    expect(await glyphsOf(3)).toEqual(await glyphsOf(1));
  });

  it('has its letters as ActualText if it runs from left to right', async () => {
    const { pdf } = await draw('किर्ति');
    expect(contentsOf(pdf).join('')).toContain(
      `/ActualText <feff${Buffer.from('किर्ति', 'utf16le').swap16().toString('hex')}>`,
    );
  });

  it('is drawn with each combining mark in the same text run as its letter', async () => {
    const { pdf } = await draw('كَيفِ');
    expect(readDrawnTexts(pdf).map(({ letters }) => letters)).toEqual(expect.arrayContaining(['فِ', 'كَ']));
  });

  it('has each mark at its place above or below the letter, and no ActualText from right to left', async () => {
    const { pdf } = await draw('كَيفِ');
    expect(readDrawnTexts(pdf).map(({ letters, x, y }) => [letters, x, y])).toEqual([
      ['فِ', 10, 50],
      ['', 25.48, 50.96],
      ['', 16.36, 50.5],
      ['ي', 31.96, 50],
      ['', 32.74, 50.1],
      ['كَ', 39.42, 50],
      ['', 40.22, 46.84],
    ]);
    expect(
      new Set(
        contentsOf(pdf)
          .join('')
          .match(/ActualText <.*?>/g),
      ),
    ).toEqual(new Set(['ActualText <>']));
  });

  it('can be drawn with random combinations of Arabic letters and marks', async () => {
    const letters = fc.string({
      unit: fc.constantFrom(
        ...'ابتجدرسعفقكلمنهوىءؤئ ',
        ...'\u064b\u064c\u064d\u064e\u064f\u0650\u0651\u0652',
      ),
      maxLength: 8,
    });
    const texts = fc.sample(letters, { numRuns: 300, seed: 5 }).map(captionOf);
    await expect(draw(texts.join(' '))).resolves.toMatchObject({ width: expect.any(Number) });
  });
});
