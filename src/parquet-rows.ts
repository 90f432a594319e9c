/** Rows of a Parquet file that `scans export` wrote, read back by a library of its own, which is loaded only here. */
import type { DiskFile } from './durable/disk.ts';
import type { Row } from './row-sink.ts';
import { formatInstant } from './time.ts';

const PARSERS = { timestampFromMicroseconds: formatMicroseconds };

/** With the digits behind the millisecond only where there are any, as the service has it. */
function formatMicroseconds(us: bigint): string {
  const rest = ((us % 1000n) + 1000n) % 1000n;
  const instant = formatInstant(Number((us - rest) / 1000n));
  return rest === 0n ? instant : instant.replace('Z', `${String(rest).padStart(3, '0')}Z`);
}

/**
 * Yields the rows of each row group, so that the memory is that of one: all columns, or those named. Throws what the system says, an EIO
 * where the file is shorter than `byteLength`, and the library's errors where it is no Parquet file.
 */
export async function* readParquetRows(
  file: Pick<DiskFile, 'read'>,
  byteLength: number,
  columns?: string[],
): AsyncGenerator<Row[]> {
  const { parquetMetadataAsync, parquetReadObjects } = await import('hyparquet');
  const slice = async (start: number, end = byteLength) => {
    const bytes = new Uint8Array(end - start);
    for (let at = 0; at < bytes.length; ) {
      const { bytesRead } = await file.read(bytes, at, bytes.length - at, start + at);
      if (bytesRead === 0) throw Object.assign(new Error('it ends early'), { code: 'EIO' });
      at += bytesRead;
    }
    return bytes.buffer;
  };
  const source = { byteLength, slice };
  const metadata = await parquetMetadataAsync(source);
  let rowStart = 0;
  for (const { num_rows } of metadata.row_groups) {
    const rowEnd = rowStart + Number(num_rows);
    yield await parquetReadObjects({ file: source, metadata, columns, rowStart, rowEnd, parsers: PARSERS });
    rowStart = rowEnd;
  }
}
