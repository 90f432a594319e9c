/** Rows of a CSV file, as RFC 4180 and the spreadsheets of many countries write it. */
import { finished } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import { letSignalsIn } from '../time.ts';
import { type Fault, type Input, type InputRow, MOST_COLUMNS, refuseFaults } from './input.ts';

const SEPARATORS = [',', ';', '\t'] as const;
const LINE_ENDS = ['\r\n', '\n', '\r'];

interface RawRecord {
  line: number;
  cells: string[];
}

interface CsvOptions {
  /** Where the name of the file says it. */
  separator: string | undefined;
  signal: AbortSignal | undefined;
}

/**
 * Reads a header row and the rows below it: any of comma, semicolon and tab between cells, any line ends, quoted cells with
 * separators and line breaks in them. Rows without any text are skipped. Throws UsageError with every fault of form, or the signal's reason.
 */
export async function parseCsv(text: string, name: string, { separator: given, signal }: CsvOptions): Promise<Input> {
  const { body, skipped, separator } = chooseSeparator(text, given);
  const [header, ...records] = await readRecords(body, separator, skipped, name, signal);
  if (!header) return { name, columns: [], headerLine: 1, rows: [] };
  const columns = header.cells.map((cell) => cell.trim());
  while (columns.at(-1) === '') columns.pop();
  const faults = [...faultsOfHeader(columns, header.line), ...records.flatMap((record) => faultsOfWidth(record, columns.length))];
  refuseFaults(name, faults);
  const rows = records.map(({ line, cells }, index): InputRow => {
    return { row: index + 1, line, values: new Map(columns.map((column, at) => [column, cells[at] ?? ''])) };
  });
  return { name, columns, headerLine: header.line, rows };
}

/** The one that `sep=;` names (Excel's own first line), else the one that is most often outside quotes in the header. */
function chooseSeparator(text: string, given: string | undefined) {
  const declared = /^sep=(.)\r?\n/i.exec(text);
  if (declared?.[1]) return { body: text.slice(declared[0].length), skipped: 1, separator: declared[1] };
  const header =
    text
      .trimStart()
      .replace(/"[^"]*"/g, '')
      .split(/[\r\n]/, 1)[0] ?? '';
  const often = (separator: string) => header.split(separator).length;
  const separator = given ?? [...SEPARATORS].sort((a, b) => often(b) - often(a))[0] ?? ',';
  return { body: text, skipped: 0, separator };
}

/** So much is parsed before whoever waits for a signal gets a turn. */
const PIECE_BYTES = 1 << 20;

/** The records with any text in them. */
async function readRecords(
  text: string,
  delimiter: string,
  skippedLines: number,
  name: string,
  signal: AbortSignal | undefined,
): Promise<RawRecord[]> {
  const bytes = Buffer.from(text);
  const lineAt = createLineCounter(bytes, skippedLines + 1);
  const records: RawRecord[] = [];
  let end = 0;
  let tooWide: Fault | undefined;
  const onRecord = (cells: string[], { bytes: next }: { bytes: number }) => {
    const line = lineAt(end);
    end = next;
    if (cells.length > MOST_COLUMNS) {
      tooWide = { line, message: `${cells.length} cells; at most ${MOST_COLUMNS} are read` };
      throw new Error(tooWide.message);
    }
    if (cells.some((cell) => cell.trim() !== '')) records.push({ line, cells });
    return null;
  };
  const form = { delimiter, record_delimiter: LINE_ENDS, relax_column_count: true, skip_empty_lines: true };
  const parser = parse({ ...form, on_record: onRecord }).resume();
  const ended = finished(parser);
  ended.catch(() => undefined); // told below
  try {
    for (let at = 0; at < bytes.length && !parser.errored; at += PIECE_BYTES) {
      await new Promise((resolve) => parser.write(bytes.subarray(at, at + PIECE_BYTES), resolve));
      await letSignalsIn(signal);
    }
    parser.end();
    await ended;
    return records;
  } catch (error) {
    if (tooWide) refuseFaults(name, [tooWide]);
    if (!(error instanceof CsvError)) throw error;
    refuseFaults(name, [{ line: lineAt(end), message: quoteFault(error) }]);
    throw error;
  }
}

function quoteFault(error: CsvError): string {
  if (error.code === 'CSV_QUOTE_NOT_CLOSED') return 'a quote (") opened here is never closed';
  return 'a quote (") stands inside a cell: put the whole cell in quotes and double the ones in it ("5"" disc")';
}

/** The parser's own count takes CRLF inside quotes for two lines. Offsets must not go back. */
function createLineCounter(bytes: Uint8Array, first: number): (offset: number) => number {
  let line = first;
  let at = 0;
  const isEnd = (index: number) => bytes[index] === 0x0a || (bytes[index] === 0x0d && bytes[index + 1] !== 0x0a);
  return (offset) => {
    for (; at < offset; at++) if (isEnd(at)) line++;
    // A record begins behind the empty lines that were skipped before it.
    for (; bytes[at] === 0x0a || bytes[at] === 0x0d; at++) if (isEnd(at)) line++;
    return line;
  };
}

function faultsOfHeader(columns: readonly string[], line: number): Fault[] {
  const seen = new Set<string>();
  return columns.flatMap((column, index) => {
    if (column === '') return [{ line, message: `the header of column ${index + 1} is empty` }];
    if (seen.has(column)) return [{ line, column, message: 'stands twice in the header' }];
    seen.add(column);
    return [];
  });
}

function faultsOfWidth({ line, cells }: RawRecord, width: number): Fault[] {
  const used = cells.findLastIndex((cell) => cell !== '') + 1;
  if (used <= width && cells.length >= width) return [];
  const count = cells.length === 1 ? '1 cell' : `${cells.length} cells`;
  return [{ line, message: `${count} where the header has ${width}: does a value with a separator in it lack its quotes?` }];
}
