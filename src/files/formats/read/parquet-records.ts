import { shown } from '../../../base/text/quote.ts';
import { systemCode } from '../../durable/path-errors.ts';
import { DamagedParquetError, readParquetRows } from '../parquet/parquet-rows.ts';
import type { Row } from '../row-sink.ts';
import { cannotRead, openToRead } from './input-bytes.ts';
import { notOurs, type Records } from './input-text.ts';

/**
 * Yields the row groups of a Parquet file; `line` counts rows. Throws UsageError if it is not readable
 * Parquet, or the signal's reason.
 */
export async function* readParquet(path: string, signal: AbortSignal | undefined): AsyncGenerator<Records> {
  const file = await openToRead(path);
  try {
    const { size } = await file.stat();
    yield* recordsOf(readParquetRows(file, size, { signal }), path);
  } finally {
    await file.close();
  }
}

async function* recordsOf(groups: AsyncIterable<Row[]>, path: string): AsyncGenerator<Records> {
  let line = 1;
  try {
    for await (const rows of groups) {
      yield { rows: rows.map(withPlainId), line, torn: false };
      line += rows.length;
    }
  } catch (cause) {
    if (cause instanceof DamagedParquetError)
      throw notOurs(path, `not a complete Parquet file (${shown(cause.message)})`);
    throw systemCode(cause) === undefined ? cause : cannotRead(path, cause);
  }
}

/** An ID is a number if exact, as in JSON. */
function withPlainId(row: Row): Row {
  const id = typeof row.id === 'bigint' && Number.isSafeInteger(Number(row.id)) ? Number(row.id) : row.id;
  return { ...row, id };
}
