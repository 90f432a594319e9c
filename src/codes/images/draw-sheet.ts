import { breakLines } from '#files/paper/break-lines';
import { type CaptionFont, loadFonts } from '#files/paper/caption-fonts';
import { captionOf, piecesOf } from '#files/paper/captions';
import { type Typeset, typeset } from '#files/paper/missing-glyphs';
import { drawPieces, widthOfPieces } from '#files/paper/pdf-text';
import { closePdf, openPdf } from '#files/paper/pdfkit';
import type { Encoded, Fault } from './draw-image.ts';
import { createFigure, type Drawing, drawingOf } from './drawing.ts';
import { type ImageStyle, modulesAcross, POINTS_A_MM, type Position } from './image-style.ts';
import { type LabelGrid, placesOf } from './label-grids.ts';
import { type CaptionBox, FONT_SIZE_MM, type LabelLayout, LINE_MM } from './label-sheet.ts';
import { clearPlate, plateOf } from './logo.ts';
import { placeFault } from './verify.ts';
import { drawCode, inkOf } from './write-pdf.ts';

export interface Label extends Encoded {
  caption: string;
  plain: string;
}

export interface SheetStyle {
  grid: LabelGrid;
  layout: LabelLayout;
  image: ImageStyle;
  skipped: number;
  outline: boolean;
  title: string;
}

export interface Sheet {
  bytes: Buffer;
  pages: number;
  lost: ReadonlyMap<string, Typeset['lost']>;
}

type Pdf = ReturnType<typeof openPdf>;

interface Spot {
  label: Label;
  corner: Position;
  place: Position;
}

/** I1: draws labels. Returns a fault if a decoder can't read a code at its position on the page. */
export async function drawSheet(labels: readonly Label[], style: SheetStyle): Promise<Sheet | Fault> {
  const { grid, layout } = style;
  const { widthMm, heightMm } = grid.paper;
  const document = openPdf(style.title, { size: [widthMm * POINTS_A_MM, heightMm * POINTS_A_MM] });
  setUnscaled(document);
  const writeCaption = layout.caption && (await prepareCaptions(document, labels, layout.caption));
  const pages: { spots: readonly Spot[]; drawing: Drawing }[] = [];
  const lost = new Map<string, Typeset['lost']>();
  for (const spots of assignCells(labels, style)) {
    document.addPage();
    if (style.outline) drawOutlines(document, grid);
    const codes: Drawing[] = [];
    for (const { label, corner, place } of spots) {
      const plate = await plateOf(label.modules, style.image);
      const figure = createFigure(clearPlate(label.modules, style.image), style.image, plate);
      drawCode(document, figure, place);
      codes.push(drawingOf(figure, place));
      for (const [caption, loss] of writeCaption?.(label, corner) ?? []) lost.set(caption, loss);
    }
    const [areas, overlays] = [codes.flatMap((code) => code.areas), codes.flatMap((code) => code.overlays)];
    pages.push({ spots, drawing: { ...grid.paper, areas, overlays } });
  }
  const bytes = await closePdf(document);
  const { sizeMm, quietZone } = style.image;
  for (const { spots, drawing } of pages) {
    for (const { label, place } of spots) {
      const across = modulesAcross(label.modules, style.image);
      const fault = placeFault(drawing, place, { text: label.text, sizeMm, quietZone, across });
      if (fault !== undefined) return { fault: `${label.text}: ${fault}` };
    }
  }
  return { bytes, pages: pages.length, lost };
}

function* assignCells(labels: readonly Label[], { grid, layout, skipped }: SheetStyle): Generator<Spot[]> {
  const corners = [...placesOf(grid)];
  for (let first = -skipped; first < labels.length; first += corners.length) {
    yield corners.flatMap((corner, cell) => {
      const label = labels[first + cell];
      return label ? [{ label, corner, place: offset(corner, layout.code) }] : [];
    });
  }
}

function offset(corner: Position, { xMm, yMm }: Position): Position {
  return { xMm: corner.xMm + xMm, yMm: corner.yMm + yMm };
}

/** Makes viewers print pages unscaled by default (ISO 32000-1, 12.2). */
function setUnscaled(document: Pdf): void {
  const { _root: root } = document as Pdf & { _root: { data: Record<string, unknown> } };
  root.data.ViewerPreferences = document.ref({ PrintScaling: 'None' });
}

const HAIRLINE_MM = 0.1;

function drawOutlines(document: Pdf, grid: LabelGrid): void {
  const [width, height] = [grid.label.widthMm * POINTS_A_MM, grid.label.heightMm * POINTS_A_MM];
  document.lineWidth(HAIRLINE_MM * POINTS_A_MM);
  for (const { xMm, yMm } of placesOf(grid))
    document.rect(xMm * POINTS_A_MM, yMm * POINTS_A_MM, width, height);
  document.stroke(inkOf({ red: 150, green: 150, blue: 150 }));
}

async function prepareCaptions(document: Pdf, labels: readonly Label[], box: CaptionBox) {
  const partsOf = (caption: string) => caption.split('\n');
  const fonts = await loadFonts(
    labels.flatMap(({ caption, plain }) => [...partsOf(caption).map(captionOf), plain]),
  );
  for (const { name, bytes } of fonts) document.registerFont(name, bytes);
  return ({ caption, plain }: Label, corner: Position) => {
    const parts = partsOf(caption).map((part) => ({ part, ...typeset(captionOf(part), fonts) }));
    const texts = parts.map(({ text, lost }) => (lost === 'words' || text === '' ? plain : text));
    drawCaption(document, [...new Set(texts)], offset(corner, box), box, fonts);
    return parts.flatMap(({ part, lost }) => (lost === 'nothing' ? [] : [[part, lost] as const]));
  };
}

function drawCaption(
  document: Pdf,
  texts: readonly string[],
  { xMm, yMm }: Position,
  box: CaptionBox,
  fonts: readonly CaptionFont[],
): void {
  document.fontSize(FONT_SIZE_MM * POINTS_A_MM).fillColor(inkOf({ red: 0, green: 0, blue: 0 }));
  const widthOf = (part: string) => widthOfPieces(document, piecesOf(part, fonts));
  const room = box.widthMm * POINTS_A_MM;
  const lines: string[] = [];
  for (const [at, text] of texts.entries()) {
    const later = texts.length - 1 - at;
    lines.push(...breakLines(text, box.lines - lines.length - later, widthOf, room));
  }
  const top = yMm + (box.heightMm - lines.length * LINE_MM) / 2;
  for (const [index, line] of lines.entries()) {
    const pieces = piecesOf(line, fonts);
    const spare = box.align === 'center' ? (room - widthOfPieces(document, pieces)) / 2 : 0;
    const x = xMm * POINTS_A_MM + spare;
    const y = (top + (index + 0.75) * LINE_MM) * POINTS_A_MM;
    drawPieces(document, pieces, { x, y, size: FONT_SIZE_MM * POINTS_A_MM });
  }
}
