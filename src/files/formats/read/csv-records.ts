/** Records of CSV, as `scans export` writes it and spreadsheets save it. */
import { CsvError, parse } from 'csv-parse/sync';
import { LINE_FEED, QUOTE, RETURN } from '../../../base/text/ascii.ts';
import { restore } from '../../../base/text/defuse.ts';
import { countOf } from '../../../base/text/quote.ts';
import { likelyDelimiter } from '../formats.ts';
import type { Row } from '../row-sink.ts';
import { countEnds, LONGEST_RECORD, notOurs, type TextPiece } from './input-text.ts';
import type { Records } from './records.ts';

/**
 * The rows below the header, with the cells of `wanted` columns alone: empty ones as null, defused ones as they were. A last line
 * without its end may be cut anywhere and is left out, unless the file `isClosed` and the line has all cells. Throws UsageError where cells
 * and header do not fit.
 */
export async function* readCsv(
  pieces: AsyncIterable<TextPiece>,
  path: string,
  wanted: readonly string[],
  isClosed = false,
): AsyncGenerator<Records & { columns: readonly string[] }> {
  let header: Header | undefined;
  /** Incomplete record: its end was not read yet, within quotes. */
  let rest = '';
  let restLine = 1;
  for await (const { text, line, isLast } of pieces) {
    if (rest === '') restLine = line;
    const isOpen = isLast && !text.endsWith('\n');
    const lines = isOpen ? text.slice(0, text.lastIndexOf('\n') + 1) : text;
    const end = endOfRecords(lines, rest !== '');
    let records = end === 0 ? '' : rest + lines.slice(0, end);
    rest = end === 0 ? rest + lines : lines.slice(end);
    let first = restLine;
    restLine += countEnds(records);
    // Of a file that is being written the last cell may lack its end, too.
    if (isLast && !isOpen && rest !== '')
      throw notOurs(path, `the quoted cell in the record at line ${restLine} is never closed`);
    if (rest.length > LONGEST_RECORD)
      throw notOurs(path, `the quoted cell in the record at line ${restLine} is longer than 1 MiB`);
    if (!header && records !== '') {
      const endOfHeader = records.indexOf('\n') + 1;
      header = parseHeader(records.slice(0, endOfHeader), path, wanted);
      records = records.slice(endOfHeader);
      first += 1;
    }
    const last = isOpen ? rest + text.slice(lines.length) : '';
    const torn = isOpen && !(isClosed && header && isRow(last, header));
    if (isOpen && !torn) records += `${last}\n`;
    if (header)
      yield { rows: parseRows(records, first, header, path), line: first, torn, columns: header.columns };
    else if (torn) throw notOurs(path, 'the first line is incomplete');
  }
}

interface Header {
  columns: readonly string[];
  separator: string;
  /** Names of the wanted columns, and their positions. */
  places: readonly { name: string; at: number }[];
}

function parseHeader(text: string, path: string, wanted: readonly string[]): Header {
  const separator = likelyDelimiter(text);
  const columns = (parseQuoted(text, separator, path, 1)[0] ?? []).map(restore);
  const places = wanted.flatMap((name) => {
    const at = columns.indexOf(name);
    return at < 0 ? [] : [{ name, at }];
  });
  return { columns, separator, places };
}

/** Returns whether a text without a line end has all cells of a row. */
function isRow(text: string, { columns, separator }: Header): boolean {
  try {
    const rows = parse(text, { delimiter: separator, relax_column_count: true });
    return rows.length === 1 && rows[0]?.length === columns.length;
  } catch (error) {
    if (error instanceof CsvError) return false;
    throw error;
  }
}

/**
 * Returns where the last record ends: with an odd number of quotes it continues after the line. `isOpen`: the text begins within quotes, so
 * that no text is scanned twice.
 */
function endOfRecords(text: string, isOpen: boolean): number {
  if (!text.includes('"')) return isOpen ? 0 : text.length;
  let quotes = isOpen ? 1 : 0;
  let end = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) quotes += 1;
    else if (unit === LINE_FEED && quotes % 2 === 0) end = at + 1;
  }
  return end;
}

/** Lines without a quote are their cells; only the others need a parser. */
function parseRows(text: string, firstLine: number, header: Header, path: string): Row[] {
  const rows: Row[] = [];
  // F4: without an apostrophe nothing in it was defused.
  const mayBeDefused = text.includes("'");
  const add = (cells: readonly string[], line: number) => {
    if (cells.length !== header.columns.length) {
      throw notOurs(
        path,
        `line ${line} has ${countOf(cells.length, 'cell')}, but the header has ${header.columns.length}`,
      );
    }
    rows.push(rowOf(cells, header, mayBeDefused));
  };
  let line = firstLine;
  let at = 0;
  while (at < text.length) {
    const quote = text.indexOf('"', at);
    const plainEnd = quote < 0 ? text.length : text.lastIndexOf('\n', quote) + 1;
    while (at < plainEnd) {
      const end = text.indexOf('\n', at);
      const source = text.charCodeAt(end - 1) === RETURN ? text.slice(at, end - 1) : text.slice(at, end);
      if (source !== '') add(source.split(header.separator), line);
      at = end + 1;
      line += 1;
    }
    if (quote < 0) break;
    const end = endOfQuoted(text, at);
    const source = text.slice(at, end);
    for (const cells of parseQuoted(source, header.separator, path, line)) add(cells, line);
    line += countEnds(source);
    at = end;
  }
  return rows;
}

/** The end of the run of records from `start` on that have quotes. */
function endOfQuoted(text: string, start: number): number {
  let end = start;
  while (end < text.length) {
    let quotes = 0;
    let at = end;
    for (; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit === QUOTE) quotes += 1;
      else if (unit === LINE_FEED && quotes % 2 === 0) break;
    }
    if (quotes === 0) return end;
    end = at + 1;
  }
  return text.length;
}

function parseQuoted(text: string, delimiter: string, path: string, line: number): string[][] {
  try {
    return parse(text, { delimiter, relax_column_count: true, record_delimiter: ['\r\n', '\n'] });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw notOurs(path, `unexpected quote (") inside a cell near line ${line}`);
  }
}

function rowOf(cells: readonly string[], { places }: Header, mayBeDefused: boolean): Row {
  const row: Record<string, unknown> = {};
  for (const { name, at } of places) {
    const cell = cells[at] as string;
    // F4: as it was written, not as a spreadsheet should see it.
    row[name] = cell === '' ? null : mayBeDefused ? restore(cell) : cell;
  }
  return row;
}
