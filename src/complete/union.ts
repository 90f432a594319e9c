/**
 * The export of a range whose pages follow no order, or moved while they were read: all distinct rows of as many passes as it
 * takes. Rows do not vanish one by one, so when the newest total equals the number of distinct ids collected, and the page
 * after the last brought no new id, the collection is the range. Memory grows with the rows: keep the range small.
 */
import type { Scan, ScanPage } from '../service/shapes.ts';
import { type Batch, select } from './batch.ts';
import { type FetchInOrder, pageSizeOf, pageSpan } from './query.ts';

export interface Union {
  first: ScanPage;
  read(page: number): Promise<ScanPage>;
  fetchInOrder: FetchInOrder;
  width: number;
  /** How often the range may be read, passes that find more of an unchanged total not counted. */
  passes: number;
}

/** Rows of one instant may come in another order each time: so many passes find hundreds of them. */
const MOST_PASSES = 12;

export interface UnionResult {
  proven: boolean;
  /** Distinct rows seen. */
  count: number;
  /** Number of rows by the service's newest word. */
  total: number;
}

/** Yields rows not seen before, in the service's own order; returns whether they are all. */
export async function* union(job: Union): AsyncGenerator<Batch, UnionResult> {
  const ids = new Set<number | bigint>();
  const isNew = ({ id }: Scan) => isAdded(ids, id);
  const pageSize = pageSizeOf(job.first);
  let total = job.first.total;
  let left = job.passes;

  for (let pass = 1; pass <= MOST_PASSES && left > 0; pass++) {
    const start = { known: ids.size, total };
    let before = 0;
    let served = 0;
    let full = true;
    let page = 0;
    do {
      const end = Math.max(page, pages()) + 1;
      for await (const answer of job.fetchInOrder(pageSpan(page + 1, end), reader(pass), job.width)) {
        page += 1;
        before = ids.size;
        total = Math.max(total, answer.total);
        if (page <= pages()) served += answer.rows.length;
        if (page < pages() && answer.rows.length !== pageSize) full = false;
        yield select(answer, isNew);
      }
    } while (ids.size > before);
    // More rows shown than counted, or a page cut short: rows were missed, and the total hides it.
    if (ids.size === total && served <= total && full) return { proven: true, count: ids.size, total };
    if (pass === 1 || ids.size === start.known || total !== start.total) left -= 1;
  }
  return { proven: false, count: ids.size, total };

  function reader(pass: number): (page: number) => Promise<ScanPage> {
    return pass === 1 ? async (page) => (page === 1 ? job.first : await job.read(page)) : job.read;
  }

  /** By the newest total. */
  function pages(): number {
    return Math.ceil(total / pageSize);
  }
}

function isAdded<T>(set: Set<T>, value: T): boolean {
  const before = set.size;
  return set.add(value).size > before;
}
