import { LocalError } from '../../base/errors.ts';
import { shown } from '../../base/text/quote.ts';
import { parseInstant } from '../../base/time/time.ts';
import type { Disk } from '../../files/durable/disk.ts';
import { createTemporary } from '../../files/durable/replace-file.ts';
import { createEarlyFlush, writeFully } from '../../files/durable/write.ts';
import { DamagedParquetError, readParquetRows } from '../../files/formats/parquet/parquet-rows.ts';
import type { Row } from '../../files/formats/row-sink.ts';
import { readRows } from '../append/read-back.ts';
import type { SavedRow } from '../append/row-parsers.ts';
import type { DatasetIdentity, Part } from './manifest.ts';

export interface PartFormatter {
  begin(): string;
  rows(rows: readonly Row[]): string | Uint8Array;
  end(): string | Uint8Array;
}

const BATCH = 2000;

export async function* formatPart(
  formatter: PartFormatter,
  rows: readonly Row[],
): AsyncGenerator<string | Uint8Array> {
  yield formatter.begin();
  for (let at = 0; at < rows.length; at += BATCH) yield formatter.rows(rows.slice(at, at + BATCH));
  yield formatter.end();
}

/**
 * Writes a part durably at `temporary`, later `path`, and returns its size in bytes. Throws the system's
 * error.
 */
export async function writePart(
  disk: Disk,
  path: string,
  temporary: string,
  pieces: AsyncIterable<string | Uint8Array>,
): Promise<number> {
  const file = await createTemporary(disk, path, temporary);
  try {
    const flush = createEarlyFlush(file);
    let size = 0;
    for await (const piece of pieces) {
      const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
      await writeFully(file, bytes, size);
      size += bytes.length;
      flush.wrote(bytes.length);
    }
    await flush.settled();
    // P1: flushed before the manifest that lists it.
    await file.sync();
    return size;
  } finally {
    await file.close();
  }
}

interface PartReading {
  disk: Disk;
  path: string;
  part: Pick<Part, 'bytes'>;
  identity: DatasetIdentity;
  begin: string;
  signal?: AbortSignal;
}

/**
 * Calls `onRow` for each row of a part. Throws LocalError for damage, UnrecognizedRowError for another
 * export.
 */
export async function readPart(
  { disk, path, part, identity, begin, signal }: PartReading,
  onRow: (row: SavedRow) => void,
): Promise<void> {
  const file = await disk.open(path, 'r+');
  try {
    if (identity.format !== 'parquet') {
      await readRows(file, { start: Buffer.byteLength(begin), end: part.bytes }, identity, onRow);
      return;
    }
    for await (const rows of readParquetRows(file, part.bytes, { columns: ['qr_id', 'id', 'ts'], signal }))
      for (const row of rows) onRow(savedRow(row));
  } catch (cause) {
    if (!(cause instanceof DamagedParquetError)) throw cause;
    throw new LocalError(`cannot read ${path}: the file is damaged (${shown(cause.message)})`, {
      cause,
      hint: 'Restore the file from a backup, or export to a new --output-dir.',
    });
  } finally {
    await file.close();
  }
}

export function savedRow({ qr_id, id, ts }: Row): SavedRow {
  return { code: String(qr_id), id: String(id), timeMs: parseInstant(String(ts)) ?? Number.NaN };
}
