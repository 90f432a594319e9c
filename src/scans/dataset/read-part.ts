/** Reads the code, ID and time of rows back from a part, for IDs older than those in the manifest. */
import { LocalError } from '../../base/errors.ts';
import { shown } from '../../base/text/quote.ts';
import { parseInstant } from '../../base/time/time.ts';
import type { Disk, DiskFile } from '../../files/durable/disk.ts';
import {
  DamagedParquetError,
  type ParquetReading,
  readParquetRows,
} from '../../files/formats/parquet/parquet-rows.ts';
import type { Row } from '../../files/formats/row-sink.ts';
import { readRows } from '../append/read-back.ts';
import type { SavedRow } from '../append/row-parsers.ts';
import type { DatasetIdentity, Part } from './manifest.ts';

export interface PartReading {
  disk: Disk;
  path: string;
  part: Pick<Part, 'bytes'>;
  identity: DatasetIdentity;
  /** Text before the first row. */
  begin: string;
  signal?: AbortSignal | undefined;
}

/**
 * Calls `onRow` for each row of a part. Throws the system's error, LocalError for a damaged part, and UnrecognizedRowError if a row does not
 * belong to the export.
 */
export async function readPart(
  { disk, path, part, identity, begin, signal }: PartReading,
  onRow: (row: SavedRow) => void,
): Promise<void> {
  const file = await disk.open(path, 'r+');
  try {
    if (identity.format === 'parquet') {
      for await (const rows of readParquetPart(file, path, part.bytes, {
        columns: ['qr_id', 'id', 'ts'],
        signal,
      }))
        for (const row of rows) onRow(savedRow(row));
    } else await readRows(file, { start: Buffer.byteLength(begin), end: part.bytes }, identity, onRow);
  } finally {
    await file.close();
  }
}

/** Yields the rows of a Parquet part in batches. Throws LocalError if it is damaged, the system's error, or the signal's reason. */
export async function* readParquetPart(
  file: DiskFile,
  path: string,
  bytes: number,
  reading: ParquetReading,
): AsyncGenerator<Row[]> {
  try {
    yield* readParquetRows(file, bytes, reading);
  } catch (cause) {
    if (!(cause instanceof DamagedParquetError)) throw cause;
    throw new LocalError(`cannot read ${path}: the file is damaged (${shown(cause.message)})`, {
      cause,
      hint: 'Restore the file from a backup, or export to a new --output-dir.',
    });
  }
}

/** Returns the code, ID and time of a row that was not written yet. */
export function savedRow({ qr_id, id, ts }: Row): SavedRow {
  return { code: String(qr_id), id: String(id), timeMs: parseInstant(String(ts)) ?? Number.NaN };
}
