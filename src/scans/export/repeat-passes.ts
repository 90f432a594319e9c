/**
 * Reads all pages in repeated passes with dedup, until a consistent pass ends with as many IDs as the largest
 * total, or no passes are left. Callers check whether that total is capped.
 */
import type { Scan, ScanPage } from '#service/shapes';
import { type Batch, CAUTIOUS_WIDTH, pageReader, pageSizeOf, type RangeReading, select } from './range.ts';

/** C13: maximum number of passes, enough for hundreds of rows with the same time. */
const MOST_PASSES = 12;

interface PassesResult {
  isVerified: boolean;
  count: number;
  total: number;
}

/** Yields new rows. Returns whether all were found. Finding rows after a swap restarts the pass count. */
export async function* repeatPasses(
  job: RangeReading,
  first: ScanPage,
  passes: number,
  known: ReadonlyMap<number, ScanPage> = new Map(),
): AsyncGenerator<Batch, PassesResult> {
  const ids = new Set<Scan['id']>();
  const pageSize = pageSizeOf(first);
  const readPage = pageReader(job, first);
  const lastPage = () => Math.ceil(total / pageSize);
  let total = first.total;
  let left = passes;

  for (let pass = 1; pass <= MOST_PASSES && left > 0; pass++) {
    const readOnce = async (page: number) =>
      (pass === 1 && (page === 1 ? first : known.get(page))) || (await readPage(page));
    const start = { count: ids.size, total };
    let served = 0;
    let full = true;
    let page = 0;
    for await (const response of job.fetchInOrder(
      pagesUntil(lastPage),
      readOnce,
      Math.min(job.width, CAUTIOUS_WIDTH),
    )) {
      page += 1;
      total = Math.max(total, response.total);
      served += response.rows.length;
      if (page < lastPage() && response.rows.length !== pageSize) full = false;
      const fresh = select(response, ({ id }) => ids.size < ids.add(id).size);
      job.reportRows?.(ids.size);
      yield fresh;
    }
    // C11: with more rows than counted, or a short page, a matching total may hide missing rows.
    if (ids.size === total && served <= total && full) return { isVerified: true, count: ids.size, total };
    // Swapped rows are returned twice or missed in equal numbers, so the sum of returned rows is the total.
    const swapped = served === total && ids.size <= total;
    if (pass === 1 || ids.size === start.count || total !== start.total || !swapped) left -= 1;
    else {
      left = passes - 1;
      job.grant?.(2 * lastPage());
    }
  }
  return { isVerified: false, count: ids.size, total };
}

export async function collectPasses(
  rows: AsyncGenerator<Batch, PassesResult>,
  see: (batch: Batch) => void,
): Promise<PassesResult> {
  for (;;) {
    const step = await rows.next();
    if (step.done) return step.value;
    see(step.value);
  }
}

function* pagesUntil(last: () => number): Generator<number> {
  for (let page = 1; page <= last(); page++) yield page;
}
