/** JSON whose integers keep their digits. */

/**
 * Parses JSON as JSON.parse does, except that integers beyond 2^53 become bigint. A `__proto__` key becomes an ordinary
 * own property. Throws SyntaxError (or RangeError for absurd nesting).
 */
export async function parseJson(text: string): Promise<unknown> {
  if (!hasLongInteger(text)) return JSON.parse(text);
  const { parse } = await import('lossless-json');
  return parse(text, undefined, { parseNumber, onDuplicateKey: ({ newValue }) => newValue });
}

/** Whether a value that was JSON is an object: no array, no null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseNumber(digits: string): number | bigint {
  const value = Number(digits);
  return Number.isSafeInteger(value) || !/^-?\d+$/.test(digits) ? value : BigInt(digits);
}

/** Only a number of this many digits can pass 2^53. */
const LONG = 16;

/** Whether there is a long integer. A run of so many digits covers one of the places looked at, so most of the text is never read. */
function hasLongInteger(text: string): boolean {
  for (let at = LONG - 1; at < text.length; at += LONG) {
    if (!isDigit(text, at)) continue;
    let start = at;
    while (isDigit(text, start - 1)) start--;
    while (isDigit(text, at)) at++;
    // Within a string it would cost time, never exactness.
    if (at - start >= LONG && beginsValue(text, start)) return true;
  }
  return false;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}

function beginsValue(text: string, start: number): boolean {
  let before = text.charAt(start - 1) === '-' ? start - 2 : start - 1;
  while (/\s/.test(text.charAt(before))) before--;
  return /[:,[]/.test(text.charAt(before));
}
