import { inflateSync } from 'node:zlib';
import { grayAt } from './image-style.ts';
import { createRaster } from './raster.ts';

const CHANNELS: Readonly<Record<number, number>> = { 2: 3, 6: 4 };

/**
 * Reads the gray values and the width in mm (NaN if absent) of a PNG by write-png.ts. Throws Error if that
 * fails.
 */
export function readPng(bytes: Uint8Array) {
  const chunks = readChunks(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  const header = chunks.get('IHDR') ?? Buffer.alloc(13);
  const side = header.readUInt32BE(0);
  const bits = header.readUInt8(8);
  const type = header.readUInt8(9);
  if (side === 0 || side !== header.readUInt32BE(4)) throw new Error('it is not a square');
  const channels = CHANNELS[type] ?? 1;
  const stride = Math.ceil((side * channels * bits) / 8);
  const rows = unfilter(inflateSync(chunks.get('IDAT') ?? Buffer.alloc(0)), stride, side);
  const raster = createRaster(side, side, 255);
  const grayOfPixel =
    bits === 1 ? paletteGray(rows, stride, graysOf(type, chunks)) : samplesGray(rows, stride, channels);
  for (let y = 0; y < side; y++) {
    const [before, from, to] = [(y - 1) * stride, y * stride, (y + 1) * stride];
    if (y > 0 && rows.compare(rows, before, from, from, to) === 0)
      raster.gray.copyWithin(y * side, (y - 1) * side, y * side);
    else for (let x = 0; x < side; x++) raster.gray[y * side + x] = grayOfPixel(x, y);
  }
  const density = chunks.get('pHYs');
  return { raster, sizeMm: density ? (side * 1000) / density.readUInt32BE(0) : Number.NaN };
}

function readChunks(bytes: Buffer): Map<string, Buffer> {
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    chunks.set(bytes.toString('latin1', at + 4, at + 8), bytes.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  return chunks;
}

export function unfilter(filtered: Buffer, stride: number, side: number): Buffer {
  if (filtered.length !== (stride + 1) * side) throw new Error('it has too few or too many pixels');
  const rows = Buffer.alloc(stride * side);
  for (let y = 0; y < side; y++) {
    const filter = filtered[y * (stride + 1)];
    if (filter !== 0 && filter !== 2) throw new Error(`filter ${filter}`);
    for (let x = 0; x < stride; x++) {
      const above = filter === 2 ? (rows[(y - 1) * stride + x] ?? 0) : 0;
      rows[y * stride + x] = (filtered[y * (stride + 1) + 1 + x] ?? 0) + above;
    }
  }
  return rows;
}

function graysOf(type: number, chunks: ReadonlyMap<string, Buffer>): [number, number] {
  if (type === 0) return [0, 255];
  const palette = chunks.get('PLTE') ?? Buffer.alloc(6);
  const opacity = chunks.get('tRNS');
  const gray = (index: number) => (opacity?.[index] === 0 ? 255 : grayAt(palette, 3 * index));
  return [gray(0), gray(1)];
}

function paletteGray(rows: Buffer, stride: number, [dark, light]: [number, number]) {
  return (x: number, y: number) => ((rows[y * stride + (x >> 3)] ?? 0) & (0x80 >> (x & 7)) ? light : dark);
}

function samplesGray(rows: Buffer, stride: number, channels: number) {
  return (x: number, y: number) => {
    const at = y * stride + x * channels;
    const opacity = channels === 4 ? (rows[at + 3] ?? 0) / 255 : 1;
    return Math.round(grayAt(rows, at) * opacity + 255 * (1 - opacity));
  };
}
