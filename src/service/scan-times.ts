import { parseInstant, utcMs } from '#base/time/time';

const ZERO = 48;
const DASH = 45;
const COLON = 58;
const DOT = 46;
const T = 84;
const Z = 90;

/** Parses `YYYY-MM-DDTHH:MM:SS(.mmm)Z` ten times as fast as parseInstant, which parses all other forms. */
export function parseScanTime(text: string): number | undefined {
  const canonical = parseCanonical(text);
  return Number.isNaN(canonical) ? parseInstant(text) : canonical;
}

function parseCanonical(text: string): number {
  const { length } = text;
  if ((length !== 24 && length !== 20) || text.charCodeAt(length - 1) !== Z || text.charCodeAt(10) !== T)
    return Number.NaN;
  if (text.charCodeAt(4) !== DASH || text.charCodeAt(7) !== DASH) return Number.NaN;
  if (text.charCodeAt(13) !== COLON || text.charCodeAt(16) !== COLON) return Number.NaN;
  const month = two(text, 5);
  const day = two(text, 8);
  const hour = two(text, 11);
  const minute = two(text, 14);
  const second = two(text, 17);
  const ms = length === 20 ? 0 : millisecondsOf(text);
  const year = two(text, 0) * 100 + two(text, 2);
  if (!(year >= 100 && month >= 1 && month <= 12 && day >= 1 && day <= 31)) return Number.NaN;
  if (!(hour <= 23 && minute <= 59 && second <= 59)) return Number.NaN;
  return utcMs(year, month, day, hour, minute, second, ms);
}

function millisecondsOf(text: string): number {
  return text.charCodeAt(19) === DOT ? two(text, 20) * 10 + digit(text, 22) : Number.NaN;
}

function digit(text: string, at: number): number {
  const value = text.charCodeAt(at) - ZERO;
  return value >= 0 && value <= 9 ? value : Number.NaN;
}

function two(text: string, at: number): number {
  return digit(text, at) * 10 + digit(text, at + 1);
}
