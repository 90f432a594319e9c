/** Unpacks fonts from WOFF 1.0 (W3C). fontkit inflates a table whenever it looks a glyph up, which takes a minute for a page of Japanese. */
import { inflateSync } from 'node:zlib';

const HEADER = 44;
const ENTRY = 20;

/** Returns the font as OpenType. Throws Error if the bytes are not WOFF. */
export function readWoff(woff: Buffer): Buffer {
  if (woff.toString('latin1', 0, 4) !== 'wOFF') throw new Error('it is not WOFF');
  const count = woff.readUInt16BE(12);
  const tables = Array.from({ length: count }, (_, index) => readTable(woff, HEADER + index * ENTRY));
  const directory = Buffer.alloc(12 + 16 * count);
  woff.copy(directory, 0, 4, 8);
  directory.writeUInt16BE(count, 4);
  const power = 2 ** Math.floor(Math.log2(count));
  directory.writeUInt16BE(power * 16, 6);
  directory.writeUInt16BE(Math.log2(power), 8);
  directory.writeUInt16BE((count - power) * 16, 10);
  const parts: Buffer[] = [directory];
  let offset = directory.length;
  for (const [index, { tag, checksum, bytes }] of tables.entries()) {
    const at = 12 + 16 * index;
    directory.write(tag, at, 'latin1');
    directory.writeUInt32BE(checksum, at + 4);
    directory.writeUInt32BE(offset, at + 8);
    directory.writeUInt32BE(bytes.length, at + 12);
    // Each table begins at a multiple of four.
    const padding = Buffer.alloc((4 - (bytes.length % 4)) % 4);
    parts.push(bytes, padding);
    offset += bytes.length + padding.length;
  }
  return Buffer.concat(parts);
}

function readTable(woff: Buffer, at: number): { tag: string; checksum: number; bytes: Buffer } {
  const start = woff.readUInt32BE(at + 4);
  const stored = woff.readUInt32BE(at + 8);
  const length = woff.readUInt32BE(at + 12);
  const bytes = woff.subarray(start, start + stored);
  // A table that does not become smaller is stored as it is.
  return {
    tag: woff.toString('latin1', at, at + 4),
    checksum: woff.readUInt32BE(at + 16),
    bytes: stored < length ? inflateSync(bytes) : bytes,
  };
}
