/** Rows of a CSV file, as RFC 4180 and the spreadsheets of many countries write it. */
import { CsvError, parse } from 'csv-parse/sync';
import { type Fault, type Input, type InputRow, refuseFaults } from './input.ts';

const SEPARATORS = [',', ';', '\t'] as const;
const LINE_ENDS = ['\r\n', '\n', '\r'];

interface RawRecord {
  line: number;
  cells: string[];
}

/**
 * Reads a header row and the rows below it: any of comma, semicolon and tab between cells, any line ends, quoted cells with
 * separators and line breaks in them. Rows without any text are skipped. Throws UsageError with every fault of form.
 */
export function parseCsv(text: string, name: string, given?: string): Input {
  const { body, skipped, separator } = chooseSeparator(text, given);
  const [header, ...records] = readRecords(body, separator, skipped, name).filter(({ cells }) =>
    cells.some((cell) => cell.trim() !== ''),
  );
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

function readRecords(text: string, delimiter: string, skippedLines: number, name: string): RawRecord[] {
  const bytes = Buffer.from(text);
  const lineAt = createLineCounter(bytes, skippedLines + 1);
  const records: RawRecord[] = [];
  let end = 0;
  const onRecord = (cells: string[], { bytes: next }: { bytes: number }) => {
    records.push({ line: lineAt(end), cells });
    end = next;
    return null;
  };
  const form = { delimiter, record_delimiter: LINE_ENDS, relax_column_count: true, skip_empty_lines: true };
  try {
    parse(bytes, { ...form, on_record: onRecord });
    return records;
  } catch (error) {
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
  return columns.flatMap((column, index) => {
    if (column === '') return [{ line, message: `the header of column ${index + 1} is empty` }];
    if (columns.indexOf(column) < index) return [{ line, column, message: 'stands twice in the header' }];
    return [];
  });
}

function faultsOfWidth({ line, cells }: RawRecord, width: number): Fault[] {
  const used = cells.findLastIndex((cell) => cell !== '') + 1;
  if (used <= width && cells.length >= width) return [];
  const count = cells.length === 1 ? '1 cell' : `${cells.length} cells`;
  return [{ line, message: `${count} where the header has ${width}: does a value with a separator in it lack its quotes?` }];
}
