/** Draws and measures text in a PDF, piece by piece (captions.ts). */
import { allowNullAnchors, type FontWithMarks } from './allow-null-anchors.ts';
import type { CaptionFont } from './caption-fonts.ts';
import type { Piece } from './captions.ts';
import { drawShaped, SHAPED } from './shaped-text.ts';

type Pdf = PDFKit.PDFDocument;

/** If any of them is set, pdfkit lays out a text as one piece; word by word, Arabic would be in the wrong order. */
const AS_ONE: PDFKit.Mixins.OpenTypeFeatures[] = ['kern'];
/** Letters that have the same form in any context. pdfkit keeps the layout of their words, which is ten times as fast. */
const PLAIN = /^[\u0020-\u02ff\u0370-\u052f\u2002-\u200a\u2010-\u2027\u2030-\u205e\u2212]*$/;

function optionsOf(text: string): { features?: PDFKit.Mixins.OpenTypeFeatures[] } {
  return PLAIN.test(text) ? {} : { features: AS_ONE };
}

function selectFont(document: Pdf, { name }: CaptionFont): void {
  document.font(name);
  allowNullAnchors((document as Pdf & { readonly _font: { readonly font: FontWithMarks } })._font.font);
}

/** Returns the width in points, at the font size of the document. */
export function widthOfPieces(document: Pdf, pieces: readonly Piece[]): number {
  return pieces.reduce((width, piece) => width + widthOfPiece(document, piece), 0);
}

function widthOfPiece(document: Pdf, { font, text }: Piece): number {
  selectFont(document, font);
  return document.widthOfString(text, optionsOf(text));
}

/** Stroke that makes a regular font as dark as a semibold one, as a share of its size. */
const THICKER = 0.028;

/** Draws pieces from left to right, in the fill color of the document; `y`: of the baseline, in points from the top. */
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
    document.text(text, left, y, {
      lineBreak: false,
      baseline: 'alphabetic',
      ...optionsOf(text),
      ...thicker,
    });
    if (pieces.length > 1) left += widthOfPiece(document, piece);
  }
}
