import { crc32 } from 'node:zlib';
import {
  type DecodedArray,
  type FileMetaData,
  parquetMetadataAsync,
  parquetRead,
  type RowGroup,
} from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { MOST_COLUMNS } from '#base/bounds';

export type ColumnValues =
  | { is: 'integers' | 'microseconds'; values: BigInt64Array }
  | { is: 'texts'; texts: (string | null)[]; indexes: Uint32Array }
  | { is: 'values'; values: unknown[] };

interface Piece {
  at: number;
  data: DecodedArray;
}

export interface DecodedGroup {
  rows: number;
  columns: { name: string; column: ColumnValues }[];
}

/** Decoder that keeps a byte order mark, unlike hyparquet's. */
const TEXT = new TextDecoder('utf-8', { ignoreBOM: true });
/** Parsers that replace hyparquet's, because a Date would have fewer digits than the file. */
const PARSERS = {
  timestampFromMicroseconds: (us: bigint): unknown => us,
  stringFromBytes: (bytes: Uint8Array | undefined) => bytes && TEXT.decode(bytes),
};

/** Yields row groups as columns to pass between threads. Throws Error if the file is damaged or too large. */
export async function* decodeGroups(
  source: SourceFile,
  columns: string[] | undefined,
): AsyncGenerator<DecodedGroup> {
  await refuseLongMetadata(source);
  const metadata = await parquetMetadataAsync(source);
  const names = metadata.schema.length - 1;
  if (names > MOST_COLUMNS) throw new Error(`the file has ${names} columns`);
  const times = microsecondColumns(metadata);
  let rowStart = 0;
  for (const group of metadata.row_groups) {
    const slice = await checkPages(group, columns, source);
    const rows = Number(group.num_rows);
    const pieces = new Map<string, Piece[]>();
    await parquetRead({
      file: { byteLength: source.byteLength, slice },
      metadata,
      columns,
      rowStart,
      rowEnd: rowStart + rows,
      parsers: PARSERS,
      onChunk({ columnName, columnData, rowStart: first }) {
        const piece = { at: first - rowStart, data: columnData };
        pieces.set(columnName, [...(pieces.get(columnName) ?? []), piece]);
      },
    });
    yield {
      rows,
      columns: [...pieces].map(([name, parts]) => ({ name, column: joined(parts, rows, times.has(name)) })),
    };
    rowStart += rows;
  }
}

/** Maximum size of metadata in bytes, enough for 5,000 row groups. Decoding takes many times the memory. */
const MOST_METADATA_BYTES = 8 * 2 ** 20;
const END_BYTES = 8;

async function refuseLongMetadata({ byteLength, slice }: SourceFile): Promise<void> {
  if (byteLength < END_BYTES) return;
  const bytes = new DataView(await slice(byteLength - END_BYTES, byteLength)).getUint32(0, true);
  if (bytes > MOST_METADATA_BYTES && bytes < byteLength)
    throw new Error(`the file has ${bytes} bytes of metadata`);
}

function microsecondColumns({ schema }: FileMetaData): ReadonlySet<string> {
  const found = schema.filter(({ converted_type, logical_type }) => {
    return (
      converted_type === 'TIMESTAMP_MICROS' ||
      (logical_type?.type === 'TIMESTAMP' && logical_type.unit === 'MICROS')
    );
  });
  return new Set(found.map(({ name }) => name));
}

function joined(parts: readonly Piece[], rows: number, isTime: boolean): ColumnValues {
  const count = parts.reduce((sum, { data }) => sum + data.length, 0);
  if (count !== rows) throw new Error(`a column has ${count} values for ${rows} rows`);
  if (isTime || parts.every(({ data }) => data instanceof BigInt64Array)) {
    const integers = integersOf(parts, rows);
    if (integers) return { is: isTime ? 'microseconds' : 'integers', values: integers };
  }
  const values: unknown[] = [];
  for (const { data } of parts) for (let at = 0; at < data.length; at++) values.push(data[at] ?? null);
  return values.every((value): value is string | null => value === null || typeof value === 'string')
    ? numbered(values)
    : { is: 'values', values };
}

function integersOf(parts: readonly Piece[], rows: number): BigInt64Array | undefined {
  const values = new BigInt64Array(rows);
  for (const { at, data } of parts) {
    for (let i = 0; i < data.length; i++) {
      const value: unknown = data[i];
      if (typeof value !== 'bigint') return undefined;
      values[at + i] = value;
    }
  }
  return values;
}

