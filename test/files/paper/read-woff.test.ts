/** Fonts unpacked from WOFF, as OpenType 1.9.1 ("otff") has them. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readWoff } from '#files/paper/caption-fonts';

const readFont = (name: string) => readWoff(readFileSync(`node_modules/@fontsource/${name}.woff`));

/** The tables of a font in the order of its directory; `sum`: the checksum that their bytes have. */
function readTables(font: Buffer) {
  return Array.from({ length: font.readUInt16BE(4) }, (_, index) => {
    const [checksum = 0, start = 0, length = 0] = [4, 8, 12].map((at) =>
      font.readUInt32BE(12 + 16 * index + at),
    );
    const padded = Buffer.alloc(4 * Math.ceil(length / 4));
    font.copy(padded, 0, start, start + length);
    let sum = 0;
    for (let at = 0; at < padded.length; at += 4) sum = (sum + padded.readUInt32BE(at)) % 2 ** 32;
    return {
      tag: font.toString('latin1', 12 + 16 * index, 16 + 16 * index),
      checksum,
      sum,
      start,
      end: start + padded.length,
    };
  });
}

describe.each([
  'noto-sans/files/noto-sans-cyrillic-400-normal',
  'noto-sans-arabic/files/noto-sans-arabic-arabic-400-normal',
])('the font %s, unpacked', (name) => {
  it('has correct checksums for all tables except `head`', () => {
    // That of `head` contains the checksum of the packed file.
    const tables = readTables(readFont(name)).filter(({ tag }) => tag !== 'head');
    expect(tables.map(({ tag }) => tag)).toEqual(
      expect.arrayContaining(['GSUB', 'cmap', 'glyf', 'hmtx', 'loca']),
    );
    expect(tables.map(({ sum }) => sum)).toEqual(tables.map(({ checksum }) => checksum));
  });

  it('has tables without a gap, each at a multiple of four bytes', () => {
    const font = readFont(name);
    const tables = readTables(font);
    const starts = [...tables.map(({ start }) => start), font.length];
    expect(starts).toEqual([12 + 16 * tables.length, ...tables.map(({ end }) => end)]);
    expect(starts.filter((start) => start % 4 !== 0)).toEqual([]);
  });

  it('has correct header fields for a binary search of its tables', () => {
    const font = readFont(name);
    const [count = 0, range, selector = 0, shift] = [4, 6, 8, 10].map((at) => font.readUInt16BE(at));
    const power = 2 ** selector;
    expect(power <= count && count < 2 * power).toBe(true);
    expect([range, shift]).toEqual([16 * power, 16 * (count - power)]);
  });
});

it('a font has each table at a multiple of four bytes, whatever the lengths of the tables', () => {
  const tables = ['a', 'bb', 'ccc', 'dddd', 'e'];
  const woff = Buffer.alloc(44 + 20 * tables.length, 0);
  woff.write('wOFF', 'latin1');
  woff.writeUInt16BE(tables.length, 12);
  let start = woff.length;
  for (const [at, text] of tables.entries()) {
    woff.write(`tab${at}`, 44 + 20 * at, 'latin1');
    for (const [index, value] of [start, text.length, text.length, at].entries())
      woff.writeUInt32BE(value, 48 + 20 * at + 4 * index);
    start += text.length;
  }
  const font = readWoff(Buffer.concat([woff, Buffer.from(tables.join(''))]));
  expect(font.toString('latin1', 12 + 16 * tables.length)).toBe('a\0\0\0bb\0\0ccc\0dddde\0\0\0');
  expect(readTables(font).map(({ tag, checksum, start }) => [tag, checksum, start - 92])).toEqual([
    ['tab0', 0, 0],
    ['tab1', 1, 4],
    ['tab2', 2, 8],
    ['tab3', 3, 12],
    ['tab4', 4, 16],
  ]);
});

it('a file that is not WOFF is refused', () => {
  expect(() => readWoff(Buffer.from('OTTO0000'))).toThrow('it is not WOFF');
});
