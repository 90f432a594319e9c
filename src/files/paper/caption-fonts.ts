/** Fonts of PDFs, and the characters that each has: Noto (SIL Open Font License). A PDF embeds the glyphs that it uses. */
import type { Font } from 'fontkit';
import { readInstalled } from '../durable/installed-file.ts';
import { charactersFor } from './missing-glyphs.ts';
import { fontkit } from './pdfkit.ts';
import { readWoff } from './read-woff.ts';

/** Searched in this order. In the build, they are in fonts/ next to the program. */
const FONTS = [
  ['noto-sans', 'latin'],
  ['noto-sans', 'latin-ext'],
  ['noto-sans', 'cyrillic'],
  ['noto-sans', 'greek'],
  ['noto-sans', 'vietnamese'],
  ['noto-sans', 'cyrillic-ext'],
  ['noto-sans', 'greek-ext'],
  ['noto-sans', 'devanagari'],
  ['noto-sans-arabic', 'arabic'],
  ['noto-sans-jp', 'japanese'],
] as const;

/** Weights as in CSS: regular and semibold. */
export type Weight = 400 | 600;

/** Fonts without a semibold file: 1.4 MB for headings only. Their outlines are thickened instead. */
const REGULAR_ONLY: ReadonlySet<string> = new Set(['noto-sans-jp']);

export interface CaptionFont {
  readonly name: string;
  readonly bytes: Buffer;
  /** It is regular, although semibold was requested. */
  readonly isTooLight: boolean;
  has(character: string): boolean;
}

/** Loads the fonts that these texts require, or what takes the place of their characters. Throws LocalError if one is not installed. */
export async function loadFonts(texts: readonly string[], weight: Weight = 400): Promise<CaptionFont[]> {
  const missing = charactersFor(texts);
  const fonts: CaptionFont[] = [];
  for (const [family, subset] of FONTS) {
    // The ellipsis of texts that are cut is in the first.
    if (fonts.length > 0 && missing.size === 0) break;
    const font = await loadFont(family, subset, weight);
    const before = missing.size;
    for (const character of missing) if (font.has(character)) missing.delete(character);
    if (fonts.length === 0 || missing.size < before) fonts.push(font);
  }
  return fonts;
}

async function loadFont(family: string, subset: string, weight: Weight): Promise<CaptionFont> {
  const isTooLight = weight > 400 && REGULAR_ONLY.has(family);
  const file = `${family}-${subset}-${isTooLight ? 400 : weight}-normal.woff`;
  const bytes = readWoff(await readInstalled(`dist/fonts/${file}`, `@fontsource/${family}/files/${file}`));
  const font = fontkit.create(bytes) as Font;
  const has = (character: string) => font.hasGlyphForCodePoint(character.codePointAt(0) ?? 0);
  return { name: `${family}-${subset}-${weight}`, bytes, isTooLight, has };
}
