/**
 * The ordinary export of a range: every page once, in parallel, delivered oldest first, in flat memory. It serves a service
 * that pages in time order, either way round, and costs a still one `ceil(rows / page) + 1` requests.
 *
 * Pages asked for together are answered at different moments. Only while all of them report the same total was the service
 * still, and their ranks can be compared; when the total grows, the rest of what was asked for is thrown away and asked anew.
 * A page asked for after everything collected had been answered may always be believed.
 */
import type { Scan, ScanPage } from '../service/shapes.ts';
import { createAssembly, MovedError } from './assembly.ts';
import type { Batch } from './batch.ts';
import { type FetchInOrder, pageSpan } from './query.ts';
import { type Edge, edgeTime, mayBeCapped, showsMore } from './truncated-total.ts';

/** Reads one page of the range being exported. */
type ReadPage = (page: number) => Promise<ScanPage>;

export interface Walk {
  read: ReadPage;
  /** Reads page 1 of what lies beyond a time, in the direction in which the pages run. */
  readBeyond(timeMs: number): Promise<ScanPage>;
  /** Page 1, already answered; it has rows. */
  first: ScanPage;
  /** Rows a full page holds. */
  pageSize: number;
  order: Edge['order'];
  fetchInOrder: FetchInOrder;
  /** Requests in flight at once. */
  width: number;
}

interface Numbered {
  page: number;
  answer: ScanPage;
}

/** How often a growing range is asked for anew before the walk gives up. */
const MAX_ROUNDS = 1000;

/**
 * Yields the rows of the range oldest first. When it ends, everything yielded is proven to be the whole range as of the newest
 * answer. Throws MovedError when it cannot tell; what was yielded until then is proven as of the answers behind it.
 */
export async function* walk(job: Walk): AsyncGenerator<Batch> {
  const assembly = createAssembly();
  const ends = new Set<Scan['id']>();
  let total = job.first.total;
  let held: ScanPage | undefined = job.first;
  let width = job.width;
  let outer = job.first;

  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = assembly.count();
    let believed = false;
    let grew = false;
    let ended = false;
    for await (const answered of job.fetchInOrder(pagesFrom(job, before, total), numbered(job.read, held), width)) {
      const { page, answer } = answered;
      grew = believed && answer.total !== total;
      if (grew) break;
      if (answer.total < total) throw new MovedError('rows vanished from the range');
      believed = true;
      total = answer.total;
      const lastPage = Math.ceil(total / job.pageSize);
      if (page <= lastPage && (page === 1 || page === lastPage)) for (const id of idsOf(answer)) ends.add(id);
      if (page === lastPage) outer = answer;
      ended = page > lastPage;
      if (ended) refuseMore(answer, ends);
      else yield assembly.add(answer, rankOf(job, answered));
    }
    if (!grew && assembly.count() === total) {
      const newest = ended ? total : await lookBeyond(job, outer, ends, total);
      if (newest === total) return yield assembly.rest();
      total = newest;
    } else if (!grew && assembly.count() === before) throw new MovedError(`the service counts ${total} rows and shows ${before}`);
    held = undefined;
    width = grew ? Math.max(1, width >> 1) : Math.min(job.width, width * 2);
  }
  throw new MovedError('the range did not stop growing');
}

/** The page after the last must bring nothing new (a service may leave it empty, or show its first or last page again). */
function refuseMore(beyond: ScanPage, known: ReadonlySet<Scan['id']>): void {
  if (!idsOf(beyond).every((id) => known.has(id))) throw new MovedError('rows follow after the last page');
}

/**
 * What follows after the last page, where it was not asked for with the others: by time, where the total may be capped, since
 * pages beyond a cap are not shown. Returns the newest total.
 */
async function lookBeyond(job: Walk, outer: ScanPage, ends: ReadonlySet<Scan['id']>, total: number): Promise<number> {
  const edge: Edge = { order: job.order, page: outer };
  const timeMs = mayBeCapped(total) ? edgeTime(edge) : undefined;
  const more = timeMs === undefined ? undefined : showsMore(edge, await job.readBeyond(timeMs));
  if (more === false) return total;
  const beyond = await job.read(Math.ceil(total / job.pageSize) + 1);
  if (beyond.total !== total) return beyond.total;
  if (more) throw new MovedError(`the service counts ${total} rows and has more`);
  refuseMore(beyond, ends);
  return total;
}

function idsOf(answer: ScanPage): Scan['id'][] {
  return answer.rows.map((row) => row.id);
}

function numbered(read: ReadPage, first: ScanPage | undefined): (page: number) => Promise<Numbered> {
  return async (page) => ({ page, answer: page === 1 && first ? first : await read(page) });
}

/**
 * The pages still to read when `count` rows of `total` are collected, oldest rows first. The page after the last ends them,
 * unless the total is one that is looked beyond in another way.
 */
function pagesFrom({ order, pageSize }: Walk, count: number, total: number): number[] {
  const last = Math.ceil(total / pageSize);
  const left =
    order === 'ascending'
      ? pageSpan(Math.floor(count / pageSize) + 1, last)
      : pageSpan(1, Math.floor(Math.max(total - count - 1, 0) / pageSize) + 1).reverse();
  return mayBeCapped(total) ? left : [...left, last + 1];
}

/** How many rows of the range are older than the page's oldest, by the page's number and the total of the same answer. */
function rankOf({ order, pageSize }: Walk, { page, answer }: Numbered): number {
  const before = (page - 1) * pageSize;
  const after = Math.max(answer.total - before - pageSize, 0);
  if (answer.total - before - after !== answer.rows.length) throw new MovedError('a page has not as many rows as it should');
  return order === 'ascending' ? before : after;
}
