import createBidi from 'bidi-js';
import type { CaptionFont } from './caption-fonts.ts';

export interface Piece {
  font: CaptionFont;
  text: string;
}

const MOST_CHARACTERS = 1000;
const MOST_UNITS = 4 * MOST_CHARACTERS;
const ELLIPSIS = '…';

/** I8: returns a name, truncated if necessary, as one line of visible characters. */
export function captionOf(name: string): string {
  const caption = onOneLine(name.slice(0, MOST_UNITS));
  const characters = [...caption];
  const isWhole = name.length <= MOST_UNITS && characters.length <= MOST_CHARACTERS;
  return isWhole || caption === ''
    ? caption
    : `${characters.slice(0, MOST_CHARACTERS).join('').trimEnd()}${ELLIPSIS}`;
}

function onOneLine(text: string): string {
  return (
    text
      .normalize('NFC')
      .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
      .replace(/[\p{Cf}\p{Surrogate}\p{Default_Ignorable_Code_Point}]/gu, '')
      // Removes marks beyond the fourth on a letter (T7), because they would overlap the code.
      .replace(/(?<=\p{M}{4})\p{M}/gu, '')
      .trim()
  );
}

const bidi = createBidi();

export type BaseDirection = 'ltr' | 'rtl' | 'auto';

/** Splits a text by font and direction, in visual order (UAX 9). Throws Error if no font has a character. */
export function piecesOf(text: string, fonts: readonly CaptionFont[], base: BaseDirection = 'auto'): Piece[] {
  const embedding = bidi.getEmbeddingLevels(text, base);
  const runAt: (Piece & { level: number })[] = [];
  let run: (typeof runAt)[number] | undefined;
  let at = 0;
  for (const character of text) {
    const level = embedding.levels[at] ?? 0;
    const font = run?.font.has(character) ? run.font : fonts.find((one) => one.has(character));
    if (!font) throw new Error('no font has a character of it');
    if (run?.font !== font || run.level !== level) run = { font, text: '', level };
    run.text += character;
    runAt[at] = run;
    at += character.length;
  }
  const ordered = new Set(bidi.getReorderedIndices(text, embedding).flatMap((index) => runAt[index] ?? []));
  return [...ordered].map(({ font, text, level }) => ({ font, text: asDrawn(text, level) }));
}

const DRAWN_TO_THE_LEFT = /\p{Script=Arabic}/u;

/** Mirrors the characters of right-to-left text (UAX 9, rule L4), and puts them in order for fontkit. */
function asDrawn(text: string, level: number): string {
  const isToTheLeft = level % 2 === 1;
  const characters = [...text].map((character) =>
    isToTheLeft ? (bidi.getMirroredCharacter(character) ?? character) : character,
  );
  // fontkit reverses only texts in Arabic script, including Persian digits, which run left to right.
  return (isToTheLeft === DRAWN_TO_THE_LEFT.test(text) ? characters : characters.reverse()).join('');
}
