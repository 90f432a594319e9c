/**
 * CSV: RFC 4180 with LF. csv-stringify writes the header and every cell that takes more than copying. Cells that are provably plain
 * pass it by: nearly all of the millions in an export are, and its microseconds a cell would be most of an export's time.
 */
import { stringify } from 'csv-stringify/sync';
import { createByteBuffer } from '../byte-buffer.ts';
import type { Row } from '../row-sink.ts';
import { createField, knownBytes } from './field-bytes.ts';
import { type Formatter, stateless } from './formatter.ts';
import { formatJson } from './json-lines.ts';

export interface CsvOptions {
  header: boolean;
  rawCells: boolean;
  excel: boolean;
}

/** T2: a cell with none of these means itself; the others csv-stringify puts in quotes. */
const WANTS_QUOTES = /[",\n\r]/;
/** T4: some spreadsheets split at these, too, and would find a formula in the middle of a bare cell. */
const SPLIT_BY_SOME = /[;\t]/;
/** One of both, or a beginning that may want defusing. Most cells have neither, and one look at them has to do. */
const WANTS_CARE = /[",\n\r;\t]|^[^!-*./-<>?A-~\u00a1-\u00ac\u00ae-\u02ff]/;

/** What spreadsheets begin a formula with, the full-width forms too. */
const FORMULA_SIGNS = '=+-@＝＋－＠';

/** A formatter of CSV with these columns. Rows may have other keys too; a missing one is an empty cell. */
export function createCsvFormatter(names: readonly string[], { header, rawCells, excel }: CsvOptions): Formatter {
  const lineEnd = excel ? '\r\n' : '\n';
  const cell = rawCells ? rawCell : defusedCell;
  // T3: readers skip an empty line, and a row would be lost.
  const encode = names.length === 1 ? (value: unknown) => cell(value) || stringify([['']], LONE_EMPTY) : cell;
  const fields = names.map((name, index) => ({ name, ...createField(index === 0 ? '' : ',') }));
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
      const first = header ? [rawCells ? names : names.map(defuse)] : [];
      return stringify(first, { ...(rawCells ? RAW : DEFUSED), eof: true, bom: excel, record_delimiter: lineEnd });
    },
    rows(rows) {
      for (const row of rows) addLine(row);
      return buffer.take();
    },
    end: () => '',
    checkpoint: stateless,
  };
}

/** One cell, without a line end behind it. */
const RAW = { eof: false };
const DEFUSED = { eof: false, quoted_match: SPLIT_BY_SOME };
const LONE_EMPTY = { eof: false, quoted_empty: true };

/** A cell as RFC 4180 has it, and nothing more. */
function rawCell(value: unknown): string {
  const text = typeof value === 'string' ? value : textOf(value);
  return WANTS_QUOTES.test(text) ? stringify([[text]], RAW) : text;
}

/** As `rawCell`, but a text that a spreadsheet would take for a formula gets a leading apostrophe. */
export function defusedCell(value: unknown): string {
  if (typeof value === 'string' && !WANTS_CARE.test(value)) return value;
  const text = typeof value === 'string' ? defuse(value) : textOf(value);
  return WANTS_QUOTES.test(text) || SPLIT_BY_SOME.test(text) ? stringify([[text]], DEFUSED) : text;
}

/** T1: a text with a leading apostrophe where a spreadsheet would take it for a formula. csv-stringify's own looks at its first character only. */
export function defuse(text: string): string {
  return looksLikeFormula(text) ? `'${text}` : text;
}

/**
 * A sign at the first place that shows; or a tab or return before that, because what follows them counts as a cell. Some programs trim
 * spaces, controls and characters that do not show before they look.
 */
function looksLikeFormula(text: string): boolean {
  const found = text.search(/[^\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u);
  const first = found < 0 ? text.length : found;
  return /[\t\r]/.test(text.slice(0, first)) || (first < text.length && FORMULA_SIGNS.includes(text.charAt(first)));
}

/** What is no text: numbers with all their digits, nothing for null, else its JSON. */
function textOf(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'bigint') return `${value}`;
  return value === null || value === undefined ? '' : formatJson(value);
}
