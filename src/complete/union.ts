/**
 * Exports a range whose pages are not sorted, or moved while they were read: repeated passes with dedup by ID, until no row is missing.
 * Rows do not vanish individually, so if the newest total equals the number of distinct IDs, the collection is the range, provided that the
 * total is not capped: the caller checks that. Memory grows with the rows: keep the range small.
 */
import type { Scan, ScanPage } from '../service/shapes.ts';
import { type Batch, CAUTIOUS_WIDTH, pageReader, pageSizeOf, type RangeReading, select } from './range.ts';

/** C13: rows of one instant may come in another order each time: so many passes find hundreds of them. */
const MOST_PASSES = 12;

interface UnionResult {
  proven: boolean;
  /** Distinct rows seen. */
  count: number;
  /** Number of rows by the service's largest word. */
  total: number;
}

/**
 * Yields rows not seen before, in the service's own order; returns whether they are all. `first` is page 1 of the range, `known`
 * has further pages of it that were read just now, by their numbers; `passes`: how often the range may be read, passes that find more of an unchanged total not counted.
 */
export async function* union(
  job: RangeReading,
  first: ScanPage,
  passes: number,
  known: ReadonlyMap<number, ScanPage> = new Map(),
): AsyncGenerator<Batch, UnionResult> {
  const ids = new Set<Scan['id']>();
  const pageSize = pageSizeOf(first);
  const readPage = pageReader(job, first);
  const lastPage = () => Math.ceil(total / pageSize);
  let total = first.total;
  let left = passes;

  for (let pass = 1; pass <= MOST_PASSES && left > 0; pass++) {
    const readOnce = async (page: number) => (pass === 1 && (page === 1 ? first : known.get(page))) || (await readPage(page));
    const start = { count: ids.size, total };
    let served = 0;
    let full = true;
    let page = 0;
    for await (const answer of job.fetchInOrder(pagesUntil(lastPage), readOnce, Math.min(job.width, CAUTIOUS_WIDTH))) {
      page += 1;
      total = Math.max(total, answer.total);
      served += answer.rows.length;
      if (page < lastPage() && answer.rows.length !== pageSize) full = false;
      const fresh = select(answer, ({ id }) => isAdded(ids, id));
      job.show?.(ids.size);
      yield fresh;
    }
    // C11: more rows shown than counted, or a page cut short, mean that a total that fits hides rows that were missed.
    if (ids.size === total && served <= total && full) return { proven: true, count: ids.size, total };
    // Rows that swap places come twice where others are missed: in all as many as are counted. Else the total is wrong.
    const swapped = served === total && ids.size <= total;
    if (pass === 1 || ids.size === start.count || total !== start.total || !swapped) left -= 1;
    else {
      left = passes - 1;
      job.grant?.(2 * lastPage());
    }
  }
  return { proven: false, count: ids.size, total };
}

/** Reads a union to its end; `see` is given its rows. */
export async function readUnion(rows: AsyncGenerator<Batch, UnionResult>, see: (batch: Batch) => void): Promise<UnionResult> {
  for (;;) {
    const step = await rows.next();
    if (step.done) return step.value;
    see(step.value);
  }
}

function* pagesUntil(last: () => number): Generator<number> {
  for (let page = 1; page <= last(); page++) yield page;
}

function isAdded<T>(set: Set<T>, value: T): boolean {
  const before = set.size;
  return set.add(value).size > before;
}
