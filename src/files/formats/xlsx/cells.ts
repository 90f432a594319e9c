/** Values as cells of a worksheet (ECMA-376 part 1, 18.3.1): text is text, whatever it looks like; nothing here can be a formula. */
import { UsageError } from '../../../base/errors.ts';
import { formatCount } from '../../../base/text/quote.ts';
import type { LocalTime } from '../../../base/time/local-time.ts';
import { parseInstant } from '../../../base/time/time.ts';
import { DAY_MS } from '../../../base/time/units.ts';
import { formatJson } from '../json-lines.ts';

/** Indices of the cell formats that parts.ts declares. */
export const STYLES = { header: 1, text: 2, time: 3, integer: 4, date: 5 } as const;

/** Excel's own bounds. */
const MOST_CHARACTERS = 32_767;
/** More digits a number of Excel's does not keep. */
const MOST_DIGITS = 15;

/** Characters that XML can hold without escaping, and that can't be read as an escape. */
const WANTS_CARE = /[&<>\0-\x1f\ud800-\udfff\ufffe\uffff]|_x/;

/** Returns a cell after its reference; empty for null. `isTime`: a text that may be a time becomes one, in `zone`. */
export function cellOf(value: unknown, isTime: boolean, zone: Pick<LocalTime, 'offsetMs'>): string {
  if (value === null || value === undefined) return '';
  if (isTime && typeof value === 'string') {
    const isDay = DAY.test(value);
    const serial = serialOf(isDay ? `${value} 00:00:00` : value, zone);
    if (serial !== undefined) return `" s="${isDay ? STYLES.date : STYLES.time}"><v>${serial}</v></c>`;
  }
  if (typeof value === 'boolean') return `" t="b"><v>${value ? 1 : 0}</v></c>`;
  if (typeof value === 'number' || typeof value === 'bigint') return numberCell(value);
  return textCell(typeof value === 'string' ? value : formatJson(value));
}

function numberCell(value: number | bigint): string {
  const text = `${value}`;
  if (/^-?\d+$/.test(text)) {
    const isExact = text.replace('-', '').length <= MOST_DIGITS;
    return isExact ? `" s="${STYLES.integer}"><v>${text}</v></c>` : textCell(text);
  }
  return Number.isFinite(value) ? `"><v>${text}</v></c>` : textCell(text);
}

/** Throws UsageError for a text that no cell holds: Excel would call the workbook damaged. */
export function textCell(text: string, style: number = STYLES.text): string {
  if (text.length > MOST_CHARACTERS) {
    const limit = formatCount(MOST_CHARACTERS);
    throw new UsageError(
      `cannot write a value with ${formatCount(text.length)} characters: a workbook cell holds at most ${limit}`,
      { hint: 'Write a .csv or .json file instead of .xlsx, or omit the column with --fields.' },
    );
  }
  return `" s="${style}" t="inlineStr"><is><t xml:space="preserve">${escapeText(text)}</t></is></c>`;
}

/**
 * Escapes characters that XML 1.0 cannot hold like Excel does (ST_Xstring, ECMA-376 part 1, 22.9.2.19): `_x000D_` is a return, and in a
 * text that looks like that, the first underscore is escaped. A lone surrogate becomes U+FFFD, as in UTF-8.
 */
export function escapeText(text: string): string {
  if (!WANTS_CARE.test(text)) return text;
  return text
    .toWellFormed()
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replace(
      /[\0-\x08\x0b-\x1f\ufffe\uffff]/g,
      (character) => `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    )
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

/** Of 1970-01-01. Before 1900-03-01 Excel counts a day that never was. */
export const EPOCH_DAY = 25_569;
const FIRST_DAY = 61;

/** `2026-10-01`, in no zone. */
const DAY = /^\d{4}-\d\d-\d\d$/;

/** `2026-10-01 01:08:15`: a time of the wall's already. */
const WALL = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;

/** Days since 1900 by local time, as Excel counts them; undefined if it is not a time. */
function serialOf(text: string, { offsetMs }: Pick<LocalTime, 'offsetMs'>): number | undefined {
  const ms = parseInstant(text);
  if (ms === undefined) return undefined;
  const wallMs = WALL.test(text) ? ms : ms + offsetMs(ms);
  const days = wallMs / DAY_MS + EPOCH_DAY;
  // With all its digits: a truncated number would appear as a second less.
  return days < FIRST_DAY ? undefined : days;
}
