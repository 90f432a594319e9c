/** Rows of scans with their times, oldest first: what flows through the pipe of an export. */
import type { Scan, ScanPage } from '../service/shapes.ts';
import { formatInstant } from '../time.ts';

/** `times[i]` is the time of `rows[i]` in ms since the epoch. */
export interface Batch {
  rows: Scan[];
  times: number[];
}

/** Half-open range of times in ms since the epoch: `sinceMs` ≤ t < `untilMs`; no lower bound when undefined. */
export interface Range {
  sinceMs: number | undefined;
  untilMs: number;
}

export function formatRange({ sinceMs, untilMs }: Range): string {
  return `${sinceMs === undefined ? '' : `from ${formatInstant(sinceMs)} `}until ${formatInstant(untilMs)}`;
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

/** The rows oldest first, rows of one instant by id. Gives back the same arrays where they are so already. */
export function oldestFirst({ rows, times }: Batch | ScanPage): Batch {
  const compare = (a: number, b: number) =>
    (times[a] as number) - (times[b] as number) || ((rows[a] as Scan).id < (rows[b] as Scan).id ? -1 : 1);
  let sorted = true;
  for (let i = 1; sorted && i < rows.length; i++) sorted = compare(i - 1, i) < 0;
  if (sorted) return { rows, times };
  const places = rows.map((_, i) => i).sort(compare);
  return { rows: places.map((i) => rows[i] as Scan), times: places.map((i) => times[i] as number) };
}

/** The rows inside a range, in their order. Gives back the same batch where all of them are. */
export function cut(batch: Batch, { sinceMs = Number.NEGATIVE_INFINITY, untilMs }: Range): Batch {
  const isInside = (time: number) => time >= sinceMs && time < untilMs;
  return batch.times.every(isInside) ? batch : select(batch, (_, time) => isInside(time));
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

/** One batch after another. */
export function concat(a: Batch, b: Batch): Batch {
  if (a.rows.length === 0) return b;
  if (b.rows.length === 0) return a;
  return { rows: [...a.rows, ...b.rows], times: [...a.times, ...b.times] };
}

export function part({ rows, times }: Batch, from: number, to: number): Batch {
  return { rows: rows.slice(from, to), times: times.slice(from, to) };
}
