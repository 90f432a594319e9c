/** The one way to a picture: encoded, drawn, read back by its own bytes, and only then given to whoever writes it. */
import { createHash } from 'node:crypto';
import type { Modules } from './encode.ts';
import { clearPlate, plateOf } from './logo.ts';
import { modulesAcross, type PictureFormat, type PictureStyle } from './picture.ts';
import { findFault } from './verify.ts';
import { writeEps } from './write-eps.ts';
import { pixelsAModule, writePng } from './write-png.ts';
import { writeSvg } from './write-svg.ts';

/** What is drawn: a text, and the code that holds it. */
export interface Encoded {
  readonly text: string;
  readonly modules: Modules;
}

/** A picture that reads as its text. Its bytes follow from text, format and style alone. */
export interface Picture {
  readonly bytes: Buffer;
  /** Of the bytes, in hexadecimal. */
  readonly sha256: string;
}

/** A picture that must not be written, and why in a few words. */
export interface Fault {
  readonly fault: string;
}

/** Between drawing and reading back; tests damage pictures here. */
export type Damage = (bytes: Buffer) => Buffer;

/**
 * Draws a picture. I1: it is given away only where a decoder reads the text from its bytes; one whose SHA-256 is `known` has been read
 * before, and the same bytes read the same.
 */
export async function drawPicture(
  encoded: Encoded,
  format: PictureFormat,
  style: PictureStyle,
  { known, damage = (bytes) => bytes }: { known?: string | undefined; damage?: Damage } = {},
): Promise<Picture | Fault> {
  const { text, modules } = encoded;
  const bytes = damage(await formatPicture(encoded, format, style));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const { sizeMm, quietZone } = style;
  const expected = { text, sizeMm, quietZone, across: modulesAcross(modules, style) };
  const fault = sha256 === known ? undefined : findFault(bytes, format, expected);
  return fault === undefined ? { bytes, sha256 } : { fault };
}

async function formatPicture({ text, modules: all }: Encoded, format: PictureFormat, style: PictureStyle): Promise<Buffer> {
  const modules = clearPlate(all, style);
  const plate = await plateOf(modules, style, format === 'png' ? pixelsAModule(modules, style) : undefined);
  if (format === 'png') return writePng(modules, style, plate);
  if (format === 'svg') return Buffer.from(writeSvg(modules, style, plate));
  if (format === 'eps') return Buffer.from(writeEps(modules, style, plate));
  // It loads half a megabyte.
  const { writePdf } = await import('./write-pdf.ts');
  return writePdf(modules, style, plate, text);
}
