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
import { type Batch, pageReader, pageSizeOf, type RangeReading } from './range.ts';
import { askBeyond, mayBeTruncated, type PageOrder } from './truncated-total.ts';

interface Numbered {
  page: number;
  answer: ScanPage;
}

/** What the pages of a walk have in common. */
interface Paging {
  order: PageOrder;
  /** Rows a full page holds. */
  pageSize: number;
}

/** C13: how often a growing range is asked for anew before the walk gives up. */
const MAX_ROUNDS = 1000;

/**
 * Yields the rows of the range oldest first; `first` is its page 1, which has rows. When it ends, everything yielded is proven to
 * be the whole range as of the newest answer. Throws MovedError when it cannot tell; what was yielded until then is proven as of
 * the answers behind it.
 */
export async function* walk(job: RangeReading, first: ScanPage, order: PageOrder): AsyncGenerator<Batch> {
  const paging: Paging = { order, pageSize: pageSizeOf(first) };
  const readPage = pageReader(job, first);
  const assembly = createAssembly();
  const ends = new Set<Scan['id']>();
  let total = first.total;
  let last = first;
  let width = job.width;

  for (let round = 0; round < MAX_ROUNDS; round++) {
    const readNumbered = async (page: number): Promise<Numbered> => ({
      page,
      answer: round === 0 && page === 1 ? first : await readPage(page),
    });
    let believed = false;
    let grew = false;
    let ended = false;
    for await (const { page, answer } of job.fetchInOrder(pagesLeft(paging, assembly.count(), total), readNumbered, width)) {
      // C7: this answer and the one before are of different moments, so their ranks say nothing together.
      grew = believed && answer.total !== total;
      if (grew) {
        total = Math.max(total, answer.total);
        break;
      }
      refuseFall(answer.total, total);
      believed = true;
      total = answer.total;
      const lastPage = Math.ceil(total / paging.pageSize);
      ended = page > lastPage;
      if (ended) {
        refuseMore(answer, ends);
        continue;
      }
      if (page === 1 || page === lastPage) for (const { id } of answer.rows) ends.add(id);
      if (page === lastPage) last = answer;
      yield assembly.add(answer, rankOf(paging, page, answer));
    }
    // C9: the end is where all is collected that the newest total counts, and nothing follows after it.
    if (!grew && assembly.count() === total) {
      const newest = ended ? total : await lookBeyond(total);
      if (newest === total) return yield assembly.rest();
      total = newest;
    }
    width = grew ? Math.max(1, width >> 1) : Math.min(job.width, width * 2);
  }
  throw new MovedError('the range did not stop growing');

  /**
   * C10: what follows after the last page, where it was not asked for with the others: by time, where the total may be truncated,
   * since pages beyond such a total are not shown. Returns the newest total.
   */
  async function lookBeyond(known: number): Promise<number> {
    const more = mayBeTruncated(known) ? await askBeyond(job, order, last) : undefined;
    if (more === false) return known;
    const beyond = await readPage(Math.ceil(known / paging.pageSize) + 1);
    refuseFall(beyond.total, known);
    if (beyond.total > known) return beyond.total;
    if (more) throw new MovedError(`the service counts ${known} rows and has more`);
    refuseMore(beyond, ends);
    return known;
  }
}

/**
 * The pages still to read when `count` rows of `total` are collected, oldest rows first. The page after the last ends them,
 * unless the total is one that is looked beyond in another way.
 */
function* pagesLeft({ order, pageSize }: Paging, count: number, total: number): Generator<number> {
  const last = Math.ceil(total / pageSize);
  if (order === 'ascending') for (let page = Math.floor(count / pageSize) + 1; page <= last; page++) yield page;
  else for (let page = Math.floor(Math.max(total - count - 1, 0) / pageSize) + 1; page >= 1; page--) yield page;
  if (!mayBeTruncated(total)) yield last + 1;
}

/** How many rows of the range are older than the page's oldest, by the page's number and the total of the same answer. */
function rankOf({ order, pageSize }: Paging, page: number, { rows, total }: ScanPage): number {
  const before = (page - 1) * pageSize;
  const after = Math.max(total - before - pageSize, 0);
  // C6: a page that is cut short, or longer than its number allows, is not where its number says.
  if (total - before - after !== rows.length) throw new MovedError('a page has not as many rows as it should');
  return order === 'ascending' ? before : after;
}

/** C8: what was collected may no longer be in the range, and then a rank that fits proves nothing. */
function refuseFall(newest: number, total: number): void {
  if (newest < total) throw new MovedError('rows vanished from the range');
}

/** C9: the page after the last must bring nothing new (a service may leave it empty, or show its first or last page again). */
function refuseMore(beyond: ScanPage, known: ReadonlySet<Scan['id']>): void {
  if (!beyond.rows.every(({ id }) => known.has(id))) throw new MovedError('rows follow after the last page');
}
