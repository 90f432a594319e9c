import { inflateSync } from 'node:zlib';
import type { Font } from 'fontkit';
import { readInstalled } from '#files/durable/installed-file';
import { charactersFor } from './missing-glyphs.ts';
import { fontkit } from './pdfkit.ts';

/** Subsets of Noto and M PLUS fonts (SIL Open Font License), in search order. */
const SUBSETS = [
  ...['latin', 'latin-ext', 'cyrillic', 'greek', 'vietnamese', 'cyrillic-ext', 'greek-ext'],
  ...['devanagari', 'arabic', 'japanese'],
];

const FAMILIES: Readonly<Record<string, string>> = { arabic: 'noto-sans-arabic', japanese: 'm-plus-1p' };

export type Weight = 400 | 600;

/** Subsets that are loaded in regular weight even for semibold text, to save 1 MB. */
const REGULAR_ONLY: ReadonlySet<string> = new Set(['arabic', 'devanagari', 'japanese']);

export interface CaptionFont {
  name: string;
  bytes: Buffer;
  isTooLight: boolean;
  has(character: string): boolean;
}

/** Loads the fonts with characters of `texts` or equivalents. Throws LocalError if a file is missing. */
export async function loadFonts(texts: readonly string[], weight: Weight = 400): Promise<CaptionFont[]> {
  const missing = charactersFor(texts);
  const fonts: CaptionFont[] = [];
  for (const subset of SUBSETS) {
    // Always loads the first font, for the ellipsis.
    if (fonts.length > 0 && missing.size === 0) break;
    const font = await loadFont(subset, weight);
    const before = missing.size;
    for (const character of missing) if (font.has(character)) missing.delete(character);
    if (fonts.length === 0 || missing.size < before) fonts.push(font);
  }
  return fonts;
}

async function loadFont(subset: string, weight: Weight): Promise<CaptionFont> {
  const family = FAMILIES[subset] ?? 'noto-sans';
  const isTooLight = weight > 400 && REGULAR_ONLY.has(subset);
  const file = `${family}-${subset}-${isTooLight ? 400 : weight}-normal.woff`;
  const bytes = readWoff(await readInstalled(`dist/fonts/${file}`, `@fontsource/${family}/files/${file}`));
  const font = fontkit.create(bytes) as Font;
  const has = (character: string) => font.hasGlyphForCodePoint(character.codePointAt(0) ?? 0);
  return { name: `${family}-${subset}-${weight}`, bytes, isTooLight, has };
}

const HEADER = 44;
const ENTRY = 20;

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
  return {
    tag: woff.toString('latin1', at, at + 4),
    checksum: woff.readUInt32BE(at + 16),
    bytes: stored < length ? inflateSync(bytes) : bytes,
  };
}
