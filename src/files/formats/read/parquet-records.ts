import { systemCode } from '../../../base/errors.ts';
import { shown } from '../../../base/text/quote.ts';
import { DamagedParquetError, readParquetRows } from '../parquet/parquet-rows.ts';
import type { Row } from '../row-sink.ts';
import { cannotRead, openToRead } from './input-bytes.ts';
import { notOurs, type Records } from './input-text.ts';

/** `line` counts rows. Throws UsageError, or the signal's reason. */
export async function* readParquet(path: string, signal: AbortSignal | undefined): AsyncGenerator<Records> {
  const file = await openToRead(path);
  let line = 1;
  try {
    const { size } = await file.stat();
    for await (const rows of readParquetRows(file, size, { signal })) {
      yield { rows: rows.map(withPlainId), line, torn: false };
      line += rows.length;
    }
  } catch (cause) {
    if (cause instanceof DamagedParquetError)
      throw notOurs(path, `not a complete Parquet file (${shown(cause.message)})`);
    throw systemCode(cause) === undefined ? cause : cannotRead(path, cause);
  } finally {
    await file.close();
  }
}

/** An ID is a number if exact, as in JSON. */
function withPlainId(row: Row): Row {
  const id = typeof row.id === 'bigint' && Number.isSafeInteger(Number(row.id)) ? Number(row.id) : row.id;
  return { ...row, id };
}
