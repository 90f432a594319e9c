/** Draws pages of labels as one PDF, and decodes each code from its page before the PDF is returned. */
import { breakLines } from './break-lines.ts';
import { type CaptionFont, loadFonts } from './caption-fonts.ts';
import { canWrite, captionOf, piecesOf } from './captions.ts';
import type { Encoded, Fault } from './draw-picture.ts';
import { createFigure, type Drawing, drawingOf } from './drawing.ts';
import { type LabelGrid, placesOf } from './label-grids.ts';
import { type CaptionBox, FONT_SIZE_MM, type LabelLayout, LINE_MM } from './label-layout.ts';
import { clearPlate, plateOf } from './logo.ts';
import { drawPieces, widthOfPieces } from './pdf-text.ts';
import { modulesAcross, type PictureStyle, POINTS_A_MM } from './picture.ts';
import { placeFault } from './verify.ts';
import { closePdf, drawCode, inkOf, openPdf } from './write-pdf.ts';

/** Label: a code, its caption, and the plain caption used if a glyph of the caption is missing. */
export interface Label extends Encoded {
  readonly caption: string;
  readonly plain: string;
}

export interface SheetStyle {
  readonly grid: LabelGrid;
  readonly layout: LabelLayout;
  readonly picture: PictureStyle;
  /** Cells of the first page that were used before. */
  readonly skipped: number;
  /** A hairline around each label, to cut along. */
  readonly outline: boolean;
  readonly title: string;
}

export interface Sheet {
  readonly bytes: Buffer;
  readonly pages: number;
  /** Labels whose caption has a character that every font lacks. */
  readonly replaced: number;
}

type Pdf = ReturnType<typeof openPdf>;

/** Draws all labels. I1: returns a fault instead of the bytes if a decoder can't read a code at its position on the page. */
export async function drawSheet(labels: readonly Label[], style: SheetStyle): Promise<Sheet | Fault> {
  const { grid, layout } = style;
  const places = [...placesOf(grid)];
  const document = openPdf({ ...grid.paper, title: style.title });
  setUnscaled(document);
  const captions = layout.caption ? labels.map(({ caption }) => captionOf(caption)) : [];
  const fonts = layout.caption ? await loadFonts([...captions, ...labels.map(({ plain }) => plain)]) : [];
  for (const { name, bytes } of fonts) document.registerFont(name, bytes);
  const spots = labels.map((label, index) => {
    const cell = index + style.skipped;
    const corner = places[cell % places.length] ?? { xMm: 0, yMm: 0 };
    const place = { xMm: corner.xMm + layout.code.xMm, yMm: corner.yMm + layout.code.yMm };
    return { label, corner, place, page: Math.floor(cell / places.length), caption: captions[index] ?? '' };
  });
  const drawn: Drawing[][] = [];
  let replaced = 0;
  for (const { label, corner, place, caption, ...spot } of spots) {
    while (drawn.length <= spot.page) {
      document.addPage();
      drawn.push([]);
      if (style.outline) drawOutlines(document, grid, places);
    }
    const plate = await plateOf(label.modules, style.picture);
    const figure = createFigure(clearPlate(label.modules, style.picture), style.picture, plate);
    drawCode(document, figure, place);
    drawn[spot.page]?.push(drawingOf(figure, place));
    if (!layout.caption) continue;
    const isWritable = caption !== '' && canWrite(caption, fonts);
    if (!isWritable && caption !== '') replaced++;
    drawCaption(document, isWritable ? caption : label.plain, layout.caption, corner, fonts);
  }
  const bytes = await closePdf(document);
  const pages = drawn.map((codes): Drawing => {
    return { ...grid.paper, areas: codes.flatMap(({ areas }) => areas), overlays: codes.flatMap(({ overlays }) => overlays) };
  });
  const { sizeMm, quietZone } = style.picture;
  for (const { label, place, page } of spots) {
    const expected = { text: label.text, sizeMm, quietZone, across: modulesAcross(label.modules, style.picture) };
    const drawing = pages[page];
    const fault = drawing ? placeFault(drawing, place, expected) : 'the page is missing';
    if (fault !== undefined) return { fault: `${label.text}: ${fault}` };
  }
  return { bytes, pages: pages.length, replaced };
}

/** Printing programs scale a page to the printable area, and labels would be off position (ISO 32000-1, 12.2). */
function setUnscaled(document: Pdf): void {
  const { _root: root } = document as Pdf & { _root: { data: Record<string, unknown> } };
  root.data.ViewerPreferences = document.ref({ PrintScaling: 'None' });
}

const HAIRLINE_MM = 0.1;

function drawOutlines(document: Pdf, { label }: LabelGrid, places: readonly { xMm: number; yMm: number }[]): void {
  document.lineWidth(HAIRLINE_MM * POINTS_A_MM);
  for (const { xMm, yMm } of places) {
    const [x, y, width, height] = [xMm, yMm, label.widthMm, label.heightMm].map((mm) => mm * POINTS_A_MM);
    document.rect(x ?? 0, y ?? 0, width ?? 0, height ?? 0);
  }
  document.stroke(inkOf({ red: 150, green: 150, blue: 150 }));
}

/** The lines of a caption in the middle of their box. */
function drawCaption(
  document: Pdf,
  text: string,
  box: CaptionBox,
  corner: { xMm: number; yMm: number },
  fonts: readonly CaptionFont[],
): void {
  document.fontSize(FONT_SIZE_MM * POINTS_A_MM).fillColor(inkOf({ red: 0, green: 0, blue: 0 }));
  const widthOf = (part: string) => widthOfPieces(document, piecesOf(part, fonts));
  const room = box.widthMm * POINTS_A_MM;
  const lines = breakLines(text, box.lines, widthOf, room);
  const top = corner.yMm + box.yMm + (box.heightMm - lines.length * LINE_MM) / 2;
  for (const [index, line] of lines.entries()) {
    const pieces = piecesOf(line, fonts);
    const spare = box.align === 'center' ? (room - widthOfPieces(document, pieces)) / 2 : 0;
    const x = (corner.xMm + box.xMm) * POINTS_A_MM + spare;
    // The baseline of letters without descenders, at about three quarters of the line.
    drawPieces(document, pieces, { x, y: (top + (index + 0.75) * LINE_MM) * POINTS_A_MM, size: FONT_SIZE_MM * POINTS_A_MM });
  }
}
