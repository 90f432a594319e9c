/**
 * CSV: RFC 4180 with LF. Joined by hand, because an export formats millions of rows and a general library takes five times
 * as long; the tests hold it against csv-stringify and csv-parse.
 */
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

/** Something in the cell wants quotes, or its beginning may want defusing. Most cells have neither. */
const WANTS_CARE = /[",\n\r;\t]|^[^!-*./-<>?A-~\u00a1-\u00ac\u00ae-\u02ff]/;
const WANTS_QUOTES = /[",\n\r]/;
/** Some spreadsheets split at these, too, and would find a formula in the middle of a bare cell. */
const WANTS_SHELTER = /[",\n\r;\t]/;

/** What spreadsheets begin a formula with, the full-width forms too. */
const FORMULA_SIGNS = '=+-@＝＋－＠';
/** Anything but spaces, controls and characters that do not show, which some programs trim before they look. */
const SHOWN = /[^\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

const BYTE_ORDER_MARK = '\ufeff';

/** A formatter of CSV with these columns. Rows may have other keys too; a missing one is an empty cell. */
export function createCsvFormatter(names: readonly string[], { header, rawCells, excel }: CsvOptions): Formatter {
  const end = excel ? '\r\n' : '\n';
  const cell = rawCells ? rawCell : defusedCell;
  // A lone empty cell is written `""`: readers skip an empty line, and a row would be lost.
  const encode: Cell = names.length === 1 ? (value) => cell(value) || '""' : cell;
  const fields = names.map((name, index) => ({ name, ...createField(index === 0 ? '' : ',') }));
  const buffer = createByteBuffer();

  function addLine(row: Row): void {
    for (const field of fields) {
      const value = row[field.name];
      const bytes = knownBytes(field, value, encode);
      buffer.add(bytes ?? field.opening);
      if (!bytes) buffer.addText(encode(value));
    }
    buffer.addText(end);
  }

  return {
    begin: () => (excel ? BYTE_ORDER_MARK : '') + (header ? names.map(cell).join(',') + end : ''),
    rows(rows) {
      for (const row of rows) addLine(row);
      return buffer.take();
    },
    end: () => '',
    checkpoint: stateless,
  };
}

type Cell = (value: unknown) => string;

/** A cell as RFC 4180 has it, and nothing more. */
function rawCell(value: unknown): string {
  if (typeof value === 'string') return WANTS_QUOTES.test(value) ? quoted(value) : value;
  return otherCell(value, rawCell);
}

/** As `rawCell`, but a text that a spreadsheet would take for a formula gets a leading apostrophe. */
export function defusedCell(value: unknown): string {
  if (typeof value !== 'string') return otherCell(value, defusedCell);
  if (!WANTS_CARE.test(value)) return value;
  const defused = defuse(value);
  return WANTS_SHELTER.test(defused) ? quoted(defused) : defused;
}

/** A text with a leading apostrophe where a spreadsheet would take it for a formula. */
export function defuse(text: string): string {
  return looksLikeFormula(text) ? `'${text}` : text;
}

/** A sign at the first place that shows; or a tab or return before that, because what follows them counts as a cell. */
function looksLikeFormula(text: string): boolean {
  const found = text.search(SHOWN);
  const first = found < 0 ? text.length : found;
  return /[\t\r]/.test(text.slice(0, first)) || (first < text.length && FORMULA_SIGNS.includes(text.charAt(first)));
}

function otherCell(value: unknown, text: Cell): string {
  if (typeof value === 'number' || typeof value === 'bigint') return `${value}`;
  if (value === null || value === undefined) return '';
  return text(formatJson(value));
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
