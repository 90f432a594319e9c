import { getOrAdd } from '#base/collections';
import type { CaptionFont } from './caption-fonts.ts';
import type { Piece } from './captions.ts';

type Pdf = PDFKit.PDFDocument;

/** Font features that make pdfkit lay out a text as a whole. By default, it misorders Arabic words. */
const AS_ONE: PDFKit.Mixins.OpenTypeFeatures[] = ['kern'];
/** Matches texts without contextual letter forms. pdfkit caches their words, which is ten times as fast. */
const PLAIN = /^[\u0020-\u02ff\u0370-\u052f\u2002-\u200a\u2010-\u2027\u2030-\u205e\u2212]*$/;

function optionsOf(text: string): { features?: PDFKit.Mixins.OpenTypeFeatures[] } {
  return PLAIN.test(text) ? {} : { features: AS_ONE };
}

function selectFont(document: Pdf, { name }: CaptionFont): void {
  document.font(name);
  allowNullAnchors((document as Pdf & { _font: { font: FontWithMarks } })._font.font);
}

export function widthOfPieces(document: Pdf, pieces: readonly Piece[]): number {
  return pieces.reduce((width, piece) => width + widthOfPiece(document, piece), 0);
}

function widthOfPiece(document: Pdf, { font, text }: Piece): number {
  selectFont(document, font);
  return document.widthOfString(text, optionsOf(text));
}

const THICKER = 0.028;

export function drawPieces(
  document: Pdf,
  pieces: readonly Piece[],
  { x, y, size }: { x: number; y: number; size: number },
): void {
  let left = x;
  document.fontSize(size);
  for (const piece of pieces) {
    const { font, text } = piece;
    selectFont(document, font);
    if (SHAPED.test(text)) {
      left += drawShaped(document, text, { x: left, y, size });
      continue;
    }
    const thicker = font.isTooLight && { fill: true, stroke: true };
    if (thicker) document.lineWidth(THICKER * size);
    const options = { lineBreak: false, baseline: 'alphabetic', ...optionsOf(text), ...thicker } as const;
    document.text(text, left, y, options);
    if (pieces.length > 1) left += widthOfPiece(document, piece);
  }
}

interface FontWithMarks {
  _layoutEngine: { engine: { GPOSProcessor: MarkPositioner } };
}

interface MarkPositioner {
  applyAnchor(mark: unknown, base: unknown, index: number): void;
}

const corrected = new WeakSet<FontWithMarks>();

/** Makes fontkit accept marks with a NULL anchor (OpenType GPOS, lookup types 4 to 6), as in Arabic. */
function allowNullAnchors(font: FontWithMarks): void {
  if (corrected.has(font)) return;
  corrected.add(font);
  const positioner = font._layoutEngine.engine.GPOSProcessor;
  const applyAnchor = positioner.applyAnchor.bind(positioner);
  positioner.applyAnchor = (mark, base, index) => {
    if (base) applyAnchor(mark, base, index);
  };
}

const SHAPED = /[\p{Script=Arabic}\p{Script=Devanagari}]/u;

interface Glyph {
  id: number;
  advanceWidth: number;
  /** Letters that the glyph shows; empty if another glyph has them. */
  codePoints: readonly number[];
}

interface Position {
  xAdvance: number;
  xOffset: number;
  yOffset: number;
}

interface EmbeddedFont {
  font: { getGlyph(id: number, codePoints?: readonly number[]): Glyph };
  id: string;
  scale: number;
  subset: { glyphs: number[] };
  widths: number[];
  unicode: (readonly number[])[];
  layout(
    text: string,
    features: readonly string[],
  ): { glyphs: readonly Glyph[]; positions: readonly Position[] };
  ref(): unknown;
}

interface Internals {
  _font: EmbeddedFont;
  page: { fonts: Record<string, unknown> };
  addContent(operators: string): void;
}

const numbers = new WeakMap<EmbeddedFont, Map<string, string>>();

/** Returns the numbers of embedded glyphs. Makes fontkit set a glyph's letters at each use, not once. */
function numbersOf(font: EmbeddedFont): Map<string, string> {
  return getOrAdd(numbers, font, () => {
    const getGlyph = font.font.getGlyph.bind(font.font);
    font.font.getGlyph = (id, codePoints) => {
      const glyph = getGlyph(id, codePoints);
      return codePoints ? Object.create(glyph, { codePoints: { value: codePoints } }) : glyph;
    };
    return new Map();
  });
}

/**
 * Draws a text so that copied and spoken text has the right letters. Returns the width. Embeds a glyph once
 * per letter, because letters may share a glyph. Glyphs without letters are not read aloud (ISO 32000-1,
 * 14.9.4).
 */
function drawShaped(
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
  // Adds the text, but not for right-to-left letters, which PDF readers order by position.
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
    // Defers marks, which precede their letter in right-to-left text and are read with it.
    if (isToTheLeft && codePoints.every((point) => /\p{M}/u.test(String.fromCodePoint(point)))) {
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

function spanOf(text: string): string {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le').swap16();
  return `/Span <</ActualText <${text === '' ? '' : bytes.toString('hex')}>>> BDC`;
}

function numberOf(
  font: EmbeddedFont,
  known: Map<string, string>,
  { id, advanceWidth, codePoints }: Glyph,
): string {
  return getOrAdd(known, `${id} ${codePoints}`, () => {
    const number = font.subset.glyphs.push(id) - 1;
    font.widths[number] = advanceWidth * font.scale;
    font.unicode[number] = codePoints;
    return number.toString(16).padStart(4, '0');
  });
}

export function round(points: number): number {
  return Math.round(points * 100) / 100;
}
