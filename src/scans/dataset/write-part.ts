/** Writes and flushes the file of one part. */
import { type Disk, readPieces } from '../../files/durable/disk.ts';
import { createTemporary } from '../../files/durable/replace-file.ts';
import { createEarlyFlush, writeFully } from '../../files/durable/write.ts';
import type { Row } from '../../files/formats/row-sink.ts';
import type { DatasetIdentity, Part } from './manifest.ts';
import { readParquetPart } from './read-part.ts';

/** Turns the rows of one part into text or bytes: `begin`, any number of `rows`, `end`. */
export interface PartFormatter {
  begin(): string;
  rows(rows: readonly Row[]): string | Uint8Array;
  end(): string | Uint8Array;
}

/** Number of rows that are formatted at once. */
const BATCH = 2000;

/** Yields the content of a part with these rows. */
export async function* formatPart(
  formatter: PartFormatter,
  rows: readonly Row[],
): AsyncGenerator<string | Uint8Array> {
  yield formatter.begin();
  for (let at = 0; at < rows.length; at += BATCH) yield formatter.rows(rows.slice(at, at + BATCH));
  yield formatter.end();
}

/** Creates the file of a part at `temporary`, later `path`, and resolves to its bytes. Throws the system's error. */
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
    // P1: the bytes before the manifest that lists them. Otherwise a power cut could leave a manifest whose rows are missing.
    await file.sync();
    return size;
  } finally {
    await file.close();
  }
}

/** Merges the rows of several parts, at `paths`, in the order in which they were committed. */
export async function* mergeParts(
  disk: Disk,
  formatter: PartFormatter,
  { format }: Pick<DatasetIdentity, 'format'>,
  parts: readonly (Pick<Part, 'bytes'> & { path: string })[],
  signal?: AbortSignal,
): AsyncGenerator<string | Uint8Array> {
  const begin = formatter.begin();
  yield begin;
  for (const { path, bytes } of parts) {
    const file = await disk.open(path, 'r+');
    try {
      if (format === 'parquet')
        yield* parquetPieces(readParquetPart(file, path, bytes, { signal }), formatter);
      else yield* readPieces(file, Buffer.byteLength(begin), bytes);
    } finally {
      await file.close();
    }
  }
  yield formatter.end();
}

async function* parquetPieces(
  groups: AsyncIterable<Row[]>,
  formatter: PartFormatter,
): AsyncGenerator<string | Uint8Array> {
  for await (const rows of groups) {
    for (let at = 0; at < rows.length; at += BATCH) yield formatter.rows(rows.slice(at, at + BATCH));
  }
}
