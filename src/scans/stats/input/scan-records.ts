import { MOST_BYTES } from '#base/bounds';
import { systemCode, UsageError } from '#base/errors';
import { restore } from '#base/text/defuse';
import { countOf, shown } from '#base/text/quote';
import { GZIP, likelyDelimiter, startsWith } from '#files/formats/formats';
import { DamagedParquetError, readParquetRows } from '#files/formats/parquet/parquet-rows';
import { CsvFault, type CsvReader, loadCsvReader } from '#files/formats/read/csv-reader';
import { cannotRead, joined, openToRead, readInputBytes } from '#files/formats/read/input-bytes';
import {
  countEnds,
  notOurs,
  type Records,
  readInputText,
  type TextPiece,
} from '#files/formats/read/input-text';
import { readJsonArray, readNdjson } from '#files/formats/read/json-records';
import type { Row } from '#files/formats/row-sink';
import { CODE_COLUMNS } from '#scans/export/added-columns';
import type { ValueDimension } from '#scans/stats/dimensions';

/** Reads a file. Throws UsageError for faults. Unless `isClosed`, an append may be writing the last line. */
export async function* readRecords(
  path: string,
  fields: readonly ValueDimension[],
  { isClosed, signal }: { isClosed: boolean; signal?: AbortSignal },
): AsyncGenerator<Records> {
  if (/\.parquet$/i.test(path)) return yield* readParquet(path, signal);
  const pieces = readInputText(refuseBinary(readInputBytes(path), path), path);
  const first = await pieces.next();
  if (first.done) return;
  const all = joined(first.value, pieces);
  const sign = first.value.text.trimStart()[0];
  if (sign === '[') yield* readJsonArray(all, path);
  else if (sign === '{') yield* readNdjson(all, path);
  else yield* readCsv(all, path, fields, isClosed);
}

const SIGNATURES = [
  { bytes: [0x50, 0x4b, 0x03, 0x04], is: 'a workbook or ZIP archive' },
  { bytes: [0x50, 0x41, 0x52, 0x31], is: 'Parquet, but its name lacks the .parquet extension' },
  { bytes: [0xff, 0xfe], is: 'text in UTF-16' },
  { bytes: [0xfe, 0xff], is: 'text in UTF-16' },
  { bytes: GZIP, is: 'compressed twice' },
] as const;

async function* refuseBinary(pieces: AsyncIterable<Uint8Array>, path: string): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const piece of pieces) {
    const found = isFirst ? SIGNATURES.find(({ bytes }) => startsWith(piece, bytes)) : undefined;
    if (found) throw notOurs(path, `the file is ${found.is}`);
    isFirst = false;
    yield piece;
  }
}

export function checkNames(names: readonly string[], path: string, fields: readonly ValueDimension[]): void {
  const missing = ['id', 'ts'].filter((name) => !names.includes(name));
  if (missing.length > 0) {
    const columns = `${missing.length === 1 ? 'column' : 'columns'} ${missing.join(' and ')}`;
    throw notOurs(path, `missing ${columns} (found: ${shown(names.slice(0, 20).join(','))})`);
  }
  const without = fields.find((field) => !names.includes(field));
  if (without)
    throw new UsageError(`cannot read ${without} from ${path}: the file has no ${without} column`, {
      hint: `Omit ${without} from --by or --fields, or export the file again with all fields.`,
    });
}

type Header = ReturnType<typeof headerOf>;

/** Reads CSV. Omits a last line without a line end, unless `isClosed` and the line has all cells. */
async function* readCsv(
  pieces: AsyncIterable<TextPiece>,
  path: string,
  fields: readonly ValueDimension[],
  isClosed: boolean,
): AsyncGenerator<Records> {
  let header: Header | undefined;
  let reader: CsvReader | undefined;
  let rows: Row[] = [];
  let firstLine = 1;
  let mayBeEscaped = false;

  function addRecord(cells: readonly string[], line: number): void {
    if (!header) {
      header = headerOf(cells, fields);
      checkNames(header.columns, path, fields);
      return;
    }
    const { length } = header.columns;
    if (cells.length !== length)
      throw new CsvFault(line, `has ${countOf(cells.length, 'cell')}, but the header has ${length}`);
    if (rows.length === 0) firstLine = line;
    rows.push(rowOf(cells, header, mayBeEscaped));
  }

  try {
    for await (const { text, line, isLast } of pieces) {
      if (!reader) {
        const separator = likelyDelimiter(text.split('\n', 1)[0] ?? '');
        reader = (await loadCsvReader())({ separator, longest: MOST_BYTES.scanRecord }, addRecord);
      }
      const isOpen = isLast && !text.endsWith('\n');
      const lines = isOpen ? text.slice(0, text.lastIndexOf('\n') + 1) : text;
      // F4: only texts with an apostrophe may be escaped.
      mayBeEscaped = reader.isOpen() || text.includes("'");
      rows = [];
      reader.read(lines);
      const last = isOpen && isClosed && header ? reader.cellsOfLast(text.slice(lines.length)) : undefined;
      const isComplete = last !== undefined && last.length === header?.columns.length;
      if (isComplete) addRecord(last, line + countEnds(lines));
      // Skips the check of an incomplete last line, because its last cell may lack the closing quote.
      if (isLast && !isOpen) reader.end();
      const torn = isOpen && !isComplete;
      if (header) yield { rows, line: firstLine, torn };
      else if (torn) throw notOurs(path, 'the first line is incomplete');
    }
  } catch (error) {
    throw error instanceof CsvFault ? notOurs(path, `line ${error.line}: ${error.message}`) : error;
  }
}

function headerOf(cells: readonly string[], fields: readonly ValueDimension[]) {
  const columns = cells.map(restore);
  const wanted = ['id', 'ts', ...fields, ...CODE_COLUMNS];
  const places = wanted.map((name) => ({ name, at: columns.indexOf(name) })).filter(({ at }) => at >= 0);
  return { columns, places };
}

function rowOf(cells: readonly string[], { places }: Header, mayBeEscaped: boolean): Row {
  const row: Record<string, unknown> = {};
  for (const { name, at } of places) {
    const cell = cells[at] as string;
    const value = mayBeEscaped ? restore(cell) : cell;
    row[name] = value === '' ? null : value;
  }
  return row;
}

async function* readParquet(path: string, signal: AbortSignal | undefined): AsyncGenerator<Records> {
  const file = await openToRead(path);
  let line = 1;
  try {
    const { size } = await file.stat();
    for await (const rows of readParquetRows(file, size, { signal })) {
      yield { rows, line, torn: false };
      line += rows.length;
    }
  } catch (cause) {
    if (cause instanceof DamagedParquetError)
      throw notOurs(path, `not a complete Parquet file (${shown(cause.message)})`);
    throw systemCode(cause) === undefined ? cause : cannotRead(path, cause);
  } finally {
    await file.close();
  }
}
