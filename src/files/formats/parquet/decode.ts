/** Row groups of a Parquet file as columns that can be handed from one thread to another. */
import { type DecodedArray, type FileMetaData, parquetMetadataAsync, parquetRead } from 'hyparquet';
import { checkPages, type SourceFile } from './check-pages.ts';

/** The values of a column, one per row. Texts that come again are numbered. */
export type ColumnValues =
  | { is: 'integers' | 'microseconds'; values: BigInt64Array }
  | { is: 'texts'; texts: (string | null)[]; indexes: Uint32Array }
  | { is: 'values'; values: unknown[] };

export interface DecodedGroup {
  rows: number;
  columns: { name: string; column: ColumnValues }[];
}

/** A scan has eleven; the decoder looks for each column among all. */
const MOST_COLUMNS = 1000;

/** Times keep the file's representation: as text they have more digits than a Date. */
const PARSERS = { timestampFromMicroseconds: (us: bigint): unknown => us };

/** Yields each row group: all columns, or the named ones. Throws Error if it is not a complete Parquet file. */
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
    const pieces = new Map<string, { at: number; data: DecodedArray }[]>();
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

/** Some 5,000 row groups of scans, each of 122,880 rows. Once decoded, metadata takes many times its bytes. */
const MOST_METADATA_BYTES = 8 * 2 ** 20;
/** Length of the metadata, and `PAR1`. */
const END_BYTES = 8;

async function refuseLongMetadata({ byteLength, slice }: SourceFile): Promise<void> {
  if (byteLength < END_BYTES) return; // the decoder refuses it
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

/** Pages put together. Throws Error if they are not as many values as there are rows. */
function joined(
  parts: readonly { at: number; data: DecodedArray }[],
  rows: number,
  isTime: boolean,
): ColumnValues {
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

/** Undefined if some are null. */
function integersOf(
  parts: readonly { at: number; data: DecodedArray }[],
  rows: number,
): BigInt64Array | undefined {
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
