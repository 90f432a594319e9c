import { addFile } from '#base/run/run-summary';
import { type LastRow, openLastRows } from '#codes/input/last-rows';
import type { Context } from '#context';
import type { Column } from '#files/formats/columns';
import type { Row } from '#files/formats/row-sink';
import { outputFile } from './define.ts';
import type { Output } from './output-options.ts';

export const sinceLastOption = outputFile(
  '--since-last <file>',
  'Report only changes since the last run, kept in FILE',
);

export interface Comparison<R, Before> {
  columns: readonly Column[];
  mark: string;
  run: string;
  read(text: LastRow['text']): Before | undefined;
  isNews(row: R, before: Before | undefined): boolean;
}

interface LastRun<R> {
  isNews(row: R): boolean;
  commit(rows: readonly R[]): Promise<void>;
  close(): Promise<void>;
}

type CodeRow = Row & { id: string | null; slug?: string | null };

/** Opens the rows of the last run. Throws like `openLastRows`, and UsageError for rows of another command. */
export async function openLastRun<R extends CodeRow, Before>(
  { clock, signal, processes, facts }: Context,
  path: string | undefined,
  { columns, mark, run, read, isNews }: Comparison<R, Before>,
): Promise<LastRun<R> | undefined> {
  if (path === undefined) return undefined;
  const last = await openLastRows(path, { clock, signal, processes, columns, mark });
  try {
    const before = new Map<string, Before>();
    for (const { text, notOurs } of last.rows) {
      const key = keyOf({ id: text('id'), slug: text('slug') });
      const row = read(text);
      if (row === undefined || key === '') throw notOurs(run);
      before.set(key, row);
    }
    return {
      isNews: (row) => isNews(row, before.get(keyOf(row))),
      async commit(rows) {
        await last.replace(rows);
        addFile(facts, path);
      },
      close: last.close,
    };
  } catch (error) {
    await last.close();
    throw error;
  }
}

function keyOf({ id, slug }: CodeRow): string {
  return id ?? slug ?? '';
}

/**
 * Prints the rows that changed since the last run, or all rows without `last`. Stores all rows for the next
 * run. Returns the printed rows.
 */
export async function printNews<R extends Row>(
  output: Output,
  rows: readonly R[],
  last: LastRun<R> | undefined,
): Promise<readonly R[]> {
  const news = last ? rows.filter(last.isNews) : rows;
  // Prints nothing if nothing changed, because cron mails any output, even a header.
  if (!last || news.length > 0 || output.plan.path !== undefined)
    await output.print(news, { none: 'No codes' });
  await last?.commit(rows);
  return news;
}
