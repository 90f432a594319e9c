import { DAY_MS, formatInstant } from '#base/time/time';
import { EPOCH_DAY } from './parts.ts';

export interface NumberFormat {
  id: number;
  code: string;
  isDate: boolean;
}

export const LONGEST_CODE = 255;

const isDateId = (id: number) =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58);

/** Parses a number format. Callers limit `code` to LONGEST_CODE, because time is quadratic in its length. */
export function createFormat(id: number, code: string): NumberFormat {
  const bare = code.replace(/"[^"]*"|\\.|\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi, '');
  return { id, code, isDate: isDateId(id) || (!/general/i.test(bare) && /[ymdhs]/i.test(bare)) };
}

const FIRST_CUSTOM = 164;

/** Maximum (exclusive) of integers that Excel shows exactly. */
const EXACT = 1e15;

/** Returns a whole number or percentage as Excel shows it; undefined for other numbers and formats. */
export function seenNumber(value: number, { id, code }: NumberFormat): string | undefined {
  const isPercent = id === 9 || code === '0%';
  const shown = isPercent ? Math.round(value * 1e13) / 1e11 : value;
  if (!Number.isInteger(shown) || Math.abs(shown) >= EXACT) return undefined;
  if (isPercent) return `${shown}%`;
  if (/^0{2,}$/.test(code) && shown >= 0) return `${shown}`.padStart(code.length, '0');
  const isPlain = id < FIRST_CUSTOM ? [0, 1, 49].includes(id) : /^(general|0|@)$/i.test(code);
  return isPlain ? `${shown}` : undefined;
}

const EPOCH_DAY_FROM_1904 = 24_107;

/** Formats a date, with the time if it isn't midnight or if `withTime`; undefined if out of range. */
export function dateText(serial: number, from1904: boolean, withTime = false): string | undefined {
  const days = serial - (from1904 ? EPOCH_DAY_FROM_1904 : EPOCH_DAY);
  const ms = Math.round((days * DAY_MS) / 1000) * 1000;
  if (!(Math.abs(ms) < 8.64e15)) return undefined;
  const text = formatInstant(ms).replace('T', ' ').replace(/\..*$/, '');
  return withTime ? text : text.replace(/ 00:00:00$/, '');
}
