import { hash } from 'node:crypto';
import { createFigure, drawingOf, type Figure } from './drawing.ts';
import type { Modules } from './encode.ts';
import { type ImageFormat, type ImageStyle, modulesAcross } from './image-style.ts';
import { clearPlate, plateOf } from './logo.ts';
import { writeSvg } from './svg.ts';
import { drawingFault, findFault } from './verify.ts';
import { writeEps } from './write-eps.ts';
import { pixelsAModule, writePng } from './write-png.ts';

export interface Encoded {
  text: string;
  modules: Modules;
}

export interface Fault {
  fault: string;
}

/**
 * I1: draws an image. Returns a fault unless a decoder reads the text from its bytes, or from the figure of a
 * PDF or EPS. An image with the SHA-256 `known` is not decoded again.
 */
export async function drawImage(
  encoded: Encoded,
  format: ImageFormat,
  style: ImageStyle,
  { known, damage = (bytes) => bytes }: { known?: string; damage?(bytes: Buffer): Buffer } = {},
) {
  const { figure, ...written } = await formatImage(encoded, format, style);
  const bytes = damage(written.bytes);
  const sha256 = hashOf(bytes);
  if (sha256 === known) return { bytes, sha256 };
  const { sizeMm, quietZone } = style;
  const expected = { text: encoded.text, sizeMm, quietZone, across: modulesAcross(encoded.modules, style) };
  const fault = figure ? drawingFault(drawingOf(figure), expected) : findFault(bytes, format, expected);
  return fault === undefined ? { bytes, sha256 } : { fault };
}

export function hashOf(bytes: Buffer): string {
  return hash('sha256', bytes);
}

/** Formats an image. Returns the figure only for PDF and EPS, which can't be read back. */
async function formatImage(
  { text, modules: all }: Encoded,
  format: ImageFormat,
  style: ImageStyle,
): Promise<{ bytes: Buffer; figure?: Figure }> {
  const modules = clearPlate(all, style);
  const plate = await plateOf(modules, style, format === 'png' ? pixelsAModule(modules, style) : undefined);
  if (format === 'png') return { bytes: writePng(modules, style, plate) };
  const figure = createFigure(modules, style, plate);
  if (format === 'svg') return { bytes: Buffer.from(writeSvg(figure)) };
  if (format === 'eps') return { bytes: Buffer.from(writeEps(figure)), figure };
  // Loads half a megabyte of code only for PDF.
  const { writePdf } = await import('./write-pdf.ts');
  return { bytes: await writePdf(figure, text), figure };
}
