/**
 * Replaces characters with visible escapes (`\n`, `\x1b`, `\u{202e}`) if they could move the cursor, forge a
 * line, hide text, or change its direction.
 */
import { isCommon } from './common-letters.ts';

const NOT_PLAIN = /[^\x20-\x7e]/;
/** Matches control and non-ASCII characters, with the ASCII character before: it may be a keycap digit. */
const PARTS = /[\x20-\x7e]?[^\x20-\x7e]+/g;

const NAMED: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

export function clean(text: string): string {
  if (!NOT_PLAIN.test(text) || isCommon(text)) return text;
  return replaceSuspects(text, escapeUnlessEmoji).replace(piledMarks(), '');
}

/** T8: cleans lines. Indents all but the first, so that they don't look like messages from qrctl. */
export function cleanLines(text: string): string {
  return text.trimEnd().split(/\r?\n/).map(clean).join('\n  ');
}

export function cleanCsv(text: string): string {
  if (!/[^\n\x20-\x7e]/.test(text)) return text;
  return text.replace(/(?:[^\r\n]|\r(?!\n|$))+/g, clean);
}

/** T9: replaces unsafe characters with JSON escapes, which parsers read as the same values. */
export function cleanJson(text: string): string {
  if (!/[^\n\x20-\x7e]/.test(text)) return text;
  const escapeUnsafe = (found: string) => (found === '\n' || isEmoji(found) ? found : escapeUnits(found));
  return replaceSuspects(text, escapeUnsafe).replace(piledMarks(), escapeUnits);
}

function replaceSuspects(text: string, escaped: (found: string, at: number) => string): string {
  suspect ??= new RegExp(SUSPECT, 'v');
  if (!suspect.test(text)) return text;
  suspectOrEmoji ??= new RegExp(SUSPECT_OR_EMOJI, 'gv');
  const each = suspectOrEmoji;
  return text.replace(PARTS, (part, start: number) =>
    part.replace(each, (found, at: number) => escaped(found, start + at)),
  );
}

/** Finds the first invisible character. Skips spaces, and joiners within emoji and words. */
export function findInvisible(text: string): { at: number; name: string } | undefined {
  if (!NOT_PLAIN.test(text) || isCommon(text)) return undefined;
  let first: { at: number; name: string } | undefined;
  replaceSuspects(text, (found, at) => {
    if (first === undefined && INVISIBLE.test(found) && !isJoiner(text, at))
      first = { at, name: nameOf(found) };
    return found;
  });
  return first;
}

const INVISIBLE = /^(?!\s)[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]$|^\ufeff$/u;

function isJoiner(text: string, at: number): boolean {
  return /^(?![\0-\u02ff])[\p{L}\p{M}][\u200c\u200d](?![\0-\u02ff])[\p{L}\p{M}]$/u.test(
    text.slice(Math.max(0, at - 1), at + 2),
  );
}

const NAMES: Readonly<Record<string, string>> = {
  AD: 'soft hyphen',
  '200B': 'zero-width space',
  '200C': 'zero-width non-joiner',
  '200D': 'zero-width joiner',
  '200E': 'left-to-right mark',
  '200F': 'right-to-left mark',
  '202E': 'right-to-left override',
  '2060': 'word joiner',
  FEFF: 'byte order mark',
};

function nameOf(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
  const name = NAMES[code];
  return `U+${code.padStart(4, '0')}${name === undefined ? '' : ` (${name})`}`;
}

export function escapeUnits(text: string): string {
  let escapes = '';
  for (let at = 0; at < text.length; at++)
    escapes += `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`;
  return escapes;
}

/**
 * Matches unsafe characters. T5: controls, format characters, line separators, lone surrogates, and other
 * characters without a glyph. T7: enclosing marks except the keycap. U+2800 is a blank Braille pattern.
 */
const SUSPECT = String.raw`[[\p{Me}--\u20e3]\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800]`;
let suspect: RegExp | undefined;

/**
 * T6: matches emoji before unsafe characters, because emoji contain joiners, variation selectors and tags.
 * Compiled on first use, because Node takes 13 ms to read the table of emoji.
 */
const SUSPECT_OR_EMOJI = String.raw`\p{RGI_Emoji}[\ufe0e\ufe0f]?|\p{Emoji}[\ufe0e\ufe0f]|${SUSPECT}`;
let suspectOrEmoji: RegExp | undefined;

/** T7: matches the fifth and later combining marks on a letter, because no script needs more than four. */
function piledMarks(): RegExp {
  return /(?<=\p{M}{4})\p{M}/gu;
}

function isEmoji(found: string): boolean {
  return /\p{Emoji}/u.test(found);
}

function escapeUnlessEmoji(found: string): string {
  if (isEmoji(found)) return found;
  const code = found.codePointAt(0) ?? 0;
  if (code > 0x9f) return `\\u{${code.toString(16).padStart(4, '0')}}`;
  return NAMED[found] ?? `\\x${code.toString(16).padStart(2, '0')}`;
}

/** Returns the same text for row keys or slugs that differ only in case, spaces or invisible characters. */
export function foldKey(key: string): string {
  return key
    .normalize('NFC')
    .toLowerCase()
    .replace(/[\s\p{Default_Ignorable_Code_Point}]/gu, '');
}
