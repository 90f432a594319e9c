/**
 * The pages of a row group before anything is decoded: their checksums, and that none claims more values or bytes than its group can have
 * (https://parquet.apache.org/docs/file-format/data-pages/checksumming/).
 */
import { crc32 } from 'node:zlib';
import type { RowGroup } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';

/** Of a group: rows that are held at once; engines write some hundred thousand. */
const MOST_ROWS = 2 ** 21;
/** Of a group, unpacked. */
const MOST_BYTES = 2 ** 29;

/** Gives the bytes of the file from `start` to before `end`. */
export type Slice = (start: number, end: number) => Promise<ArrayBuffer>;

/** Resolves to a slice of the bytes of these columns of a group, all read and checked. Throws Error at data that no writer writes. */
export async function checkPages(
  group: RowGroup,
  columns: readonly string[] | undefined,
  source: SourceFile,
): Promise<Slice> {
  const rows = Number(group.num_rows);
  if (!(rows >= 0 && rows <= MOST_ROWS)) throw new Error(`a row group has ${group.num_rows} rows`);
  const chunks = group.columns.flatMap(({ meta_data }) => {
    if (!meta_data) throw new Error('a column has no metadata');
    const [name = ''] = meta_data.path_in_schema;
    const start = Number(meta_data.dictionary_page_offset || meta_data.data_page_offset);
    const end = start + Number(meta_data.total_compressed_size);
    if (!(start >= 0 && end >= start && end <= source.byteLength))
      throw new Error(`the column ${name} lies outside of the file`);
    // Lists have more values than rows.
    const most = meta_data.path_in_schema.length === 1 ? rows : MOST_ROWS;
    return columns && !columns.includes(name) ? [] : [{ name, start, end, most }];
  });
  const first = chunks.reduce((least, { start }) => Math.min(least, start), source.byteLength);
  const last = chunks.reduce((most, { end }) => Math.max(most, end), first);
  if (last - first > MOST_BYTES) throw new Error(`a row group has more than ${MOST_BYTES / 2 ** 20} MiB`);
  const bytes = await source.slice(first, last);
  let unpacked = 0;
  for (const { name, start, end, most } of chunks) {
    unpacked += checkChunk(bytes, { at: start - first, end: end - first, most, name });
    if (unpacked > MOST_BYTES) throw new Error(`a row group has more than ${MOST_BYTES / 2 ** 20} MiB`);
  }
  return async (start, end) => bytes.slice(start - first, end - first);
}

export interface SourceFile {
  byteLength: number;
  slice: Slice;
}

interface Chunk {
  at: number;
  end: number;
  /** Values of a page. */
  most: number;
  name: string;
}

/** The bytes of all pages when they are unpacked. */
function checkChunk(bytes: ArrayBuffer, { at, end, most, name }: Chunk): number {
  const reader = { view: new DataView(bytes, 0, end), offset: at };
  let unpacked = 0;
  while (reader.offset < end) {
    const header = parquetHeader(reader);
    const { crc, compressed_page_size: size, uncompressed_page_size: whole } = header;
    const pages = [header.data_page_header, header.data_page_header_v2, header.dictionary_page_header];
    const isPossible = size >= 0 && reader.offset + size <= end && whole >= 0;
    // F19: negated so that NaN is refused, too.
    if (!isPossible || !pages.every((page) => !page || (page.num_values >= 0 && page.num_values <= most)))
      throw new Error(`a page of the column ${name} says what cannot be`);
    if (crc !== undefined && (crc32(new Uint8Array(bytes, reader.offset, size)) | 0) !== crc)
      throw new Error(`the checksum of a page of the column ${name} is wrong`);
    reader.offset += size;
    unpacked += whole;
  }
  return unpacked;
}
