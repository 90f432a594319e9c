/** Compares a watch with the last one, whose rows the file of `--since-last` has. */
import { openLastRows } from '../../../bulk/last-rows.ts';
import type { Context } from '../../../context.ts';
import { addFile } from '../../../run/run-summary.ts';
import { OUTCOMES, type WatchOutcome } from '../../../watch/judge.ts';
import { isNews, type WatchRow } from '../../../watch/watch-rows.ts';
import { COLUMNS } from './columns.ts';

export interface LastWatch {
  isNews(row: WatchRow): boolean;
  /** Replaces the rows of the last run by those of this one. */
  commit(rows: readonly WatchRow[]): Promise<void>;
  close(): Promise<void>;
}

/** Opens the file at `path` like `openLastRows`. Throws UsageError also if it has rows of something else. */
export async function openLastWatch(
  { clock, signal, processes, facts }: Context,
  path: string,
  output: string | undefined,
): Promise<LastWatch> {
  const last = await openLastRows(path, { clock, signal, processes, columns: COLUMNS, mark: 'last_scan', output });
  try {
    const before = new Map<string, WatchOutcome>();
    for (const { text, notOurs } of last.rows) {
      const outcome = OUTCOMES.find((known) => known === text('outcome'));
      const key = keyOf({ id: text('id'), slug: text('slug') });
      if (!outcome || key === '') throw notOurs('a watch');
      before.set(key, outcome);
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

/** Codes of files may have no ID. */
function keyOf({ id, slug }: Pick<WatchRow, 'id' | 'slug'>): string {
  return id ?? slug ?? '';
}
