/**
 * Puts pages together oldest first and proves, page by page, that nothing before them is missing.
 *
 * The proof: rows do not vanish one by one. A page read after everything collected so far tells how many rows are older than
 * its own (its rank). When we hold exactly that many distinct rows, all of them older, we hold all there are. So memory stays
 * flat: distinctness follows from times that only grow, and only the rows of the newest instant are held back, since rows of
 * one instant may still swap places or be joined by others on the next page.
 */
import { type Batch, concat, oldestFirst, part, select } from './batch.ts';

/** Pages that do not fit together: rows moved while they were read, or the service's numbers are wrong. */
export class MovedError extends Error {
  override name = 'MovedError';
}

export interface Assembly {
  /** Distinct rows collected, the held-back ones included. */
  count(): number;
  /**
   * Adds a page whose oldest row has `rank` older rows before it by the service's word, and returns the rows that are now
   * certain to be in their final place, oldest first. Throws MovedError when the page does not fit what is collected.
   */
  add(page: Batch, rank: number): Batch;
  /** Rows of the newest instant, which the next page could have joined; nothing may be added afterwards. */
  rest(): Batch;
}

const NOTHING: Batch = { rows: [], times: [] };

export function createAssembly(): Assembly {
  let settled = 0;
  let held: Batch = NOTHING;
  const count = () => settled + held.rows.length;

  function add(page: Batch, rank: number): Batch {
    if (rank > count()) throw new MovedError(`${rank - count()} rows are missing before the page`);
    const fresh = withoutKnown(oldestFirst(page), held);
    if (page.rows.length - fresh.rows.length !== count() - rank) throw new MovedError('rows moved between two pages');
    const joined = oldestFirst(concat(held, fresh));
    refuseRepeats(joined);
    const border = startOfNewestInstant(joined.times);
    held = part(joined, border, joined.rows.length);
    settled += border;
    return part(joined, 0, border);
  }

  return { count, add, rest: () => held };
}

/** The page without what is collected already: rows older than the newest instant, and the held-back rows of that instant. */
function withoutKnown(page: Batch, held: Batch): Batch {
  const newest = held.times[0];
  const oldest = page.times[0];
  if (newest === undefined || oldest === undefined || oldest > newest) return page;
  const ids = new Set(held.rows.map((row) => row.id));
  return select(page, (row, time) => time > newest || (time === newest && !ids.has(row.id)));
}

function refuseRepeats({ rows, times }: Batch): void {
  for (let i = 1; i < rows.length; i++) {
    if (times[i] === times[i - 1] && rows[i]?.id === rows[i - 1]?.id) throw new MovedError('a row came twice');
  }
}

function startOfNewestInstant(times: readonly number[]): number {
  let start = times.length - 1;
  while (start > 0 && times[start - 1] === times[start]) start--;
  return Math.max(start, 0);
}
