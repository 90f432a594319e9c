const MAX_EXCERPT = 120;
const SEARCHED = 20_000;
/** Maximum number of characters to redact by pieces. Exceeds SEARCHED, because a key may cross its end. */
const REDACTED = 2 * SEARCHED;

export type Redact = (text: string) => string;

const PIECE = 12;

/**
 * Creates a function that redacts the key, or PIECE or more consecutive characters of it, in any case,
 * percent-encoded, or with spaces. In texts longer than REDACTED, it redacts only the exact key.
 */
export function createRedact(apiKey: string): Redact {
  if (apiKey === '') return (text) => text;
  let pieces: ReadonlySet<string> | undefined;
  return (text) => {
    if (text.length > REDACTED) return withoutKey(text, apiKey);
    pieces ??= piecesOf(apiKey);
    return withoutPieces(text, pieces);
  };
}

/** Replaces only the whole key, in data that must otherwise be exact. */
export function withoutKey(text: string, apiKey: string): string {
  return apiKey === '' ? text : text.replaceAll(apiKey, '[key]');
}

function piecesOf(apiKey: string): ReadonlySet<string> {
  const folded = [...units(apiKey)].map(({ unit }) => unit).join('');
  const length = Math.min(PIECE, folded.length);
  return new Set(
    Array.from({ length: folded.length - length + 1 }, (_, at) => folded.slice(at, at + length)),
  );
}

function withoutPieces(text: string, pieces: ReadonlySet<string>): string {
  const [{ length } = ''] = pieces;
  let redacted = '';
  let done = 0;
  let window = '';
  const starts: number[] = [];
  for (const { unit, start, end } of units(text)) {
    window = (window + unit).slice(-length);
    starts.push(start);
    if (!pieces.has(window)) continue;
    const from = starts[starts.length - length] ?? 0;
    if (from >= done) redacted += `${text.slice(done, from)}[key]`;
    done = Math.max(done, end);
  }
  return redacted + text.slice(done);
}

function* units(text: string): Generator<{ unit: string; start: number; end: number }> {
  for (const { 0: found, 1: code, index: start } of text.matchAll(/%([0-9a-f]{2})|[^\p{Cc}\p{Z}]/giu)) {
    const character = code === undefined ? found : String.fromCharCode(Number.parseInt(code, 16));
    if (code !== undefined && /[\p{Cc}\p{Z}]/u.test(character)) continue;
    for (const unit of character.toLowerCase())
      yield { unit: unit.charAt(0), start, end: start + found.length };
  }
}

export function excerpt(text: string, redact: Redact): string {
  const words = redact(text.slice(0, REDACTED))
    .slice(0, SEARCHED)
    .replace(
      /<(script|style|head)\b[\s\S]*?(<\/\1\s*>|$)/gi,
      (head) => /<title[^<>]*>([^<]*)/i.exec(head)?.[1] ?? ' ',
    )
    .replace(/<!--[\s\S]*?(-->|$)/g, ' ')
    .replace(/<[a-z/!?][^>]*(>|$)/gi, ' ');
  return oneLine(words, redact);
}

/** Returns redacted text on one line, truncated and without invisible characters. */
export function oneLine(text: string, redact: Redact): string {
  const visible = redact(text.slice(0, REDACTED).replace(/[\p{Cf}\p{Cs}]+/gu, '')).slice(0, SEARCHED);
  const clean = visible.replace(/[\p{Cc}\p{Z}]+/gu, ' ').trim();
  const characters = [...clean.slice(0, 2 * (MAX_EXCERPT + 1))];
  return characters.length <= MAX_EXCERPT ? clean : `${characters.slice(0, MAX_EXCERPT - 1).join('')}…`;
}
