import { createHash } from 'node:crypto';
import { createFigure, drawingOf, type Figure } from './drawing.ts';
import type { Modules } from './encode.ts';
import { type ImageFormat, type ImageStyle, modulesAcross } from './image-style.ts';
import { clearPlate, plateOf } from './logo.ts';
import { writeSvg } from './svg.ts';
import { drawingFault, type Expected, findFault } from './verify.ts';
import { writeEps } from './write-eps.ts';
import { pixelsAModule, writePng } from './write-png.ts';

export interface Encoded {
  readonly text: string;
  readonly modules: Modules;
}

export interface Image {
  readonly bytes: Buffer;
  readonly sha256: string;
}

export interface Fault {
  readonly fault: string;
}

/**
 * I1: draws an image, and returns it only if a decoder reads the text from its bytes, or from the drawing of
 * a PDF or EPS. An image with the SHA-256 `known` was decoded before.
 */
export async function drawImage(
  encoded: Encoded,
  format: ImageFormat,
  style: ImageStyle,
  { known, damage = (bytes) => bytes }: { known?: string; damage?(bytes: Buffer): Buffer } = {},
): Promise<Image | Fault> {
  const { text, modules } = encoded;
  const written = await formatImage(encoded, format, style);
  const bytes = damage(written.bytes);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const { sizeMm, quietZone } = style;
  const expected = { text, sizeMm, quietZone, across: modulesAcross(modules, style) };
  const fault = sha256 === known ? undefined : written.findFault(bytes, expected);
  return fault === undefined ? { bytes, sha256 } : { fault };
}

interface Written {
  readonly bytes: Buffer;
  findFault(bytes: Buffer, expected: Expected): string | undefined;
}

async function formatImage(
  { text, modules: all }: Encoded,
  format: ImageFormat,
  style: ImageStyle,
): Promise<Written> {
  const modules = clearPlate(all, style);
  const plate = await plateOf(modules, style, format === 'png' ? pixelsAModule(modules, style) : undefined);
  const fromBytes = (bytes: Buffer, own: 'png' | 'svg'): Written => ({
    bytes,
    findFault: (damaged, expected) => findFault(damaged, own, expected),
  });
  const fromDrawing = (bytes: Buffer, figure: Figure): Written => ({
    bytes,
    findFault: (_, expected) => drawingFault(drawingOf(figure), expected),
  });
  switch (format) {
    case 'png':
      return fromBytes(writePng(modules, style, plate), format);
    case 'svg':
      return fromBytes(Buffer.from(writeSvg(modules, style, plate)), format);
    case 'eps': {
      const figure = createFigure(modules, style, plate);
      return fromDrawing(Buffer.from(writeEps(figure)), figure);
    }
    case 'pdf': {
      // Loads half a megabyte only for PDF.
      const { writePdf } = await import('./write-pdf.ts');
      const figure = createFigure(modules, style, plate);
      return fromDrawing(await writePdf(figure, text), figure);
    }
  }
}
