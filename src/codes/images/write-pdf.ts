import { getOrAdd } from '#base/collections';
import { type Color, formatColor } from '#base/color';
import { closePdf, openPdf } from '#files/paper/pdfkit';
import type { Figure } from './drawing.ts';
import { POINTS_A_MM, type Position } from './image-style.ts';
import type { Plate } from './logo.ts';
import { formatPath } from './svg.ts';
import { formatPlate } from './write-png.ts';

type Pdf = PDFKit.PDFDocument;

export async function writePdf(figure: Figure, title: string): Promise<Buffer> {
  const { sizeMm } = figure.style;
  const size = sizeMm * POINTS_A_MM;
  const document = openPdf(title, { size: [size, size] });
  document.addPage();
  drawCode(document, figure, { xMm: 0, yMm: 0 });
  return closePdf(document);
}

export function drawCode(document: Pdf, figure: Figure, { xMm, yMm }: Position): void {
  const { across, outlines, style, plate } = figure;
  document.save();
  document.translate(xMm * POINTS_A_MM, yMm * POINTS_A_MM);
  document.scale((style.sizeMm * POINTS_A_MM) / across);
  if (style.background) document.rect(0, 0, across, across).fill(inkOf(style.background));
  document.path(formatPath(outlines, style.quietZone)).fill(inkOf(style.color));
  if (plate) drawPlate(document, plate, style.quietZone);
  document.restore();
}

type PdfOfImages = Pdf & { openImage(png: Buffer): unknown };

const embedded = new WeakMap<Pdf, Map<Plate, unknown>>();

function drawPlate(document: Pdf, plate: Plate, quietZone: number): void {
  const images = getOrAdd(embedded, document, () => new Map<Plate, unknown>());
  const image = getOrAdd(images, plate, () => (document as PdfOfImages).openImage(formatPlate(plate)));
  const corner = plate.offset + quietZone;
  document.image(image as Buffer, corner, corner, { width: plate.across, height: plate.across });
}

/** Converts a color. Gray uses only black, because mixed black prints with colored edges. */
export function inkOf(color: Color): PDFKit.Mixins.ColorValue {
  const { red, green, blue } = color;
  return red === green && green === blue ? [0, 0, 0, 100 - (red / 255) * 100] : formatColor(color);
}
