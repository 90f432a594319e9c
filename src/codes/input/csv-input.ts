import { MOST_RECORD, MOST_VALUES } from '#base/bounds';
import { restore } from '#base/text/defuse';
import { GIT_MARKER } from '#base/text/git-marker';
import { countOf, formatCount } from '#base/text/quote';
import { letSignalsIn } from '#base/time/time';
import { likelyDelimiter } from '#files/formats/formats';
import { type CreateCsvReader, CsvFault, loadCsvReader } from '#files/formats/read/csv-reader';
import {
  type Fault,
  faultsOfHeader,
  fold,
  type Input,
  type InputRow,
  MOST_FAULTS,
  type ReadOptions,
  refuseFaults,
  refuseMany,
} from '#files/formats/read/input';
import { linesOf } from '#files/formats/read/input-text';
import { refuseFirstRow } from './first-row.ts';

interface CsvOptions extends ReadOptions {
  separator: string | undefined;
  bom: boolean;
}

interface RawRecord {
  line: number;
  cells: string[];
}

/**
 * Parses CSV with a header row. Throws UsageError for invalid CSV, a first row that is a title or data, or an
 * exceeded limit. Returns other problems, such as rows of the wrong width, in `faults`.
 */
export async function parseCsv(utf8: Buffer, name: string, options: CsvOptions): Promise<Input> {
  const { start, skipped, separator, lineEnd } = chooseSeparator(utf8, options.separator);
  const form = { is: 'csv', delimiter: separator, bom: options.bom, lineEnd } as const;
  const createReader = await loadCsvReader();
  const job = { separator, skipped, name, signal: options.signal, createReader };
  const read = await readRecords(utf8.subarray(start), job);
  const records = separator === ';' ? joinHalves(read, job) : read;
  const [header, ...data] = records;
  if (!header) return { name, columns: [], headerLine: 1, rows: [], form };
  refuseFirstRow(name, records);
  const columns = header.cells.map((cell) => cell.trim());
  while (columns.at(-1) === '') columns.pop();
  const faults = faultsOfHeader(columns, header.line);
  const hasLineEnd = utf8.at(-1) === LINE_FEED;
  for (const record of data) {
    if (faults.length >= MOST_FAULTS) break;
    const mayBeShort = hasLineEnd || record !== data.at(-1);
    for (const fault of faultsOfWidth(record, columns, mayBeShort)) faults.push(fault);
  }
  const places = new Map(columns.map((column, place) => [column, place]));
  const rows = data.map(({ line, cells }, index): InputRow => {
    const { texts, defused } = readCells(cells, columns, options.rawCells ?? false);
    return { row: index + 1, line, values: new RowValues(places, texts), defused };
  });
  return { name, columns, headerLine: header.line, rows, form, faults };
}

function readCells(cells: readonly string[], columns: readonly string[], rawCells: boolean) {
  const written = columns.map((_, at) => cells[at] ?? '');
  if (rawCells) return { texts: written, defused: undefined };
  const texts = written.map(restore);
  const escaped = columns
    .map((column, at) => [column, written[at] ?? ''] as const)
    .filter(([, cell], at) => cell !== texts[at]);
  return { texts, defused: escaped.length > 0 ? new Map(escaped) : undefined };
}

const LONGEST_HEADER = 1 << 20;

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
  const [first = '', ...others] = header.split(';');
  const inOneCell = first.includes(',') && others.length > 0 && others.every((cell) => cell === '');
  const separator = declared?.[1] ?? given ?? (inOneCell ? ';' : likelyDelimiter(header));
  return { start, skipped: declared ? 1 : 0, separator, lineEnd } as const;
}

interface RecordsJob extends Pick<ReadOptions, 'signal'> {
  separator: string;
  skipped: number;
  name: string;
  createReader: CreateCsvReader;
}

async function readRecords(
  bytes: Buffer,
  { separator, skipped, name, signal, createReader }: RecordsJob,
): Promise<RawRecord[]> {
  const records: RawRecord[] = [];
  const count = createExtent(name);
  const form = { separator, longest: MOST_RECORD, firstLine: skipped + 1 };
  const reader = createReader(form, (cells, line) => {
    count(cells.length, line);
    if (cells.some((cell) => cell.trim() !== '')) records.push({ line, cells });
  });
  try {
    for (const text of linesOf(bytes)) {
      reader.read(text);
      await letSignalsIn(signal);
    }
    reader.end();
  } catch (error) {
    if (error instanceof CsvFault) refuseFaults({ name }, [{ line: error.line, message: error.message }]);
    throw error;
  }
  return records;
}

