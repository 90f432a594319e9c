/**
 * Rows do not vanish individually: if as many older, distinct rows are merged as a page has before it (its
 * rank), none is missing. Only rows of the newest instant are pending.
 */
import { countOf } from '../../base/text/quote.ts';
import type { Scan, ScanPage } from '../../service/shapes.ts';
import { type Batch, select } from './range.ts';

/** Rows moved while they were read, or the service's numbers are wrong. */
export class InconsistentPagesError extends Error {
  override name = 'InconsistentPagesError';
}

export function createPageMerger() {
  let released = 0;
  let pending: Batch = { rows: [], times: [] };
  let pendingIds = new Set<Scan['id']>();
  const count = () => released + pending.rows.length;

  /** `rank` is the number of older rows. Returns final rows, oldest first. */
  function add(page: Batch, rank: number): Batch {
    if (rank > count())
      throw new InconsistentPagesError(`${countOf(rank - count(), 'row')} missing between two pages`);
    const pendingMs = pending.times[0] ?? -Infinity;
    // C4: an older row counts as merged; if it is new, the ranks don't match (C3).
    const fresh = select(
      page,
      ({ id }, time) => time > pendingMs || (time === pendingMs && !pendingIds.has(id)),
    );
    // C3: only an exact repetition beyond the rank shows that no row moved.
    if (page.rows.length - fresh.rows.length !== count() - rank)
      throw new InconsistentPagesError('rows moved between two pages');
    const { rows, times } = oldestFirst(fresh);
    refuseRepeats(rows);
    const newest = times.indexOf(times.at(-1) as number);
    // C4: rows of the newest instant wait for the next page.
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

  const rest = () => oldestFirst(pending);

  return { count, add, rest };
}

/** C5: a repeated row would hide another one. */
function refuseRepeats(rows: readonly Scan[]): void {
  if (rows.some(({ id }, i) => id === rows[i - 1]?.id))
    throw new InconsistentPagesError('a page contains the same row twice');
}

/** Sorts by time, then by ID. Returns the same arrays if they are sorted. */
export function oldestFirst({ rows, times }: Batch | ScanPage): Batch {
  const compare = (a: number, b: number) =>
    (times[a] as number) - (times[b] as number) || ((rows[a] as Scan).id < (rows[b] as Scan).id ? -1 : 1);
  let sorted = true;
  for (let i = 1; sorted && i < rows.length; i++) sorted = compare(i - 1, i) < 0;
  if (sorted) return { rows, times };
  const places = rows.map((_, i) => i).sort(compare);
  return { rows: places.map((i) => rows[i] as Scan), times: places.map((i) => times[i] as number) };
}
