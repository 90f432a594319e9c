/** PNG files built byte by byte: which are read, and which are refused. */
import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readPng } from '#codes/images/read-png';

interface Made {
  width: number;
  height?: number;
  bits?: number;
  type?: number;
  /** Each with its filter first. */
  rows: readonly (readonly number[])[];
  chunks?: Readonly<Record<string, readonly number[]>>;
}

function chunk(name: string, data: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  // The reader ignores checksums.
  return Buffer.concat([length, Buffer.from(name, 'latin1'), data, Buffer.alloc(4)]);
}

function pngOf({ width, height = width, bits = 8, type = 2, rows, chunks = {} }: Made): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.writeUInt8(bits, 8);
  header.writeUInt8(type, 9);
  const more = Object.entries(chunks).map(([name, data]) => chunk(name, Buffer.from(data)));
  const pixels = chunk('IDAT', deflateSync(Buffer.from(rows.flat())));
  return Buffer.concat([Buffer.alloc(8), chunk('IHDR', header), ...more, pixels]);
}

/** The gray values of the pixels, row by row. */
const graysOf = (made: Made) => [...readPng(pngOf(made)).raster.gray];

describe('the pixels in a PNG', () => {
  it('with one bit are black and white', () => {
    const rows = [
      [0, 0b0100_0000],
      [0, 0b1000_0000],
    ];
    expect(graysOf({ width: 2, bits: 1, type: 0, rows })).toEqual([0, 255, 255, 0]);
    // Nine pixels take two bytes.
    const wide = [[0, 0b1111_1111, 0b0000_0000], ...Array(8).fill([0, 0b0000_0000, 0b1000_0000])];
    expect(graysOf({ width: 9, bits: 1, type: 0, rows: wide }).slice(0, 18)).toEqual([
      ...[...Array(8).fill(255), 0],
      ...[...Array(8).fill(0), 255],
    ]);
  });

  it('with a palette have the gray values of its colors and their opacity on white paper', () => {
    const rows = [
      [0, 0b0100_0000],
      [0, 0b1000_0000],
    ];
    const chunks = { PLTE: [200, 100, 50, 10, 20, 30] };
    expect(graysOf({ width: 2, bits: 1, type: 3, rows, chunks })).toEqual([124, 18, 18, 124]);
    const transparent = { ...chunks, tRNS: [255, 0] };
    expect(graysOf({ width: 2, bits: 1, type: 3, rows, chunks: transparent })).toEqual([124, 255, 255, 124]);
  });

  it('with three or four samples have the gray value of their color and opacity on white paper', () => {
    const rows = [
      [0, 200, 100, 50, 10, 20, 30],
      [0, 255, 255, 255, 0, 0, 0],
    ];
    expect(graysOf({ width: 2, rows })).toEqual([124, 18, 255, 0]);
    const withAlpha = [
      [0, 200, 100, 50, 255, 10, 20, 30, 0],
      [0, 0, 0, 0, 51, 200, 100, 50, 204],
    ];
    expect(graysOf({ width: 2, type: 6, rows: withAlpha })).toEqual([124, 255, 204, 150]);
  });

  it('may be stored as differences from the row above', () => {
    const rows = [
      [2, 10, 10, 10, 20, 20, 20],
      [2, 5, 5, 5, 250, 250, 250],
    ];
    expect(graysOf({ width: 2, rows })).toEqual([10, 20, 15, 14]);
    expect(graysOf({ width: 2, rows: [rows[0] ?? [], [0, 5, 5, 5, 6, 6, 6]] })).toEqual([10, 20, 5, 6]);
  });

  it('have a total width in mm that follows from the declared pixels per meter, or is NaN without them', () => {
    const density = Buffer.alloc(9);
    density.writeUInt32BE(4000, 0);
    const made = {
      width: 2,
      bits: 1,
      type: 0,
      rows: [
        [0, 0],
        [0, 0],
      ],
    };
    expect(readPng(pngOf({ ...made, chunks: { pHYs: [...density] } })).sizeMm).toBe(0.5);
    expect(readPng(pngOf(made)).sizeMm).toBeNaN();
  });
});

describe('a PNG is refused', () => {
  const row = [0, 1, 2, 3, 4, 5, 6];

  it.each([
    ['with a width of zero', { width: 0, rows: [] }, 'it is not a square'],
    ['that is not a square', { width: 2, height: 1, rows: [row] }, 'it is not a square'],
    ['with one row too few', { width: 2, rows: [row] }, 'it has too few or too many pixels'],
    ['with one byte too many', { width: 2, rows: [row, [...row, 7]] }, 'it has too few or too many pixels'],
    ['with a filter that is not supported', { width: 2, rows: [row, [1, ...row.slice(1)]] }, 'filter 1'],
    ['with a filter that does not exist', { width: 2, rows: [[3, ...row.slice(1)], row] }, 'filter 3'],
  ] satisfies [string, Made, string][])('%s', (_, made, message) => {
    expect(() => readPng(pngOf(made))).toThrow(message);
  });

  it('without its header', () => {
    expect(() => readPng(Buffer.alloc(8))).toThrow('it is not a square');
  });
});
