/** Excerpts text from responses for messages: short, cleaned, and without the key. */

const LONGEST_EXCERPT = 120;
/** Enough to find 120 characters of words in an HTML page, and little enough to search at once. */
const SEARCHED = 20_000;
/** The key is looked for beyond that, so that none is cut in two and its first half shown. */
const REDACTED = 2 * SEARCHED;

/** Takes the key out of a text that may repeat it. */
export type Redact = (text: string) => string;

/**
 * This many consecutive characters of the key are no coincidence: they are redacted, so that no half of it is shown. A shorter key must
 * match completely.
 */
const PIECE = 12;

/**
 * Redacts the key and pieces of it, also in other case, percent-encoded, or with blanks or control characters inserted. In a text too long
 * for a message, redacts only the whole key.
 */
export function createRedact(apiKey: string): Redact {
  if (apiKey === '') return (text) => text;
  let pieces: ReadonlySet<string> | undefined;
  return (text) => {
    if (text.length > REDACTED) return withoutKey(text, apiKey);
    // Made only when a text needs it: few commands do.
    pieces ??= piecesOf(apiKey);
    return withoutPieces(text, pieces);
  };
}

/** Redacts only the whole key, in data that is otherwise shown unchanged. */
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

/** In time linear in the text: each place is looked up once. */
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

/**
 * A text in lower case, percent-decoded, without blanks and control characters, unit by unit, with the range of each unit in the original.
 */
function* units(text: string): Generator<{ unit: string; start: number; end: number }> {
  for (const { 0: found, 1: code, index: start } of text.matchAll(/%([0-9a-f]{2})|[^\p{Cc}\p{Z}]/giu)) {
    const character = code === undefined ? found : String.fromCharCode(Number.parseInt(code, 16));
    if (code !== undefined && /[\p{Cc}\p{Z}]/u.test(character)) continue;
    for (const unit of character.toLowerCase())
      yield { unit: unit.charAt(0), start, end: start + found.length };
  }
}

/** Returns the words of a response that is not JSON: without tags and control characters, blanks collapsed, at most 120 characters. */
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

/**
 * Formats a text of the service as one short line: the message in an Error body, a Location. Removes invisible characters (bidi marks,
 * zero width) and lone surrogates; collapses control characters, line ends and blanks into one blank.
 */
export function oneLine(text: string, redact: Redact): string {
  const visible = redact(text.slice(0, REDACTED).replace(/[\p{Cf}\p{Cs}]+/gu, '')).slice(0, SEARCHED);
  const clean = visible.replace(/[\p{Cc}\p{Z}]+/gu, ' ').trim();
  const characters = [...clean.slice(0, 2 * LONGEST_EXCERPT)];
  return characters.length <= LONGEST_EXCERPT
    ? clean
    : `${characters.slice(0, LONGEST_EXCERPT - 1).join('')}…`;
}
