/** What comes back from a bulk run: the input's columns, then id, slug, outcome and error; one row per input row, in its order. */
import type { Input } from './rows.ts';

export const RESULT_COLUMNS = ['id', 'slug', 'outcome', 'error'] as const;

export type RowOutcome =
  | 'created'
  | 'adopted'
  | 'exists'
  | 'updated'
  | 'unchanged'
  | 'deleted'
  | 'failed'
  | 'not-attempted'
  | 'undecided';

/** The outcomes that leave nothing to do. */
const DONE: ReadonlySet<RowOutcome> = new Set<RowOutcome>(['created', 'adopted', 'exists', 'updated', 'unchanged', 'deleted']);

/** How one row ended. */
export interface RowResult {
  id?: string | undefined;
  slug?: string | undefined;
  outcome: RowOutcome;
  error?: string | undefined;
}

export interface Results {
  columns: string[];
  rows: Record<string, unknown>[];
}

/**
 * The results table. Columns of the input that carry the names of ours (an earlier results file, or the codes to change) are
 * replaced by ours; where the outcome names no code, the row keeps the id and slug it came with.
 */
export function tabulate(input: Input, results: readonly RowResult[]): Results {
  const ours: readonly string[] = RESULT_COLUMNS;
  const theirs = input.columns.filter((column) => !ours.includes(column.trim().toLowerCase()));
  const columnOf = (name: string) => input.columns.find((column) => column.trim().toLowerCase() === name) ?? name;
  const [idColumn, slugColumn] = [columnOf('id'), columnOf('slug')];
  const rows = input.rows.map(({ values }, index) => {
    const { outcome, error, ...found } = results[index] ?? { outcome: 'not-attempted' };
    const id = found.id ?? (values.get(idColumn) || null);
    const slug = found.slug ?? (values.get(slugColumn) || null);
    const kept = theirs.map((column) => [column, values.get(column) ?? null] as const);
    // fromEntries, not assignment: a column may be called __proto__.
    return Object.fromEntries([...kept, ...Object.entries({ id, slug, outcome, error: error ?? null })]);
  });
  return { columns: [...theirs, ...ours], rows };
}

/** How many rows ended in each way, in the order of the contract's list. */
export function countOutcomes(results: readonly RowResult[]): Map<RowOutcome, number> {
  const counts = new Map<RowOutcome, number>();
  for (const { outcome } of results) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return counts;
}

export function isDone({ outcome }: RowResult): boolean {
  return DONE.has(outcome);
}
