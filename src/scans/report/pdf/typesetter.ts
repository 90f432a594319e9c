import { sum } from '#base/collections';
import { clean } from '#base/text/clean';
import { breakLines } from '#files/paper/break-lines';
import { loadFonts } from '#files/paper/caption-fonts';
import { type BaseDirection, type Piece, piecesOf } from '#files/paper/captions';
import { typeset } from '#files/paper/missing-glyphs';
import { widthOfPieces } from '#files/paper/pdf-text';
import type { Pdf } from './open-pdf.ts';
import type { TextStyle } from './palette.ts';

export interface Line {
  text: string;
  pieces: readonly Piece[];
  width: number;
  style: TextStyle;
  /** Space before the next text in the same element, for screen readers. */
  space?: Line;
}

interface Fit {
  style: TextStyle;
  width: number;
  most?: number;
  /** Whether the first letter decides the direction, as in names that users chose. */
  isName?: boolean;
}

export function followed(lines: readonly Line[], set: Typesetter): Line[] {
  return lines.map((line, at) =>
    at < lines.length - 1 ? line : { ...line, space: set.line(' ', line.style) },
  );
}

export function heightOf(lines: readonly Line[]): number {
  return sum(lines.map(({ style }) => style.leading));
}

export function widestOf(lines: readonly Line[]): number {
  return lines.reduce((widest, { width }) => Math.max(widest, width), 0);
}

export type Typesetter = Awaited<ReturnType<typeof createTypesetter>>;

const MOST_CHARACTERS = 2000;
const MOST_KNOWN = 20_000;
const LONGEST_KNOWN = 60;

interface Known {
  pieces: readonly Piece[];
  width: number;
}

/** Loads the fonts for `texts`. Throws LocalError if a font is not installed. */
export async function createTypesetter(document: Pdf, texts: readonly string[], base: 'ltr' | 'rtl') {
  const all = texts.map((text) => cleaned(text));
  const fonts = { 400: await loadFonts(all, 400), 600: await loadFonts(all, 600) };
  for (const { name, bytes } of [...fonts[400], ...fonts[600]]) document.registerFont(name, bytes);
  const known = new Map<string, Known>();
  const widths = new Map<string, number>();

  const widthOfPiece = (piece: Piece): number =>
    remembered(widths, `${piece.font.name} `, piece.text, () => {
      document.fontSize(MEASURED_SIZE);
      return widthOfPieces(document, [piece]) / MEASURED_SIZE;
    });

  const setText = (text: string, { weight }: TextStyle, direction: BaseDirection): Known =>
    remembered(known, `${weight}${direction}`, text, () => {
      const [font] = fonts[weight];
      const isPlain = direction !== 'rtl' && /^[\x20-\x7e]*$/.test(text);
      const pieces = isPlain && font ? [{ font, text }] : piecesOf(text, fonts[weight], direction);
      return { pieces, width: sum(pieces.map(widthOfPiece)) };
    });

  const writable = (text: string, { weight }: TextStyle): string =>
    typeset(cleaned(text), fonts[weight]).text;

  const lineOf = (text: string, style: TextStyle, direction: BaseDirection): Line => {
    const { pieces, width } = setText(text, style, direction);
    return { text, pieces, width: width * style.size, style };
  };

  return {
    isLossy: (text: string) => typeset(cleaned(text), fonts[400]).lost !== 'nothing',
    line: (text: string, style: TextStyle): Line => {
      const shown = writable(text, style);
      return lineOf(shown, style, directionOf(shown, 'auto'));
    },
    lines: (text: string, { style, width, most = Infinity, isName = false }: Fit): Line[] => {
      const shown = writable(text, style);
      const direction = directionOf(shown, isName ? 'auto' : base);
      const widthOf = (part: string) => setText(part, style, direction).width * style.size;
      let end = 0;
      return breakLines(shown, most, widthOf, width).map((part) => {
        end = shown.indexOf(part, end) + part.length;
        return {
          ...lineOf(part, style, direction),
          ...(shown[end] === ' ' && { space: lineOf(' ', style, 'ltr') }),
        };
      });
    },
  };
}

const MEASURED_SIZE = 100;

function remembered<T>(known: Map<string, T>, prefix: string, text: string, make: () => T): T {
  const key = prefix + text;
  const found = known.get(key);
  if (found !== undefined) return found;
  if (known.size >= MOST_KNOWN) known.clear();
  const made = make();
  if (text.length <= LONGEST_KNOWN) known.set(key, made);
  return made;
}

function cleaned(text: string): string {
  return clean(
    text.length > 2 * MOST_CHARACTERS ? [...text].slice(0, MOST_CHARACTERS).join('') : text,
  ).normalize('NFC');
}

/** Returns a text's direction: without letters, left to right, so that signs stay before numbers. */
function directionOf(text: string, ofLetters: BaseDirection): BaseDirection {
  return /\p{L}/u.test(text) ? ofLetters : 'ltr';
}
