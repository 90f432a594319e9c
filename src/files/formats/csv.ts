/** Formats CSV. Plain cells bypass csv-stringify, which would take most of an export's time. */
import { stringify } from 'csv-stringify/sync';
import { defuse } from '#base/text/defuse';
import { createLine } from './create-field.ts';
import { type Formatter, formatterOf } from './formatter.ts';
import { plainText } from './json.ts';

export interface CsvOptions {
  header?: boolean;
  rawCells?: boolean;
  excel?: boolean;
  delimiter?: string;
  bom?: boolean;
  lineEnd?: '\n' | '\r\n';
}

/** T2: matches raw comma-separated cells that need quotes. */
const WANTS_QUOTES = /[",\n\r]/;
/** T4, T11: like `WANTS_QUOTES`, with the separators of other programs. */
const SPLIT_BY_SOME = /[",;\t\n\r]/;
/** Matches cells with a separator, quote or line end, or whose first character may begin a formula. */
const WANTS_CARE =
  /[",\n\r;\t|]|^[^!-&(-*./-<>?A-~\u00a1-\u00ac\u00ae-\u02ff\u0370-\u05ff\u0620-\u06dc\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3\ud83c-\ud83e]/;

export function createCsvFormatter(names: readonly string[], options: CsvOptions): Formatter {
  const { header = true, rawCells, excel = false, delimiter = ',', bom = excel } = options;
  const { lineEnd = excel ? '\r\n' : '\n' } = options;
  const cell = rawCells ? rawCellBy(delimiter) : (value: unknown) => defusedCell(value, delimiter);
  // T3: readers skip an empty line, so a single empty cell is quoted.
  const encode = names.length === 1 ? (value: unknown) => cell(value) || stringify([['']], LONE_EMPTY) : cell;
  const formatLine = createLine(names, (_, index) => (index === 0 ? '' : delimiter), encode, lineEnd);

  const head = header ? names.map(encode).join(delimiter) + lineEnd : '';
  return formatterOf((rows) => rows.map(formatLine).join(''), (bom ? '\ufeff' : '') + head);
}

const QUOTED = { eof: false, quoted: true };
const LONE_EMPTY = { eof: false, quoted_empty: true };

function rawCellBy(delimiter: string): (value: unknown) => string {
  const wantsQuotes = delimiter === ',' ? WANTS_QUOTES : SPLIT_BY_SOME;
  return (value) => {
    const text = plainText(value);
    return wantsQuotes.test(text) || text.includes(delimiter) ? stringify([[text]], QUOTED) : text;
  };
}

export function defusedCell(value: unknown, delimiter = ','): string {
  if (typeof value === 'string' && !WANTS_CARE.test(value)) return value;
  const mayBegin = typeof value === 'string' || typeof value === 'object';
  const text = mayBegin ? defuse(plainText(value), delimiter) : plainText(value);
  return SPLIT_BY_SOME.test(text) ? stringify([[text]], QUOTED) : text;
}
