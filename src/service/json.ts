/** Parses JSON and keeps every digit of its integers. */
import { BACKSLASH, COMMA, QUOTE } from '../text/ascii.ts';

/** JSON that costs more memory or time than any valid response. Its message follows "the response ". */
export class ExcessiveJsonError extends SyntaxError {}

/** Below this nothing in a text costs much. */
const SMALL = 1024 * 1024;
/** The parser that keeps digits takes a second for as much. */
const LARGEST_WITH_LONG_INTEGERS = 4 * SMALL;
/**
 * Values in one text: many times those of the largest page. An array or object counts as four, and a text or the name of a member as two
 * more, because they take as much memory: a name that no other object has takes the most.
 */
const MOST_VALUES = 4_000_000;
/** No id has more digits, and a number of millions of them takes minutes to read. */
export const MOST_DIGITS = 100;

/** Parses untrusted JSON as `parseJson`, with bounds on memory and time that are checked first. Throws ExcessiveJsonError, too. */
export async function parseAnswer(text: string): Promise<unknown> {
  if (text.length > SMALL && countValues(text) > MOST_VALUES) throw new ExcessiveJsonError('has too many values');
  if (text.length > LARGEST_WITH_LONG_INTEGERS && hasLongInteger(text))
    throw new ExcessiveJsonError(`is larger than ${LARGEST_WITH_LONG_INTEGERS / SMALL} MiB and has integers beyond 2^53`);
  return parseJson(text);
}

/**
 * Parses JSON as JSON.parse does, except that integers beyond 2^53 become bigint. A `__proto__` key becomes an ordinary
 * own property. Throws SyntaxError, or ExcessiveJsonError for absurd nesting and numbers without end.
 */
export async function parseJson(text: string): Promise<unknown> {
  if (!hasLongInteger(text)) return JSON.parse(text);
  const { parse } = await import('lossless-json');
  try {
    return parse(text, undefined, { parseNumber, onDuplicateKey: ({ newValue }) => newValue });
  } catch (error) {
    // Recursive for nested values.
    throw error instanceof RangeError ? new ExcessiveJsonError('is nested too deeply', { cause: error }) : error;
  }
}

/** How many values there are, in one pass. */
function countValues(text: string): number {
  let count = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === BACKSLASH) at += 1;
    else if (unit === QUOTE) {
      inString = !inString;
      if (inString) count += 2;
    } else if (!inString && unit === COMMA) count += 1;
    else if (!inString && unit === COLON) count += 2;
    else if (!inString && (unit === BRACE || unit === BRACKET)) count += 4;
  }
  return count;
}

const COLON = 0x3a;
const BRACKET = 0x5b;
const BRACE = 0x7b;

/** Returns whether a JSON value is an object, not an array or null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseNumber(digits: string): number | bigint {
  if (digits.length > MOST_DIGITS) throw new ExcessiveJsonError(`contains a number with more than ${MOST_DIGITS} digits`);
  const value = Number(digits);
  return Number.isSafeInteger(value) || !/^-?\d+$/.test(digits) ? value : BigInt(digits);
}

/** Only a number of this many digits can pass 2^53. */
const LONG = 16;

/** Returns whether there is a long integer. A run of so many digits covers one of the places looked at, so most of the text is never read. */
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

/** Returns whether the character at a place is a digit of JSON. */
export function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}

function beginsValue(text: string, start: number): boolean {
  let before = text.charAt(start - 1) === '-' ? start - 2 : start - 1;
  while (/\s/.test(text.charAt(before))) before--;
  return /[:,[]/.test(text.charAt(before));
}
