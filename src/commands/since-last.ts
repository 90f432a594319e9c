import { systemCode, UsageError } from '#base/errors';
import { addFile } from '#base/run/run-summary';
import type { Context } from '#context';
import { acquireLock } from '#files/durable/lock';
import { describeSystemError } from '#files/durable/path-errors';
import type { Column } from '#files/formats/columns';
import { createFormatter } from '#files/formats/create-formatter';
import { createDocumentSink } from '#files/formats/document-sink';
import { DATA_FORMATS } from '#files/formats/formats';
import { kindOfTable } from '#files/formats/kept-file';
import {
  delimiterOfPath,
  formatOfPath,
  isCompressed,
  refuseForeignExtension,
} from '#files/formats/plan-output';
import { fold } from '#files/formats/read/input';
import type { Row } from '#files/formats/row-sink';
import { checkWholeFile, openWholeFile } from '#files/formats/whole-file';
import { readWritten } from './bulk-input.ts';
import { outputFile } from './define.ts';
import { type Output, writeAll } from './output-options.ts';

export const sinceLastOption = outputFile(
  '--since-last <file>',
  'Report only changes since the last run, kept in FILE',
);

export interface Comparison<R, Before> {
  columns: readonly Column[];
  mark: string;
  run: string;
  read(text: (column: string) => string | null): Before | undefined;
  isNews(row: R, before: Before | undefined): boolean;
}

interface LastRun<R> {
  isNews(row: R): boolean;
  commit(rows: readonly R[]): Promise<void>;
  close(): Promise<void>;
}

type CodeRow = Row & { id: string | null; slug?: string | null };

/** Locks and reads the `--since-last` file, if passed. Throws UsageError for an unrelated file. */
export async function openLastRun<R extends CodeRow, Before>(
  { clock, signal, processes, facts }: Context,
  path: string | undefined,
  comparison: Comparison<R, Before>,
): Promise<LastRun<R> | undefined> {
  if (path === undefined) return undefined;
  refuseForeignExtension(path, DATA_FORMATS, 'files of --since-last');
  const { columns, isNews } = comparison;
  const place = {
    elsewhere: 'specify a different file with --since-last',
    replaces: ['none' as const, 'other' as const, kindOfTable(columns.map(({ name }) => name))],
  };
  const lock = await acquireLock(path, { clock, signal });
  try {
    const before = await readLast(path, comparison);
    await checkWholeFile(path, place);
    return {
      isNews: (row) => isNews(row, before.get(keyOf(row))),
      async commit(rows) {
        const format = DATA_FORMATS.find((known) => known === formatOfPath(path)) ?? 'csv';
        const file = await openWholeFile(path, { processes, gzip: isCompressed(path), ...place });
        await writeAll(
          createDocumentSink(file, createFormatter(format, { columns, delimiter: delimiterOfPath(path) })),
          [rows],
        );
        addFile(facts, path);
      },
      close: () => lock.release(),
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function readLast<Before>(
  path: string,
  { mark, run, read }: Comparison<never, Before>,
): Promise<Map<string, Before>> {
  const before = new Map<string, Before>();
  const input = await readWritten(path).catch((cause: unknown) => {
    if (systemCode(cause) === 'ENOENT') return undefined;
    throw notOurs(path, describeSystemError(cause), cause);
  });
  const { columns, rows } = input ?? { columns: [], rows: [] };
  const columnOf = new Map(columns.map((column) => [fold(column), column]));
  if (columns.length > 0 && !columnOf.has(mark)) throw notOurs(path, `it has no ${mark} column`);
  for (const { values, line } of rows) {
    const text = (column: string) => String(values.get(columnOf.get(column) ?? '') ?? '') || null;
    const key = keyOf({ id: text('id'), slug: text('slug') });
    const row = read(text);
    if (row === undefined || key === '') throw notOurs(path, `line ${line} is not a row of ${run}`);
    before.set(key, row);
  }
  return before;
}

function notOurs(path: string, why: string, cause?: unknown): UsageError {
  return new UsageError(`${path} was not written by --since-last: ${why}`, {
    hint: 'Specify a different file with --since-last. This file is unchanged.',
    cause,
  });
}

function keyOf({ id, slug }: CodeRow): string {
  return id ?? slug ?? '';
}

/** Prints and returns the rows that changed since `last`, and stores all rows. Without `last`, prints all. */
export async function printNews<R extends Row>(
  output: Output,
  rows: readonly R[],
  last: LastRun<R> | undefined,
): Promise<readonly R[]> {
  const news = last ? rows.filter(last.isNews) : rows;
  // Prints nothing to standard output without changes, because cron mails any output, even a header.
  if (!last || news.length > 0 || output.plan.path !== undefined)
    await output.print(news, { none: 'No codes' });
  await last?.commit(rows);
  return news;
}
