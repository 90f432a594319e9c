/**
 * Merges pages oldest first and verifies, page by page, that no row is missing before them. Rows do not
 * vanish individually, so if exactly as many distinct rows are merged as a later page has older rows (its
 * rank), and all of them are older, none is missing. Memory is constant: times only increase, and only the
 * rows of the newest instant are pending, because they may still swap positions or be joined by others.
 */
import { countOf } from '../../base/text/quote.ts';
import type { Scan, ScanPage } from '../../service/shapes.ts';
import { type Batch, select } from './range.ts';

/** Pages that contradict each other: rows moved while they were read, or the service's numbers are wrong. */
export class InconsistentPagesError extends Error {
  override name = 'InconsistentPagesError';
}

interface PageMerger {
  /** Number of distinct rows merged, with the pending ones. */
  count(): number;
  /**
   * Adds a page, not empty, whose oldest row has `rank` older rows. Returns the rows whose position is final,
   * oldest first. Throws InconsistentPagesError if the page does not fit the merged rows.
   */
  add(page: Batch, rank: number): Batch;
  /** Returns the pending rows: those of the newest instant, which the next page could have extended. Add nothing afterwards. */
  rest(): Batch;
}

export function createPageMerger(): PageMerger {
  let released = 0;
  let pending: Batch = { rows: [], times: [] };
  let pendingIds = new Set<Scan['id']>();
  const count = () => released + pending.rows.length;

  function add(page: Batch, rank: number): Batch {
    if (rank > count())
      throw new InconsistentPagesError(`${countOf(rank - count(), 'row')} missing between two pages`);
    const pendingMs = pending.times[0] ?? Number.NEGATIVE_INFINITY;
    // C4: a row older than the newest instant counts as merged and is never added; if it were new, the ranks would not match (C3).
    const fresh = select(
      page,
      ({ id }, time) => time > pendingMs || (time === pendingMs && !pendingIds.has(id)),
    );
    // C3: only a page that repeats exactly the rows beyond its rank shows that no row arrived in between or moved away.
    if (page.rows.length - fresh.rows.length !== count() - rank)
      throw new InconsistentPagesError('rows moved between two pages');
    const { rows, times } = oldestFirst(fresh);
    refuseRepeats(rows);
    const newest = times.indexOf(times.at(-1) as number);
    // C4: rows of the newest instant are not released yet, so that the next page can be compared with them.
    const done =
      times.at(-1) === pendingMs || rows.length === 0
        ? undefined
        : release(rows.slice(0, newest), times.slice(0, newest));
    for (let i = done ? newest : 0; i < rows.length; i++) {
      const row = rows[i] as Scan;
      pending.rows.push(row);
      pending.times.push(times[i] as number);
      pendingIds.add(row.id);
    }
    return done ?? { rows: [], times: [] };
  }

  function release(rows: readonly Scan[], times: readonly number[]): Batch {
    const merged = oldestFirst({ rows: pending.rows.concat(rows), times: pending.times.concat(times) });
    pending = { rows: [], times: [] };
    pendingIds = new Set();
    released += merged.rows.length;
    return merged;
  }

  return { count, add, rest: () => oldestFirst(pending) };
}

/** C5: a page that lists a row twice fits its rank, but hides another row, and would be written with the repeat. */
function refuseRepeats(rows: readonly Scan[]): void {
  if (rows.some(({ id }, i) => id === rows[i - 1]?.id))
    throw new InconsistentPagesError('a page contains the same row twice');
}

/** Sorts oldest first, rows of one instant by ID. Returns the same arrays if they are sorted. */
export function oldestFirst({ rows, times }: Batch | ScanPage): Batch {
  const compare = (a: number, b: number) =>
    (times[a] as number) - (times[b] as number) || ((rows[a] as Scan).id < (rows[b] as Scan).id ? -1 : 1);
  let sorted = true;
  for (let i = 1; sorted && i < rows.length; i++) sorted = compare(i - 1, i) < 0;
  if (sorted) return { rows, times };
  const places = rows.map((_, i) => i).sort(compare);
  return { rows: places.map((i) => rows[i] as Scan), times: places.map((i) => times[i] as number) };
}
