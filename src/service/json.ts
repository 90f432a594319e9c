import { checkBounds, ExcessiveJsonError, parseBounded } from '#base/text/bounded-json';

const LARGEST_WITH_LONG_INTEGERS = 4 * 1024 * 1024;
/** Maximum number of digits per number. Millions of digits would take minutes to parse. */
const MAX_DIGITS = 100;

/** Parses JSON, with integers beyond 2^53 as bigint, and `__proto__` as a plain key. Throws SyntaxError. */
export async function parseJson(text: string): Promise<unknown> {
  if (!hasLongInteger(text)) return parseBounded(text);
  if (text.length > LARGEST_WITH_LONG_INTEGERS)
    throw new ExcessiveJsonError(
      `is larger than ${LARGEST_WITH_LONG_INTEGERS / 2 ** 20} MiB and has integers beyond 2^53`,
    );
  checkBounds(text);
  const { parse } = await import('lossless-json');
  return parse(text, undefined, { parseNumber, onDuplicateKey: ({ newValue }) => newValue });
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseNumber(digits: string): number | bigint {
  if (digits.length > MAX_DIGITS)
    throw new ExcessiveJsonError(`contains a number with more than ${MAX_DIGITS} digits`);
  const value = Number(digits);
  return Number.isSafeInteger(value) || !/^-?\d+$/.test(digits) ? value : BigInt(digits);
}

const LONG = 16;
const LONG_INTEGER = /[:,[\s]-?\d{16}/;

/** Returns whether a text has an integer of 16 digits or more, by testing each 16th character. */
function hasLongInteger(text: string): boolean {
  for (let at = LONG - 1; at < text.length; at += LONG) {
    const code = text.charCodeAt(at);
    const isDigit = code >= 48 && code <= 57;
    if (isDigit && LONG_INTEGER.test(text.slice(Math.max(0, at - LONG - 1), at + LONG))) return true;
  }
  return false;
}
