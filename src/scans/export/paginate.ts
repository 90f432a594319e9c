import { sum } from '#base/collections';
import { countOf, formatCount } from '#base/text/quote';
import type { Scan, ScanPage } from '#service/shapes';
import { type Batch, CAUTIOUS_WIDTH, pageReader, pageSizeOf, type RangeReading, select } from './range.ts';
import { type Edge, mayBeTruncated, type PageOrder, requestBeyond, widenEdge } from './truncated-total.ts';

export interface PaginationJob extends RangeReading {
  reportRows(rows: number): void;
  proveBeyond: boolean;
}

interface Paging {
  order: PageOrder;
  pageSize: number;
}

/** Yields rows, oldest first. Returns only if they are verified as complete as of the newest response. */
export async function* paginate(
  job: PaginationJob,
  first: ScanPage,
  order: PageOrder,
): AsyncGenerator<Batch> {
  const paging: Paging = { order, pageSize: pageSizeOf(first) };
  const readPage = pageReader(job, first);
  const merger = createPageMerger();
  let edge: Edge | undefined;
  let checkedTotal: number | undefined;
  let total = first.total;
  let width = job.width;
  let firstIsNew = true;
  // C13: limits a first round of many parallel requests, because the first total may be too high.
  let most = width > CAUTIOUS_WIDTH ? CAUTIOUS_WIDTH : Infinity;

  // C13: each round uses up the request budget. C9: ends when merged rows match the newest total.
  do {
    const readNumbered = async (page: number): Promise<{ page: number; response: ScanPage }> => {
      const response = page === 1 && firstIsNew ? first : await readPage(page);
      ahead.set(page, response.rows);
      job.reportRows(merger.count() + countAhead(ahead.values()));
      return { page, response };
    };
    const pages = pagesLeft(paging, merger.count(), total, most);
    const ahead = new Map<number, readonly Scan[]>();
    let isComparable = false;
    let changed = false;
    for await (const { page, response } of job.fetchInOrder(pages, readNumbered, width)) {
      // C7: starts another round, because ranks from before and after a change can't be combined.
      changed = isComparable && response.total !== total;
      if (changed) {
        total = Math.max(total, response.total);
        break;
      }
      // C8: refuses a lower total, because merged rows may have left the range.
      if (response.total < total) throw new InconsistentPagesError('rows disappeared from the range');
      isComparable = true;
      total = response.total;
      const inPlace = merger.add(response, rankOf(paging, page, response));
      edge = widenEdge(edge, response, order);
      ahead.delete(page);
      // C20: in descending order, rows beyond the total are the oldest, so looks for them before yielding.
      if (order === 'descending' && inPlace.rows.length > 0 && checkedTotal === undefined) await refuseMore();
      yield inPlace;
    }
    if (changed) await job.awaitEnd?.();
    width = changed ? Math.max(1, width >> 1) : Math.min(job.width, width * 2);
    firstIsNew &&= !changed;
    most = Infinity;
  } while (merger.count() < total);
  if (total !== checkedTotal) await refuseMore();
  yield merger.rest();

  /** Throws if the service may have more rows than a capped total (C10). */
  async function refuseMore(): Promise<void> {
    const { pageSize } = paging;
    const known = total;
    checkedTotal = known;
    if (edge === undefined || !mayBeTruncated(known, pageSize, job.proveBeyond)) return;
    const more = await requestBeyond(job, order, edge, known);
    if (more === true)
      throw new InconsistentPagesError(
        `the service reports a total of ${formatCount(known)} but has more rows`,
      );
    if (more === undefined) throw mayHaveMore(known);
  }
}

function* pagesLeft(
  { order, pageSize }: Paging,
  count: number,
  total: number,
  most: number,
): Generator<number> {
  const last = Math.ceil(total / pageSize);
  const [from, step] =
    order === 'ascending'
      ? [Math.floor(count / pageSize) + 1, 1]
      : [Math.floor((total - count - 1) / pageSize) + 1, -1];
  for (let i = 0, page = from; i < most && page >= 1 && page <= last; i++, page += step) yield page;
}

/** C13: counts the rows in unmerged pages. Pages that begin with the same row count once. */
function countAhead(pages: Iterable<readonly Scan[]>): number {
  const counts = new Map<Scan['id'] | undefined, number>();
  for (const rows of pages) counts.set(rows[0]?.id, rows.length);
  return sum(counts.values());
}

function rankOf({ order, pageSize }: Paging, page: number, { rows, total }: ScanPage): number {
  const before = (page - 1) * pageSize;
  const after = Math.max(total - before - pageSize, 0);
  // C6: a page whose length does not fit its number has moved.
  if (total - before - after !== rows.length)
    throw new InconsistentPagesError('a page has the wrong number of rows');
  return order === 'ascending' ? before : after;
}

export class InconsistentPagesError extends Error {}

export function mayHaveMore(total: number, where = ''): InconsistentPagesError {
  return new InconsistentPagesError(`the service may have more than ${countOf(total, 'row')}${where}`);
}

export function refuseNone(total: number): void {
  if (total === 0) throw new InconsistentPagesError('the service returned rows before but now returns none');
}

export function describeLack(total: number, count: number): string {
  return `the service reports a total of ${formatCount(total)} but returned ${countOf(count, 'row')}`;
}

/**
 * Merges pages oldest first, and checks that no row is missing between them: as many rows must be merged as
 * are older than the next page (its rank). Holds back rows of the newest time until the next page.
 */
export function createPageMerger() {
  let released = 0;
  let pending: Batch = { rows: [], times: [] };
  let pendingIds = new Set<Scan['id']>();
  const count = () => released + pending.rows.length;

  /** Merges a page that follows `rank` older rows. Returns final rows, oldest first. */
  function add(page: Batch, rank: number): Batch {
    if (rank > count())
      throw new InconsistentPagesError(`${countOf(rank - count(), 'row')} missing between two pages`);
    const pendingMs = pending.times[0] ?? -Infinity;
    // C4: a row older than the pending rows counts as merged. If it is new, the ranks don't match (C3).
    const fresh = select(
      page,
      ({ id }, time) => time > pendingMs || (time === pendingMs && !pendingIds.has(id)),
    );
    // C3: if no row moved, exactly `count() - rank` rows of the page are already merged.
    if (page.rows.length - fresh.rows.length !== count() - rank)
      throw new InconsistentPagesError('rows moved between two pages');
    const { rows, times } = oldestFirst(fresh);
    // C5: refuses the same row twice on a page, because another row may be missing.
    if (rows.some(({ id }, i) => id === rows[i - 1]?.id))
      throw new InconsistentPagesError('a page contains the same row twice');
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

export function oldestFirst({ rows, times }: Batch | ScanPage): Batch {
  const compare = (a: number, b: number) =>
    (times[a] as number) - (times[b] as number) || ((rows[a] as Scan).id < (rows[b] as Scan).id ? -1 : 1);
  let sorted = true;
  for (let i = 1; sorted && i < rows.length; i++) sorted = compare(i - 1, i) < 0;
  if (sorted) return { rows, times };
  const places = rows.map((_, i) => i).sort(compare);
  return { rows: places.map((i) => rows[i] as Scan), times: places.map((i) => times[i] as number) };
}
