/** JSON whose integers keep their digits. */

/** A number token of 16 digits or more: only these can pass 2^53. In a string it costs time, never exactness. */
const LONG_INTEGER = /[:,[]\s*-?\d{16}/;

/**
 * Parses JSON as JSON.parse does, except that integers beyond 2^53 become bigint. A `__proto__` key becomes an ordinary
 * own property. Throws SyntaxError (or RangeError for absurd nesting).
 */
export async function parseJson(text: string): Promise<unknown> {
  if (!LONG_INTEGER.test(text)) return JSON.parse(text);
  const { parse } = await import('lossless-json');
  return parse(text, undefined, { parseNumber, onDuplicateKey: ({ newValue }) => newValue });
}

function parseNumber(digits: string): number | bigint {
  const value = Number(digits);
  return Number.isSafeInteger(value) || !/^-?\d+$/.test(digits) ? value : BigInt(digits);
}
