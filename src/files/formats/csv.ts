/**
 * CSV: RFC 4180, with LF and commas by default. csv-stringify writes every cell that may need quotes. Plain cells bypass it: nearly all of
 * the millions in an export are plain, and its microseconds per cell would be most of an export's time.
 */
import { stringify } from 'csv-stringify/sync';
import { createByteBuffer } from '../../base/text/byte-buffer.ts';
import { defuse } from '../../base/text/defuse.ts';
import { createField, knownBytes } from './field-bytes.ts';
import { type Formatter, stateless } from './formatter.ts';
import { formatJson } from './json-lines.ts';
import type { Row } from './row-sink.ts';

export interface CsvOptions {
  header: boolean;
  rawCells: boolean;
  /** Byte order mark and CRLF, as Excel likes it; the same as `bom` and `lineEnd`, where those are absent. */
  excel: boolean;
  /** Between cells; a comma when absent. */
  delimiter?: string | undefined;
  bom?: boolean;
  lineEnd?: '\n' | '\r\n';
}

/** T2: a cell with none of these means itself; the others csv-stringify puts in quotes. */
const WANTS_QUOTES = /[",\n\r]/;
/** T4, T11: the same, and the characters at which some programs split in addition to commas. */
const SPLIT_BY_SOME = /[",;\t\n\r]/;
/**
 * One of them, or a bar, at which some split, too (T13), or a beginning that may want defusing. Most cells have neither, and one look at them has to do: letters of Latin, Greek,
 * Cyrillic, Hebrew, Arabic, Japanese, Chinese and Korean, and the first halves of emoji, U+1F000 to U+1FBFF. Whatever else is looked at
 * by the properties of Unicode.
 */
const WANTS_CARE =
  /[",\n\r;\t|]|^[^!-&(-*./-<>?A-~\u00a1-\u00ac\u00ae-\u02ff\u0370-\u05ff\u0620-\u06dc\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3\ud83c-\ud83e]/;

/** A formatter of CSV with these columns. Rows may have other keys too; a missing one is an empty cell. */
export function createCsvFormatter(names: readonly string[], options: CsvOptions): Formatter {
  const { header, rawCells, excel, delimiter = ',', bom = excel, lineEnd = excel ? '\r\n' : '\n' } = options;
  // In quotes wherever any separator is.
  const cell = rawCells ? rawCellBy(delimiter) : (value: unknown) => defusedCell(value, delimiter);
  // T3: readers skip an empty line, and a row would be lost.
  const encode = names.length === 1 ? (value: unknown) => cell(value) || stringify([['']], LONE_EMPTY) : cell;
  const fields = names.map((name, index) => ({ name, ...createField(index === 0 ? '' : delimiter) }));
  const buffer = createByteBuffer();

  function addLine(row: Row): void {
    for (const field of fields) {
      const value = row[field.name];
      const bytes = knownBytes(field, value, encode);
      buffer.add(bytes ?? field.opening);
      if (!bytes) buffer.addText(encode(value));
    }
    buffer.addText(lineEnd);
  }

  return {
    begin() {
      return (bom ? '\ufeff' : '') + (header ? names.map(encode).join(delimiter) + lineEnd : '');
    },
    rows: (rows) => buffer.collect(() => rows.forEach(addLine)),
    end: () => '',
    checkpoint: stateless,
  };
}

/** One cell, without a line end behind it. */
const QUOTED = { eof: false, quoted: true };
const LONE_EMPTY = { eof: false, quoted_empty: true };

/** Cell by RFC 4180 only; with another separator, in quotes also for programs that split at commas. */
function rawCellBy(delimiter: string): (value: unknown) => string {
  const wantsQuotes = delimiter === ',' ? WANTS_QUOTES : SPLIT_BY_SOME;
  return (value) => {
    const text = textOf(value);
    return wantsQuotes.test(text) || text.includes(delimiter) ? stringify([[text]], QUOTED) : text;
  };
}

/** As a raw cell, but a text that a spreadsheet would take for a formula, as a whole or cut at another separator, is defused (see defuse.ts). */
export function defusedCell(value: unknown, delimiter = ','): string {
  if (typeof value === 'string' && !WANTS_CARE.test(value)) return value;
  // A number is not a formula, even a negative one.
  const mayBegin = typeof value === 'string' || (typeof value === 'object' && value !== null);
  const text = mayBegin ? defuse(textOf(value), delimiter) : textOf(value);
  return SPLIT_BY_SOME.test(text) ? stringify([[text]], QUOTED) : text;
}

/** A text as it is; numbers with all their digits, nothing for null, else its JSON. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return `${value}`;
  return value === null || value === undefined ? '' : formatJson(value);
}
