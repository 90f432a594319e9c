/**
 * Draws text of scripts whose glyphs are not letters: a letter may be several glyphs (a stem and its dots), and a glyph may be part of
 * several letters. Each is embedded once per letter, and glyphs without a letter of their own are read as nothing (ISO 32000-1, 14.9.4).
 */

type Pdf = PDFKit.PDFDocument;

/** Texts that are drawn this way. */
export const SHAPED = /[\p{Script=Arabic}\p{Script=Devanagari}]/u;

interface Glyph {
  readonly id: number;
  readonly advanceWidth: number;
  /** None if the glyph belongs to the letter of another one. */
  readonly codePoints: readonly number[];
}

/** Of a glyph, in thousandths of the size. */
interface Position {
  readonly xAdvance: number;
  readonly xOffset: number;
  readonly yOffset: number;
}

/** Parts of pdfkit that its types lack. */
interface EmbeddedFont {
  readonly font: { getGlyph(id: number, codePoints?: readonly number[]): Glyph };
  readonly id: string;
  readonly scale: number;
  readonly subset: { readonly glyphs: number[] };
  /** By the number of the glyph in the subset. */
  readonly widths: number[];
  readonly unicode: (readonly number[])[];
  layout(
    text: string,
    features: readonly string[],
  ): { glyphs: readonly Glyph[]; positions: readonly Position[] };
  ref(): unknown;
}

interface Internals {
  readonly _font: EmbeddedFont;
  readonly page: { readonly fonts: Record<string, unknown> };
  addContent(operators: string): void;
}

/** Numbers in the subset, by glyph and letters: a glyph that is part of two letters is embedded twice. */
const numbers = new WeakMap<EmbeddedFont, Map<string, string>>();

/** Returns the numbers of a font. From then on, a glyph has the letters of its place: fontkit gives it those of its first one. */
function numbersOf(font: EmbeddedFont): Map<string, string> {
  const known = numbers.get(font);
  if (known) return known;
  const created = new Map<string, string>();
  numbers.set(font, created);
  const getGlyph = font.font.getGlyph.bind(font.font);
  font.font.getGlyph = (id, codePoints) => {
    const glyph = getGlyph(id, codePoints);
    return codePoints ? Object.create(glyph, { codePoints: { value: codePoints } }) : glyph;
  };
  return created;
}

/** Draws a text in the font of the document, and returns its width. Sizes and positions are in points; `y`: of the baseline, from the top. */
export function drawShaped(
  document: Pdf,
  text: string,
  { x, y, size }: { x: number; y: number; size: number },
): number {
  const { _font: font, page } = document as Pdf & Internals;
  const add = (operators: string) => (document as Pdf & Internals).addContent(operators);
  const known = numbersOf(font);
  const { glyphs, positions } = font.layout(text, ['kern']);
  page.fonts[font.id] ??= font.ref();
  add(`BT /${font.id} ${size} Tf`);
  // Readers put letters from right to left in order by their positions, others by the text of the whole.
  const isToTheLeft = /\p{Script=Arabic}/u.test(text);
  if (!isToTheLeft) add(spanOf(text));
  let left = x;
  const marks: { operators: string; codePoints: readonly number[] }[] = [];
  for (const [at, { id, advanceWidth, codePoints }] of glyphs.entries()) {
    const { xAdvance = 0, xOffset = 0, yOffset = 0 } = positions[at] ?? {};
    const place = `${round(left + (xOffset * size) / 1000)} ${round(y - (yOffset * size) / 1000)}`;
    const draw = (letters: readonly number[]) =>
      `1 0 0 -1 ${place} Tm <${numberOf(font, known, { id, advanceWidth, codePoints: letters })}> Tj`;
    left += (xAdvance * size) / 1000;
    // From right to left, the marks of a letter come before it, and are read with it.
    if (isToTheLeft && codePoints.every(isMark)) {
      marks.unshift({ operators: `${spanOf('')} ${draw([])} EMC`, codePoints });
      continue;
    }
    const own = marks.splice(0);
    add(draw([...codePoints, ...own.flatMap((mark) => mark.codePoints)]));
    for (const { operators } of own) add(operators);
  }
  for (const { operators } of marks) add(operators);
  add(isToTheLeft ? 'ET' : 'EMC ET');
  return left - x;
}

function isMark(point: number): boolean {
  return /\p{M}/u.test(String.fromCodePoint(point));
}

/** Begins content that is read as a text. */
function spanOf(text: string): string {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le').swap16();
  return `/Span <</ActualText <${text === '' ? '' : bytes.toString('hex')}>>> BDC`;
}

/** Returns the four digits of a glyph in the subset. */
function numberOf(
  font: EmbeddedFont,
  known: Map<string, string>,
  { id, advanceWidth, codePoints }: Glyph,
): string {
  const key = `${id} ${codePoints.join(' ')}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const number = font.subset.glyphs.push(id) - 1;
  font.widths[number] = advanceWidth * font.scale;
  font.unicode[number] = codePoints;
  const digits = number.toString(16).padStart(4, '0');
  known.set(key, digits);
  return digits;
}

function round(points: number): number {
  return Math.round(points * 100) / 100;
}
