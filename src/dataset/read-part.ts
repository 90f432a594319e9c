/** Reads a part back: whose row, which id, which time. For ids older than the manifest lists. */
import { readRows, type SavedRow } from '../append/read-back.ts';
import type { Disk, DiskFile } from '../durable/disk.ts';
import type { Row } from '../row-sink.ts';
import { formatInstant, parseInstant } from '../time.ts';
import type { DatasetIdentity, Part } from './manifest.ts';

export interface PartReading {
  disk: Disk;
  path: string;
  part: Pick<Part, 'bytes'>;
  identity: DatasetIdentity;
  /** What stands before the first row. */
  begin: string;
}

/** Calls `onRow` for each row of a part. Throws the system's error, and ForeignRowError where it is not what was written. */
export async function readPart(
  { disk, path, part, identity, begin }: PartReading,
  onRow: (row: SavedRow) => void,
): Promise<void> {
  const file = await disk.open(path, 'r+');
  try {
    if (identity.format === 'parquet') await readParquet(file, part.bytes, (row) => onRow(savedRow(row)));
    else await readRows(file, { start: Buffer.byteLength(begin), end: part.bytes }, identity, onRow);
  } finally {
    await file.close();
  }
}

/** What is known of a row that was not written yet. */
export function savedRow({ qr_id, id, ts }: Row): SavedRow {
  return { code: String(qr_id), id: String(id), timeMs: parseInstant(String(ts)) ?? Number.NaN };
}

async function readParquet(file: DiskFile, byteLength: number, onRow: (row: Row) => void): Promise<void> {
  const { parquetMetadataAsync, parquetReadObjects } = await import('hyparquet');
  const slice = async (start: number, end = byteLength) => {
    const bytes = new Uint8Array(end - start);
    for (let at = 0; at < bytes.length; ) {
      const { bytesRead } = await file.read(bytes, at, bytes.length - at, start + at);
      if (bytesRead === 0) throw Object.assign(new Error('EIO: the file ends early'), { code: 'EIO' });
      at += bytesRead;
    }
    return bytes.buffer;
  };
  const source = { byteLength, slice };
  const metadata = await parquetMetadataAsync(source);
  const parsers = { timestampFromMicroseconds: (us: bigint) => formatInstant(Number(us / 1000n)) };
  // A row group at a time: the memory of one.
  for (let rowStart = 0, group = 0; group < metadata.row_groups.length; group++) {
    const rowEnd = rowStart + Number(metadata.row_groups[group]?.num_rows);
    const columns = ['qr_id', 'id', 'ts'];
    for (const row of await parquetReadObjects({ file: source, metadata, columns, rowStart, rowEnd, parsers })) onRow(row);
    rowStart = rowEnd;
  }
}
