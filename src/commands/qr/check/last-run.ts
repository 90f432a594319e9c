/** Compares a check with the last one, whose rows the file of `--since-last` has. */
import { type LastRow, openLastRows } from '../../../bulk/last-rows.ts';
import { type ComparedRow, isNews } from '../../../check/since-last.ts';
import { OUTCOMES } from '../../../check/verdict.ts';
import type { Context } from '../../../context.ts';
import { addFile } from '../../../run/run-summary.ts';
import { type CheckRow, COLUMNS } from './columns.ts';

interface Judges {
  fails: (row: Pick<CheckRow, 'outcome' | 'error'>) => boolean;
  ends: (row: Pick<CheckRow, 'tls_days'>) => boolean;
}

export interface LastRun {
  isNews(row: CheckRow): boolean;
  /** Replaces the findings of the last run by those of this one. */
  commit(rows: readonly CheckRow[]): Promise<void>;
  close(): Promise<void>;
}

/** Opens the file at `path` like `openLastRows`. Throws UsageError also if it has rows of something else. */
export async function openLastRun(
  { clock, signal, processes, facts }: Context,
  path: string,
  output: string | undefined,
  judges: Judges,
): Promise<LastRun> {
  const last = await openLastRows(path, { clock, signal, processes, columns: COLUMNS, mark: 'destination', output });
  try {
    const before = new Map(last.rows.map((row) => comparedRow(row, judges)).map((row) => [row.id, row]));
    const compared = (row: CheckRow): ComparedRow => ({ ...row, failing: judges.fails(row), ending: judges.ends(row) });
    return {
      isNews: (row) => isNews(compared(row), before.get(row.id)),
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

function comparedRow({ text, notOurs }: LastRow, { fails, ends }: Judges): ComparedRow {
  const id = text('id');
  const outcome = OUTCOMES.find((known) => known === text('outcome'));
  if (!outcome || id === null) throw notOurs('a check');
  const days = text('tls_days');
  return {
    id,
    destination: text('destination'),
    failing: fails({ outcome, error: text('error') }),
    ending: ends({ tls_days: days === null ? null : Number(days) }),
  };
}
