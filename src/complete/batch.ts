/** Rows of scans with their times, oldest first: what flows through the pipe of an export. */
import type { Scan } from '../service/shapes.ts';

/** `times[i]` is the time of `rows[i]` in ms since the epoch. */
export interface Batch {
  rows: Scan[];
  times: number[];
}

/** Which way a list of scans runs; `mixed`: in no time order. */
export type Order = 'ascending' | 'descending' | 'mixed';

/** The order of a page by its times or, where it shows one instant only, by its ids. */
export function orderOf({ rows, times }: Batch): Order {
  let order: Order | undefined;
  for (let i = 1; i < times.length; i++) {
    const step = (times[i] as number) - (times[i - 1] as number);
    if (step === 0) continue;
    const way = step > 0 ? 'ascending' : 'descending';
    if (order !== undefined && order !== way) return 'mixed';
    order = way;
  }
  const first = rows[0]?.id ?? 0;
  const last = rows[rows.length - 1]?.id ?? 0;
  return order ?? (first > last ? 'descending' : 'ascending');
}

/** The rows that pass a test, in their order. */
export function select({ rows, times }: Batch, test: (row: Scan, time: number) => boolean): Batch {
  const chosen: Batch = { rows: [], times: [] };
  for (let i = 0; i < rows.length; i++) {
    if (!test(rows[i] as Scan, times[i] as number)) continue;
    chosen.rows.push(rows[i] as Scan);
    chosen.times.push(times[i] as number);
  }
  return chosen;
}
