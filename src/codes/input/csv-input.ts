/** Reads the rows of a CSV file, as RFC 4180 and the spreadsheets of many countries write it. */
import { finished } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import { LINE_FEED, RETURN } from '../../base/text/ascii.ts';
import { restore } from '../../base/text/defuse.ts';
import { letSignalsIn } from '../../base/time/time.ts';
import { likelyDelimiter } from '../../files/formats/formats.ts';
import {
  type Fault,
  faultsOfHeader,
  type Input,
  type InputRow,
  MOST_FAULTS,
  type ReadOptions,
  refuseFaults,
} from '../../files/formats/read/input.ts';
import { checkExtent } from './csv-extent.ts';
import { refuseFirstRow } from './first-row.ts';
import { joinHalves, type RawRecord } from './half-separated.ts';
import { createRowValues } from './row-values.ts';

const LINE_ENDS = ['\r\n', '\n', '\r'];

interface CsvOptions extends ReadOptions {
  /** If the extension of the file specifies it. */
  separator: string | undefined;
  /** The file began with a byte order mark, which `utf8` lacks. */
  bom: boolean;
}

/**
 * Reads a header row and the rows below it: any of comma, semicolon and tab between cells, any line ends, quoted cells with
 * separators and line breaks in them. Rows without any text are skipped. Throws UsageError if it cannot be read as rows, or the signal's reason.
 */
export async function parseCsv(utf8: Buffer, name: string, options: CsvOptions): Promise<Input> {
  const { start, skipped, separator, lineEnd } = chooseSeparator(utf8, options.separator);
  const body = utf8.subarray(start);
  checkExtent(body, separator, name, skipped + 1);
  const form = { is: 'csv', delimiter: separator, bom: options.bom, lineEnd } as const;
  const records = await readRecords(body, separator, skipped, name, options.signal);
  const [header, ...data] = separator === ';' ? await joinHalves(records, name) : records;
  if (!header) return { name, columns: [], headerLine: 1, rows: [], form };
  refuseFirstRow(name, records);
  const columns = header.cells.map((cell) => cell.trim());
  while (columns.at(-1) === '') columns.pop();
  const faults = faultsOfHeader(columns, header.line);
  for (const record of data) {
    if (faults.length >= MOST_FAULTS) break;
    for (const fault of faultsOfWidth(record, columns.length)) faults.push(fault);
  }
  const valuesOf = createRowValues(columns);
  const rows = data.map(({ line, cells }, index): InputRow => {
    const { texts, defused } = readCells(cells, columns, options.rawCells ?? false);
    return { row: index + 1, line, values: valuesOf(texts), defused };
  });
  return { name, columns, headerLine: header.line, rows, form, faults };
}

/** Texts of the cells of a row, one per column; `defused`: the cells whose text was escaped. */
function readCells(cells: readonly string[], columns: readonly string[], rawCells: boolean) {
  const written = cells.length === columns.length ? cells : columns.map((_, at) => cells[at] ?? '');
  if (rawCells) return { texts: written, defused: undefined };
  const texts = written.map(restore);
  const isDefused = (cell: string, at: number) => cell !== texts[at];
  if (!written.some(isDefused)) return { texts: written, defused: undefined };
  const defused = columns.flatMap((column, at) => {
    const cell = written[at] ?? '';
    return isDefused(cell, at) ? [[column, cell] as const] : [];
  });
  return { texts, defused: new Map(defused) };
}

/** So much of the file is looked at for it. */
const LONGEST_HEADER = 1 << 20;

/** The one that `sep=;` names (Excel's own first line), else the one that is most often outside quotes in the header. */
function chooseSeparator(utf8: Buffer, given: string | undefined) {
  const text = utf8.toString('utf8', 0, LONGEST_HEADER);
  const declared = /^sep=([\t\x20-\x7e])\r?\n/i.exec(text);
  const start = declared?.[0].length ?? 0;
  const unquoted = text
    .slice(start)
    .trimStart()
    .replace(/"[^"]*"/g, '');
  const [header = ''] = unquoted.split(/[\r\n]/, 1);
  const lineEnd = unquoted.startsWith('\r\n', header.length) ? '\r\n' : '\n';
  // `name,type,destination;;`: see half-separated.ts.
  const [first = '', ...others] = header.split(';');
  const inOneCell = first.includes(',') && others.length > 0 && others.every((cell) => cell === '');
  const separator = declared?.[1] ?? given ?? (inOneCell ? ';' : likelyDelimiter(header));
  return { start, skipped: declared ? 1 : 0, separator, lineEnd } as const;
}

/** Number of rows that are parsed before signals are handled. */
const PIECE_BYTES = 1 << 17;

/** The records with any text in them. */
async function readRecords(
  bytes: Uint8Array,
  delimiter: string,
  skippedLines: number,
  name: string,
  signal: AbortSignal | undefined,
): Promise<RawRecord[]> {
  const lineAt = createLineCounter(bytes, skippedLines + 1);
  const records: RawRecord[] = [];
  let end = 0;
  let before: readonly string[] = [];
  const onRecord = (read: string[], { bytes: next }: { bytes: number }) => {
    const line = lineAt(end);
    end = next;
    if (!read.some((cell) => cell.trim() !== '')) return null;
    // The parser's array has capacity for many more, and repeated values of a column are stored once.
    const cells = read.map((cell, at) => (cell === before[at] ? before[at] : cell));
    records.push({ line, cells });
    before = cells;
    return null;
  };
  const form = { delimiter, record_delimiter: LINE_ENDS, relax_column_count: true, skip_empty_lines: true };
  const parser = parse({ ...form, on_record: onRecord }).resume();
  const ended = finished(parser);
  ended.catch(() => undefined); // reported below
  try {
    for (let at = 0; at < bytes.length && !parser.errored; at += PIECE_BYTES) {
      await new Promise((resolve) => parser.write(bytes.subarray(at, at + PIECE_BYTES), resolve));
      await letSignalsIn(signal);
    }
    parser.end();
    await ended;
    return records;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    refuseFaults({ name }, [{ line: lineAt(end), message: quoteFault(error) }]);
    throw error;
  }
}

function quoteFault(error: CsvError): string {
  if (error.code === 'CSV_QUOTE_NOT_CLOSED') return 'a quote (") opened here is never closed';
  return 'a quote (") appears inside a cell: enclose the whole cell in quotes and double each quote in it ("5"" disc")';
}

/** The parser's own count takes CRLF inside quotes for two lines. Offsets must not go back. */
function createLineCounter(bytes: Uint8Array, first: number): (offset: number) => number {
  let line = first;
  let at = 0;
  const isEnd = (index: number) =>
    bytes[index] === LINE_FEED || (bytes[index] === RETURN && bytes[index + 1] !== LINE_FEED);
  return (offset) => {
    for (; at < offset; at++) if (isEnd(at)) line++;
    // A record begins behind the empty lines that were skipped before it.
    for (; bytes[at] === LINE_FEED || bytes[at] === RETURN; at++) if (isEnd(at)) line++;
    return line;
  };
}

function faultsOfWidth({ line, cells }: RawRecord, width: number): Fault[] {
  const used = cells.findLastIndex((cell) => cell !== '') + 1;
  if (used <= width && cells.length >= width) return [];
  const count = cells.length === 1 ? '1 cell' : `${cells.length} cells`;
  return [
    {
      line,
      message: `has ${count}, but the header has ${width}: enclose values that contain a separator in quotes`,
    },
  ];
}