function numbered(values: readonly (string | null)[]): ColumnValues {
  const numbers = new Map<string | null, number>();
  const texts: (string | null)[] = [];
  const indexes = new Uint32Array(values.length);
  for (let at = 0; at < values.length; at++) {
    const value = values[at] ?? null;
    let number = numbers.get(value);
    if (number === undefined) {
      number = texts.push(value) - 1;
      numbers.set(value, number);
    }
    indexes[at] = number;
  }
  return { is: 'texts', texts, indexes };
}

export interface WorkerJob {
  byteLength: number;
  columns: string[] | undefined;
}

export type FromWorker =
  | { is: 'read'; number: number; start: number; end: number }
  | { is: 'group'; group: DecodedGroup }
  | { is: 'end' }
  | { is: 'failed'; message: string };

export type ToWorker = { is: 'bytes'; number: number; bytes: ArrayBuffer } | { is: 'taken' };

const MOST_GROUP_ROWS = 2 ** 21;
const MOST_GROUP_BYTES = 2 ** 29;

type Slice = (start: number, end: number) => Promise<ArrayBuffer>;

/** Loads a row group, and returns a reader of its bytes. Throws Error if it is damaged or too large. */
async function checkPages(
  group: RowGroup,
  columns: readonly string[] | undefined,
  source: SourceFile,
): Promise<Slice> {
  const rows = Number(group.num_rows);
  if (!(rows >= 0 && rows <= MOST_GROUP_ROWS)) throw new Error(`a row group has ${group.num_rows} rows`);
  const chunks = group.columns.flatMap(({ meta_data }) => {
    if (!meta_data) throw new Error('a column has no metadata');
    const [name = ''] = meta_data.path_in_schema;
    const start = Number(meta_data.dictionary_page_offset || meta_data.data_page_offset);
    const end = start + Number(meta_data.total_compressed_size);
    if (!(start >= 0 && end >= start && end <= source.byteLength))
      throw new Error(`the column ${name} lies outside of the file`);
    // A list column may have more values than rows.
    const most = meta_data.path_in_schema.length === 1 ? rows : MOST_GROUP_ROWS;
    return columns && !columns.includes(name) ? [] : [{ name, start, end, most }];
  });
  const refuseLarge = (length: number) => {
    if (length > MOST_GROUP_BYTES)
      throw new Error(`a row group has more than ${MOST_GROUP_BYTES / 2 ** 20} MiB`);
  };
  const first = chunks.reduce((least, { start }) => Math.min(least, start), source.byteLength);
  const last = chunks.reduce((most, { end }) => Math.max(most, end), first);
  refuseLarge(last - first);
  const bytes = await source.slice(first, last);
  let unpacked = 0;
  for (const { name, start, end, most } of chunks) {
    unpacked += checkChunk(bytes, { at: start - first, end: end - first, most, name });
    refuseLarge(unpacked);
  }
  return async (start, end) => bytes.slice(start - first, end - first);
}

interface SourceFile {
  byteLength: number;
  slice: Slice;
}

interface Chunk {
  at: number;
  end: number;
  most: number;
  name: string;
}

function checkChunk(bytes: ArrayBuffer, { at, end, most, name }: Chunk): number {
  const reader = { view: new DataView(bytes, 0, end), offset: at };
  let unpacked = 0;
  while (reader.offset < end) {
    const header = parquetHeader(reader);
    const { crc, compressed_page_size: size, uncompressed_page_size: whole } = header;
    const pages = [header.data_page_header, header.data_page_header_v2, header.dictionary_page_header];
    const isPossible = size >= 0 && reader.offset + size <= end && whole >= 0;
    // F19: the comparisons also refuse NaN.
    if (!isPossible || !pages.every((page) => !page || (page.num_values >= 0 && page.num_values <= most)))
      throw new Error(`a page of the column ${name} has an impossible size`);
    if (crc !== undefined && (crc32(new Uint8Array(bytes, reader.offset, size)) | 0) !== crc)
      throw new Error(`the checksum of a page of the column ${name} is wrong`);
    reader.offset += size;
    unpacked += whole;
  }
  return unpacked;
}
