/** Reads a part back: whose row, which id, which time. For ids older than the manifest lists. */
import { readRows, type SavedRow } from '../append/read-back.ts';
import type { Disk } from '../durable/disk.ts';
import { readParquetRows } from '../parquet-rows.ts';
import type { Row } from '../row-sink.ts';
import { parseInstant } from '../time.ts';
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
    if (identity.format === 'parquet') {
      for await (const rows of readParquetRows(file, part.bytes, ['qr_id', 'id', 'ts']))
        for (const row of rows) onRow(savedRow(row));
    } else await readRows(file, { start: Buffer.byteLength(begin), end: part.bytes }, identity, onRow);
  } finally {
    await file.close();
  }
}

/** What is known of a row that was not written yet. */
export function savedRow({ qr_id, id, ts }: Row): SavedRow {
  return { code: String(qr_id), id: String(id), timeMs: parseInstant(String(ts)) ?? Number.NaN };
}
