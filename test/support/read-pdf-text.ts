/** Reads the text of a PDF that pdfkit wrote without compression: the letters of each text by the maps of its fonts (ISO 32000-1, 9.10.3). */

/** Text that is drawn at one position: a piece, or one glyph of a script that is shaped. */
export interface DrawnText {
  readonly letters: string;
  /** Numbers of its glyphs in the file. */
  readonly glyphs: readonly number[];
  /** In points: of its left end, and of its baseline from the top. */
  readonly x: number;
  readonly y: number;
  readonly size: number;
}

/** Returns the texts of all pages in the order in which they are drawn. `pdf` is Latin-1. */
export function readDrawnTexts(pdf: string): DrawnText[] {
  const fonts = new Map(
    [...pdf.matchAll(/\/(F\d+) (\d+) 0 R/g)].map(([, name, object]) => [
      name,
      readLetters(pdf, object ?? ''),
    ]),
  );
  const height = Number(/\/MediaBox \[0 0 [\d.]+ ([\d.]+)\]/.exec(pdf)?.[1]);
  const texts: DrawnText[] = [];
  let place = { x: 0, y: 0 };
  let font = { letters: [] as readonly string[], size: 0 };
  for (const [line] of contentsOf(pdf).join('').matchAll(/.+/g)) {
    const moved = /1 0 0 (-?1) ([\d.]+) ([\d.]+) Tm/.exec(line);
    if (moved)
      place = { x: Number(moved[2]), y: moved[1] === '1' ? height - Number(moved[3]) : Number(moved[3]) };
    const [, name, size] = /\/(F\d+) ([\d.]+) Tf/.exec(line) ?? [];
    if (name) font = { letters: fonts.get(name) ?? [], size: Number(size) };
    if (!/T[jJ]/.test(line)) continue;
    const shown = line.replace(/^.*BDC/, '');
    const glyphs = [...shown.matchAll(/<([0-9a-f]+)>/g)].flatMap(([, digits = '']) => numbersIn(digits));
    texts.push({
      ...place,
      size: font.size,
      glyphs,
      letters: glyphs.map((glyph) => font.letters[glyph] ?? '').join(''),
    });
  }
  return texts;
}

/** Returns the operators of each page. */
export function contentsOf(pdf: string): string[] {
  const streams = [...pdf.matchAll(/stream\n([\s\S]*?)endstream/g)].map(([, stream = '']) => stream);
  return streams.filter((stream) => /^1 0 0 -1 0 [\d.]+ cm\n/.test(stream));
}

/** The letters of a font by its glyphs. */
function readLetters(pdf: string, object: string): string[] {
  const map = new RegExp(`^${object} 0 obj[^]*?/ToUnicode (\\d+) 0 R`, 'm').exec(pdf)?.[1];
  const ranges = new RegExp(`^${map} 0 obj[^]*?endbfrange`, 'm').exec(pdf)?.[0] ?? '';
  const lists = [...ranges.matchAll(/> \[(.*)\]/g)].flatMap(([, list = '']) => [
    ...list.matchAll(/<([0-9a-f ]*)>/g),
  ]);
  return lists.map(([, units = '']) => String.fromCharCode(...numbersIn(units.replaceAll(' ', ''))));
}

function numbersIn(digits: string): number[] {
  return (digits.match(/.{4}/g) ?? []).map((number) => Number.parseInt(number, 16));
}
