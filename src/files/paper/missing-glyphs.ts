export interface Typeset {
  text: string;
  lost: 'nothing' | 'symbols' | 'words';
}

const EQUIVALENTS: readonly (readonly [text: string, characters: string])[] = [
  ['\u2009', '\u202f'],
  ['\u00a0', '\u2007'],
  [' ', '\u1680\u2000\u2001\u2003\u2004\u2005\u2006\u2008\u200a\u205f'],
  ['-', '‐‑⁃'],
  ['–', '‒↔⇔'],
  ['—', '―⸺⸻'],
  ['‘', '‛'],
  ['“', '‟〝'],
  ['”', '〞〟'],
  ['•', '‣●▪■◦∙'],
  ['›', '→➔➜⇒►▶'],
  ['‹', '←⇐◄◀'],
  ['×', '✕✖✗✘'],
  ['*', '★☆✦✱※'],
  ['††', '‡'],
  ['0/00', '‰'],
  ['', '\u20e3'],
  ['<=', '≤'],
  ['>=', '≥'],
  ['~', '≈'],
];

const EQUIVALENT: ReadonlyMap<string, string> = new Map(
  EQUIVALENTS.flatMap(([text, characters]) => [...characters].map((character) => [character, text])),
);

const ELLIPSIS = '…';
const FIRST_OF_FLAG = 0x1f1e6;

export function charactersFor(texts: readonly string[]): Set<string> {
  const own = [...new Set(texts.join(''))];
  return new Set(own.flatMap((one) => [...(EQUIVALENT.has(one) ? [] : [one]), ...equivalentOf(one)]));
}

function equivalentOf(character: string): string {
  const known = EQUIVALENT.get(character);
  if (known !== undefined) return known;
  const isOfFlag = /\p{Regional_Indicator}/u.test(character);
  return isOfFlag
    ? String.fromCharCode((character.codePointAt(0) ?? 0) - FIRST_OF_FLAG + 'A'.charCodeAt(0))
    : character.normalize('NFKC');
}

/** I9: replaces characters that no font has. Without an equivalent, omits symbols, and marks lost letters. */
export function typeset(given: string, fonts: readonly { has(character: string): boolean }[]): Typeset {
  const has = (text: string) => [...text].every((character) => fonts.some((font) => font.has(character)));
  if (has(given)) return { text: given, lost: 'nothing' };
  let text = '';
  let lost: Typeset['lost'] = 'nothing';
  let isAfterGap = false;
  for (const character of given) {
    const shown = has(character) ? character : equivalentOf(character);
    const isInvisible = /\p{Default_Ignorable_Code_Point}/u.test(character);
    // Also skips the joiners and selectors of an omitted emoji.
    if (isInvisible && (isAfterGap || !has(shown))) continue;
    if (has(shown)) {
      if (isAfterGap && /^[\s\p{Pe}\p{Pf},.;:!?]/u.test(shown)) text = text.trimEnd();
      if (!isAfterGap || text !== '' || shown.trim() !== '') text += shown;
      isAfterGap = false;
    } else if (/[\p{L}\p{N}]/u.test(character)) {
      if (!text.endsWith(ELLIPSIS)) text += ELLIPSIS;
      lost = 'words';
    } else {
      isAfterGap ||= !/\p{M}/u.test(character);
      if (lost === 'nothing') lost = 'symbols';
    }
  }
  if (isAfterGap) text = text.trimEnd();
  return text === '' && lost !== 'nothing' ? { text: ELLIPSIS, lost: 'words' } : { text, lost };
}
