/** Records of a Parquet file that `scans export` wrote, a row group at a time. */
import { open } from 'node:fs/promises';
import { messageOf } from '../../errors.ts';
import type { Row } from '../../row-sink.ts';
import { formatInstant } from '../../time.ts';
import { cannotRead } from './input-bytes.ts';
import { notOurs } from './input-text.ts';
import type { Records } from './records.ts';

/** Throws UsageError where the file cannot be read, or is no Parquet file. `line` counts rows, from 1. */
export async function* readParquet(path: string): AsyncGenerator<Records> {
  const { parquetMetadataAsync, parquetReadObjects } = await import('hyparquet');
  const file = await open(path, 'r').catch((cause) => {
    throw cannotRead(path, cause);
  });
  try {
    const { size: byteLength } = await file.stat();
    const slice = async (start: number, end = byteLength) => {
      const bytes = new Uint8Array(end - start);
      for (let at = 0; at < bytes.length; ) {
        const { bytesRead } = await file.read(bytes, at, bytes.length - at, start + at);
        if (bytesRead === 0) throw new Error('it ends early');
        at += bytesRead;
      }
      return bytes.buffer;
    };
    const source = { byteLength, slice };
    const inWords = (cause: unknown) => {
      throw notOurs(path, `it is no whole Parquet file (${messageOf(cause)})`);
    };
    const metadata = await parquetMetadataAsync(source).catch(inWords);
    let rowStart = 0;
    for (const { num_rows } of metadata.row_groups) {
      const rowEnd = rowStart + Number(num_rows);
      const rows = await parquetReadObjects({ file: source, metadata, rowStart, rowEnd, parsers: PARSERS }).catch(inWords);
      yield { rows: rows.map(withPlainId), line: rowStart + 1, torn: false };
      rowStart = rowEnd;
    }
  } finally {
    await file.close();
  }
}

const PARSERS = { timestampFromMicroseconds: (us: bigint) => formatInstant(Number(us / 1000n)) };

/** As JSON has it: a number where that is exact. */
function withPlainId(row: Row): Row {
  const id = typeof row.id === 'bigint' && Number.isSafeInteger(Number(row.id)) ? Number(row.id) : row.id;
  return { ...row, id };
}
