import { EPOCH } from '../../base/time/time.ts';
import { closePdf, PDFDocument } from '../../files/paper/pdfkit.ts';
import { type Color, formatColor } from './color.ts';
import type { Figure } from './drawing.ts';
import { POINTS_A_MM } from './image-style.ts';
import type { Plate } from './logo.ts';
import type { Outline } from './outlines.ts';
import { formatPlate } from './write-png.ts';

type Pdf = PDFKit.PDFDocument;

/** Creates a document without pages; each page will have this size. */
export function openPdf({
  widthMm,
  heightMm,
  title,
}: {
  widthMm: number;
  heightMm: number;
  title: string;
}): Pdf {
  const size: [number, number] = [widthMm * POINTS_A_MM, heightMm * POINTS_A_MM];
  const document = new PDFDocument({
    size,
    margin: 0,
    autoFirstPage: false,
    // I4: zlib's output for a stream differs between engines.
    compress: false,
    font: '',
    // I4: it makes the file's id of these, and would take the time of day for one of them.
    info: { Title: title, Producer: 'qrctl', Creator: 'qrctl', CreationDate: EPOCH },
  });
  Object.defineProperty(document.info, 'CreationDate', { enumerable: false });
  return document;
}

export async function writePdf(figure: Figure, title: string): Promise<Buffer> {
  const { sizeMm } = figure.style;
  const document = openPdf({ widthMm: sizeMm, heightMm: sizeMm, title });
  document.addPage();
  drawCode(document, figure, { xMm: 0, yMm: 0 });
  return closePdf(document);
}

/** Draws an image with its upper left corner at this position. */
export function drawCode(document: Pdf, figure: Figure, { xMm, yMm }: { xMm: number; yMm: number }): void {
  const { across, outlines, style, plate } = figure;
  document.save();
  document.translate(xMm * POINTS_A_MM, yMm * POINTS_A_MM);
  document.scale((style.sizeMm * POINTS_A_MM) / across);
  if (style.background) document.rect(0, 0, across, across).fill(inkOf(style.background));
  for (const outline of outlines) addOutline(document, outline, style.quietZone);
  document.fill(inkOf(style.color));
  if (plate) drawPlate(document, plate, style.quietZone);
  document.restore();
}

type PdfOfImages = Pdf & { openImage(png: Buffer): unknown };

/** Images embedded in each document: a logo is stored once, regardless of the number of labels. */
const embedded = new WeakMap<Pdf, Map<Plate, unknown>>();

function drawPlate(document: Pdf, plate: Plate, quietZone: number): void {
  const images = embedded.get(document) ?? new Map<Plate, unknown>();
  embedded.set(document, images);
  const image = images.get(plate) ?? (document as PdfOfImages).openImage(formatPlate(plate));
  images.set(plate, image);
  const corner = plate.offset + quietZone;
  document.image(image as Buffer, corner, corner, { width: plate.across, height: plate.across });
}

function addOutline(document: Pdf, outline: Outline, offset: number): void {
  for (let at = 0; at < outline.length; at += 2) {
    const x = (outline[at] ?? 0) + offset;
    const y = (outline[at + 1] ?? 0) + offset;
    if (at === 0) document.moveTo(x, y);
    else document.lineTo(x, y);
  }
  document.closePath();
}

/** Returns the ink of a color. Gray is black ink only, as CMYK percentages: mixed from three inks it would print with colored edges. */
export function inkOf(color: Color): PDFKit.Mixins.ColorValue {
  const { red, green, blue } = color;
  return red === green && green === blue ? [0, 0, 0, 100 - (red / 255) * 100] : formatColor(color);
}
