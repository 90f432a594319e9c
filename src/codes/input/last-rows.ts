import { gunzipSync } from 'node:zlib';
import { MOST_BYTES } from '#base/bounds';
import { systemCode, UsageError } from '#base/errors';
import type { Clock } from '#base/time/time';
import { acquireLock } from '#files/durable/lock';
import { nodeDisk } from '#files/durable/node-disk';
import { describeSystemError } from '#files/durable/path-errors';
import type { Processes } from '#files/durable/replace-file';
import { readBack } from '#files/durable/trusted-file';
import type { Column } from '#files/formats/columns';
import { createFormatter } from '#files/formats/create-formatter';
import { createDocumentSink } from '#files/formats/document-sink';
import { DATA_FORMATS } from '#files/formats/formats';
import { kindOfTable } from '#files/formats/kept-file';
import { formatOfPath, isCompressed, refuseForeignExtension } from '#files/formats/plan-output';
import { fold, type Input } from '#files/formats/read/input';
import type { Row } from '#files/formats/row-sink';
import { checkWholeFile, openWholeFile } from '#files/formats/whole-file';
import { parseInput } from './read-input.ts';

export interface LastRow {
  text(column: string): string | null;
  notOurs(what: string): UsageError;
}

interface LastRowsJob {
  clock: Clock;
  signal: AbortSignal;
  processes: Processes;
  columns: readonly Column[];
  mark: string;
}

/**
 * Opens the rows of the last run, if any, and locks the file until `close`. Throws UsageError if it is
 * another kind of file, or in use.
 */
export async function openLastRows(path: string, job: LastRowsJob) {
  const { clock, signal, processes, columns, mark } = job;
  refuseForeignExtension(path, DATA_FORMATS, 'files of --since-last');
  const format = DATA_FORMATS.find((known) => known === formatOfPath(path)) ?? 'csv';
  const place = {
    elsewhere: 'specify a different file with --since-last',
    replaces: ['none' as const, 'other' as const, kindOfTable(columns.map(({ name }) => name))],
  };
  const lock = await acquireLock(path, { clock, signal });
  try {
    const input = await readLast(path);
    const rows = input ? rowsOf(input, mark) : [];
    await checkWholeFile(path, place);
    return {
      rows,
      async replace(rows: readonly Row[]) {
        const file = await openWholeFile(path, { processes, gzip: isCompressed(path), ...place });
        const sink = createDocumentSink(file, createFormatter(format, { columns }));
        try {
          await sink.write(rows);
          await sink.commit();
        } finally {
          await sink.discard();
        }
      },
      close: () => lock.release(),
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function readLast(path: string): Promise<Input | undefined> {
  try {
    const bytes = await readBack(nodeDisk, path, MOST_BYTES.rowsFile);
    const plain = isCompressed(path) ? gunzipSync(bytes, { maxOutputLength: MOST_BYTES.rowsFile }) : bytes;
    return await parseInput(plain, path.replace(/\.gz$/, ''));
  } catch (cause) {
    if (systemCode(cause) === 'ENOENT') return undefined;
    throw notOurs(path, describeSystemError(cause), cause);
  }
}

function rowsOf(input: Input, mark: string): LastRow[] {
  const columnOf = new Map(input.columns.map((column) => [fold(column), column]));
  if (input.columns.length > 0 && !columnOf.has(mark)) throw notOurs(input.name, `it has no ${mark} column`);
  return input.rows.map(({ values, line }) => ({
    text(column) {
      const value = values.get(columnOf.get(column) ?? '');
      return value === undefined || value === null || value === '' ? null : String(value);
    },
    notOurs: (what) => notOurs(input.name, `line ${line} is not a row of ${what}`),
  }));
}

function notOurs(path: string, why: string, cause?: unknown): UsageError {
  return new UsageError(`${path} was not written by --since-last: ${why}`, {
    hint: 'Specify a different file with --since-last. This file is unchanged.',
    cause,
  });
}
