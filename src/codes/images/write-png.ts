/** Writes PNG (W3C PNG, third edition) with one bit per pixel, or 3 or 4 bytes with a logo. */

import { constants, crc32, deflateSync } from 'node:zlib';
import { getOrAdd } from '#base/collections';
import { BLACK, type Color, formatColor, WHITE } from '#base/color';
import type { Modules } from './encode.ts';
import { type ImageStyle, MM_AN_INCH, modulesAcross } from './image-style.ts';
import type { Plate } from './logo.ts';
import type { Rendering } from './render-apart.ts';

export const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** I4: options with which all versions of zlib produce the same bytes. */
const ZLIB = { strategy: constants.Z_RLE, level: 9, memLevel: 8, windowBits: 15 };

export function pixelsAModule(modules: Pick<Modules, 'size'>, style: ImageStyle): number {
  return Math.max(1, Math.round(((style.sizeMm / MM_AN_INCH) * style.dpi) / modulesAcross(modules, style)));
}

export const MOST_PNG_PIXELS = 6000;

export function pngSide(modules: Pick<Modules, 'size'>, style: ImageStyle): number {
  return modulesAcross(modules, style) * pixelsAModule(modules, style);
}

export function writePng(modules: Modules, style: ImageStyle, plate: Plate | undefined): Buffer {
  const pixels = pixelsAModule(modules, style);
  const side = pngSide(modules, style);
  if (plate) return writeColored(modules, style, plate, pixels);
  const rows = repeatRows(modules, style, (y) => rowOf(modules, style, y, pixels, side));
  const colors = colorsOf(style);
  const type = colors.length > 0 ? 3 : 0;
  return formatPng({ ...square(side), bits: 1, type, sizeMm: style.sizeMm }, rows, colors);
}

function repeatRows(modules: Modules, style: ImageStyle, row: (y: number) => Buffer): Buffer {
  const pixels = pixelsAModule(modules, style);
  const rows = Array.from({ length: modulesAcross(modules, style) }, (_, y) =>
    Array<Buffer>(pixels).fill(row(y - style.quietZone)),
  );
  return Buffer.concat(rows.flat());
}

function writeColored(modules: Modules, style: ImageStyle, plate: Plate, pixels: number): Buffer {
  const { background, color, quietZone } = style;
  const side = pngSide(modules, style);
  const bytes = background ? 3 : 4;
  const stride = side * bytes;
  const moduleOf = ({ red, green, blue }: Color, opacity: number) =>
    Buffer.alloc(pixels * bytes, Buffer.from([red, green, blue, opacity].slice(0, bytes)));
  const [dark, light] = [moduleOf(color, 255), moduleOf(background ?? WHITE, 0)];
  const columns = Array.from({ length: modulesAcross(modules, style) }, (_, x) => x - quietZone);
  const rows = repeatRows(modules, style, (y) =>
    Buffer.concat(columns.map((x) => (modules.isDark(x, y) ? dark : light))),
  );
  const start = (plate.offset + quietZone) * pixels;
  for (let y = 0; y < plate.side; y++) {
    for (let x = 0; x < plate.side; x++) {
      const [from, to] = [(y * plate.side + x) * 3, (start + y) * stride + (start + x) * bytes];
      plate.rgb.copy(rows, to, from, from + 3);
      if (bytes === 4) rows[to + 3] = 255;
    }
  }
  return formatPng({ ...square(side), bits: 8, type: background ? 2 : 6, sizeMm: style.sizeMm }, rows);
}

const plates = new WeakMap<Plate, Buffer>();

export function formatPlate(plate: Plate): Buffer {
  const { side, rgb } = plate;
  return getOrAdd(plates, plate, () => formatPng({ ...square(side), bits: 8, type: 2 }, rgb));
}

export function formatRendering({ width, height, rgba }: Rendering): Buffer {
  return formatPng({ width, height, bits: 8, type: 6 }, Buffer.from(rgba));
}

function filterUp(rows: Buffer, stride: number): Buffer {
  const filtered = Buffer.alloc(rows.length + rows.length / stride);
  let above: Buffer = Buffer.alloc(stride);
  for (let from = 0, to = 0; from < rows.length; from += stride, to += stride + 1) {
    const row = rows.subarray(from, from + stride);
    filtered[to] = 2;
    if (!row.equals(above))
      for (let at = 0; at < stride; at++) filtered[to + 1 + at] = (row[at] ?? 0) - (above[at] ?? 0);
    above = row;
  }
  return filtered;
}

function rowOf(modules: Modules, { quietZone }: ImageStyle, y: number, pixels: number, side: number): Buffer {
  const row = Buffer.alloc(Math.ceil(side / 8), 0xff);
  for (let x = 0; x < modules.size; x++) {
    if (!modules.isDark(x, y)) continue;
    const start = (x + quietZone) * pixels;
    for (let at = start; at < start + pixels; at++) row[at >> 3] = (row[at >> 3] ?? 0) & ~(0x80 >> (at & 7));
  }
  return row;
}

function colorsOf({ color, background }: ImageStyle): Buffer[] {
  const isPlain = isSame(color, BLACK) && background && isSame(background, WHITE);
  if (isPlain) return [];
  const palette = [color, background ?? WHITE].flatMap(({ red, green, blue }) => [red, green, blue]);
  const opacity = background ? [] : [chunk('tRNS', Buffer.from([255, 0]))];
  return [chunk('PLTE', Buffer.from(palette)), ...opacity];
}

function isSame(one: Color, other: Color): boolean {
  return formatColor(one) === formatColor(other);
}

interface Header {
  width: number;
  height: number;
  bits: 1 | 8;
  /** PNG color type: 0 gray, 2 RGB, 3 palette, 6 RGB with opacity. */
  type: 0 | 2 | 3 | 6;
  sizeMm?: number;
}

function square(side: number): { width: number; height: number } {
  return { width: side, height: side };
}

function formatPng(
  { width, height, bits, type, sizeMm }: Header,
  rows: Buffer,
  colors: readonly Buffer[] = [],
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = bits;
  header[9] = type;
  const parts = [PNG_SIGNATURE, chunk('IHDR', header)];
  if (sizeMm !== undefined) {
    const density = Buffer.alloc(9);
    density.writeUInt32BE(Math.round((width * 1000) / sizeMm), 0);
    density.writeUInt32BE(Math.round((height * 1000) / sizeMm), 4);
    density[8] = 1;
    parts.push(chunk('pHYs', density));
  }
  return Buffer.concat([
    ...parts,
    ...colors,
    chunk('IDAT', deflateSync(filterUp(rows, rows.length / height), ZLIB)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(name: string, data: Buffer): Buffer {
  const bytes = Buffer.alloc(data.length + 12);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(name, 4, 'latin1');
  data.copy(bytes, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, data.length + 8)), data.length + 8);
  return bytes;
}
