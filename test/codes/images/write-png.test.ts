/** PNG files, taken apart by the specification alone (W3C PNG, third edition): chunks with their checksums, and pixels with their colors. */
import { inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { BLACK, type Color, formatColor, parseColor, WHITE } from '#base/color';
import { encodeText } from '#codes/images/encode';
import type { ImageStyle } from '#codes/images/image-style';
import type { Plate } from '#codes/images/logo';
import { formatPlate, formatRendering, pixelsAModule, pngSide, writePng } from '#codes/images/write-png';
import { STYLE as PLAIN } from './style.ts';

const STYLE: ImageStyle = { ...PLAIN, sizeMm: 9, level: 'L' };
const BLUE = parseColor('#036') ?? BLACK;
const CREAM = parseColor('#ffeecc') ?? WHITE;
const MODULES = encodeText('PNG', 'L') ?? expect.fail();

/** CRC-32 bit by bit (annex D). */
function crcOf(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** The chunks in order, each with its data as hexadecimal. */
function chunksOf(png: Buffer): [name: string, data: string][] {
  expect(png.toString('hex', 0, 8)).toBe('89504e470d0a1a0a');
  const chunks: [string, string][] = [];
  for (let at = 8; at < png.length; ) {
    const end = at + 8 + png.readUInt32BE(at);
    expect(png.readUInt32BE(end)).toBe(crcOf(png.subarray(at + 4, end)));
    chunks.push([png.toString('latin1', at + 4, at + 8), png.toString('hex', at + 8, end)]);
    at = end + 4;
  }
  return chunks;
}

/** All but the pixels. */
const frameOf = (png: Buffer) => chunksOf(png).filter(([name]) => name !== 'IDAT');

/** Bits per pixel of each color type that is written. */
const BITS: Readonly<Record<number, number>> = { 0: 1, 2: 24, 3: 1, 6: 32 };

/** The pixels of each row, as `#rrggbbaa`. */
function pixelsOf(png: Buffer): string[][] {
  const chunks = new Map(chunksOf(png).map(([name, data]) => [name, Buffer.from(data, 'hex')]));
  const header = chunks.get('IHDR') ?? expect.fail();
  const [width, height, type] = [header.readUInt32BE(0), header.readUInt32BE(4), header.readUInt8(9)];
  const bits = BITS[type] ?? expect.fail(`color type ${type}`);
  expect(header.readUInt8(8)).toBe(Math.min(bits, 8));
  const data = inflateSync(chunks.get('IDAT') ?? expect.fail());
  const stride = Math.ceil((width * bits) / 8);
  expect(data).toHaveLength((stride + 1) * height);
  const palette = type === 3 ? chunks.get('PLTE')?.toString('hex') : '000000ffffff';
  const opacity = [...(chunks.get('tRNS') ?? [255, 255])].map((value) => value.toString(16).padStart(2, '0'));
  let above = Buffer.alloc(stride);
  return Array.from({ length: height }, (_, y) => {
    const row = Buffer.from(data.subarray(y * (stride + 1) + 1, (y + 1) * (stride + 1)));
    expect(data[y * (stride + 1)]).toBe(2);
    row.forEach((value, at) => {
      row[at] = value + (above[at] ?? 0);
    });
    above = row;
    return Array.from({ length: width }, (_, x) => {
      if (bits > 1) return `#${row.toString('hex', (x * bits) / 8, ((x + 1) * bits) / 8).padEnd(8, 'f')}`;
      const index = ((row[x >> 3] ?? 0) >> (7 - (x % 8))) & 1;
      return `#${palette?.slice(6 * index, 6 * index + 6)}${opacity[index]}`;
    });
  });
}

/** A square whose every pixel has its own color. */
function plateOf(across: number, pixels: number): Plate {
  const side = across * pixels;
  const rgb = Buffer.from(
    Array.from({ length: side * side }, (_, at) => [at % 256, at >> 8, 255 - (at % 256)]).flat(),
  );
  return { across, offset: (MODULES.size - across) / 2, side, rgb };
}

/** The pixels that the PNG of a code should have, without a logo. */
function squaresOf({ quietZone, color, background }: ImageStyle, pixels: number): string[][] {
  const light = background ? `${formatColor(background)}ff` : '#ffffff00';
  const side = (MODULES.size + 2 * quietZone) * pixels;
  const moduleOf = (at: number) => Math.floor(at / pixels) - quietZone;
  return Array.from({ length: side }, (_, y) =>
    Array.from({ length: side }, (_, x) =>
      MODULES.isDark(moduleOf(x), moduleOf(y)) ? `${formatColor(color)}ff` : light,
    ),
  );
}

const STYLES: readonly Partial<ImageStyle>[] = [
  {},
  { sizeMm: 1, quietZone: 0 },
  { sizeMm: 5, quietZone: 1, color: BLUE },
  { quietZone: 10, background: CREAM },
  { sizeMm: 3, background: undefined },
  { sizeMm: 6, color: BLUE, background: undefined },
];

describe('a PNG of a code', () => {
  it.each(STYLES)('shows each module as a square of whole pixels, in the style %j', (style) => {
    const all = { ...STYLE, ...style };
    const png = writePng(MODULES, all, undefined);
    const pixels = pixelsAModule(MODULES, all);
    expect(pixelsOf(png)).toEqual(squaresOf(all, pixels));
    expect(pngSide(MODULES, all)).toBe((MODULES.size + 2 * all.quietZone) * pixels);
  });

  it.each(STYLES)('has the logo in the middle, in the style %j', (style) => {
    const all = { ...STYLE, ...style };
    const pixels = pixelsAModule(MODULES, all);
    const plate = plateOf(5, pixels);
    const expected = squaresOf(all, pixels);
    const start = (plate.offset + all.quietZone) * pixels;
    for (let at = 0; at < plate.side ** 2; at++) {
      const row = expected[start + Math.floor(at / plate.side)] ?? expect.fail();
      row[start + (at % plate.side)] = `#${plate.rgb.toString('hex', 3 * at, 3 * at + 3)}ff`;
    }
    expect(pixelsOf(writePng(MODULES, all, plate))).toEqual(expected);
  });

  it('in black on white has one bit per pixel and no palette, and declares its print size', () => {
    const header = '0000003a0000003a0100000000';
    expect(frameOf(writePng(MODULES, { ...STYLE, sizeMm: 5 }, undefined))).toEqual([
      ['IHDR', header],
      ['pHYs', '00002d5000002d5001'],
      ['IEND', ''],
    ]);
  });
});

describe('the pixels per module', () => {
  const at = (sizeMm: number, dpi: number) => pixelsAModule({ size: 21 }, { ...STYLE, sizeMm, dpi });

  it('are the nearest number of printer dots, but at least one', () => {
    expect([at(25.4, 29 * 10), at(25.4, 29 * 10.4), at(25.4, 29 * 10.6), at(254, 29)]).toEqual([
      10, 10, 11, 10,
    ]);
    expect([at(0.1, 72), at(25.4, 29 * 1.4)]).toEqual([1, 1]);
  });
});

describe('a PNG of pixels', () => {
  it('has the given pixels, and no print size', () => {
    const rgba = Uint8Array.from([
      255, 0, 0, 255, 0, 0, 255, 128, 1, 2, 3, 4, 200, 100, 50, 0, 9, 8, 7, 6, 0, 0, 0, 0,
    ]);
    const png = formatRendering({ width: 3, height: 2, rgba });
    expect(pixelsOf(png)).toEqual([
      ['#ff0000ff', '#0000ff80', '#01020304'],
      ['#c8643200', '#09080706', '#00000000'],
    ]);
    expect(frameOf(png)).toEqual([
      ['IHDR', '00000003000000020806000000'],
      ['IEND', ''],
    ]);
  });

  it('has the colors of a logo plate, and is created only once per plate object', () => {
    const plate = plateOf(1, 3);
    const png = formatPlate(plate);
    const color = (at: number): Color => ({ red: at, green: 0, blue: 255 - at });
    expect(pixelsOf(png)).toEqual(
      [0, 3, 6].map((first) => [0, 1, 2].map((column) => `${formatColor(color(first + column))}ff`)),
    );
    expect(frameOf(png)[0]).toEqual(['IHDR', '00000003000000030802000000']);
    expect(formatPlate(plate)).toBe(png);
    expect(formatPlate({ ...plate })).not.toBe(png);
  });
});