function createExtent(name: string): (cells: number, line: number) => void {
  let rows = -1;
  let width = 0;
  let total = 0;
  return (cells, line) => {
    rows += 1;
    if (rows === 0) width = cells;
    else refuseMany(name, rows, width);
    total += cells;
    if (total > MOST_VALUES + width)
      refuseFaults({ name }, [
        { line, message: `exceeds the limit of ${formatCount(MOST_VALUES)} cells per file` },
      ]);
  };
}

/**
 * If the header has the form `name,type,destination;;` (a comma file saved by German Excel), splits all rows
 * of this form at commas. Throws UsageError if only some rows below the header have it.
 */
function joinHalves(records: readonly RawRecord[], { name, createReader }: RecordsJob): readonly RawRecord[] {
  const [header, ...data] = records;
  if (!header || !isWholeLine(header)) return records;
  const whole = data.filter(isWholeLine);
  if (whole.length > 0 && whole.length < data.length) {
    const line = data.find((record) => !isWholeLine(record))?.line;
    const message = `mixed delimiters: this line uses semicolons, but line ${header.line} and others use commas`;
    refuseFaults({ name }, [{ line, message: `${message}. Put each column name in its own cell` }]);
  }
  const faults: Fault[] = [];
  const count = createExtent(name);
  const split = [header, ...whole].map((record) => {
    const cells = splitAtCommas(record, createReader, faults);
    count(cells.length, record.line);
    return { line: record.line, cells };
  });
  refuseFaults({ name }, faults);
  return whole.length > 0 ? split : [...split, ...data];
}

function isWholeLine({ cells: [first = '', ...others] }: RawRecord): boolean {
  return others.length > 0 && others.every((cell) => cell.trim() === '') && first.includes(',');
}

function splitAtCommas(
  { line, cells: [text = ''] }: RawRecord,
  createReader: CreateCsvReader,
  faults: Fault[],
): string[] {
  let found: string[] = [];
  const reader = createReader({ separator: ',', longest: MOST_RECORD, firstLine: line }, (cells) => {
    found = cells;
  });
  try {
    reader.read(text);
    reader.end();
  } catch (error) {
    if (!(error instanceof CsvFault)) throw error;
    faults.push({ line, message: `cannot be split at commas: ${error.message}` });
  }
  return found;
}

const LINE_FEED = 0x0a;

/**
 * Names of the last columns in results and lists. Rows may lack them, because Excel omits empty cells at the
 * end in blocks of 16 rows.
 */
const AT_END = new Set([
  ...['id', 'slug', 'short_url', 'created_at', 'updated_at'],
  ...['outcome', 'error', 'base', 'decision'],
]);

function faultsOfWidth({ line, cells }: RawRecord, columns: readonly string[], mayBeShort: boolean): Fault[] {
  const width = columns.length;
  const used = cells.findLastIndex((cell) => cell !== '') + 1;
  if (used <= width && cells.length >= width) return [];
  const lacking = columns.slice(cells.length);
  if (mayBeShort && lacking.length > 0 && lacking.every((column) => AT_END.has(fold(column)))) return [];
  const [marker] = (cells.length === 1 && GIT_MARKER.exec(cells[0] ?? '')) || [];
  if (marker) return [{ line, message: `is a git conflict marker (${marker}): resolve the merge` }];
  const missing = width - cells.length;
  const way =
    missing > 0
      ? `it ends early. Add ${countOf(missing, 'separator')} at its end, or save the file as a workbook (.xlsx)`
      : 'enclose values that contain a separator in quotes';
  return [{ line, message: `has ${countOf(cells.length, 'cell')}, but the header has ${width}: ${way}` }];
}

/** Cells of a row by column, in a fraction of the memory that a Map per row takes. */
class RowValues {
  readonly #places: ReadonlyMap<string, number>;
  readonly #cells: readonly string[];

  constructor(places: ReadonlyMap<string, number>, cells: readonly string[]) {
    this.#places = places;
    this.#cells = cells;
  }

  get(column: string): string | undefined {
    const place = this.#places.get(column);
    return place === undefined ? undefined : this.#cells[place];
  }

  has(column: string): boolean {
    return this.#places.has(column);
  }
}
