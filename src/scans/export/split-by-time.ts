/** Reads a range in time slices, which don't depend on the rows' order and reveal a capped total. */
import type { Scan, ScanPage } from '#service/shapes';
import {
  describeLack,
  InconsistentPagesError,
  mayHaveMore,
  oldestFirst,
  type PaginationJob,
  refuseNone,
} from './paginate.ts';
import {
  type Batch,
  cut,
  EXCLUSIVE_MS,
  formatRange,
  pageReader,
  pageSizeOf,
  type Range,
  type RangeReading,
  readFirst,
} from './range.ts';
import { collectPasses, repeatPasses } from './repeat-passes.ts';
import { mayBeTruncated } from './truncated-total.ts';

const MAX_SLICE_PAGES = 20;
const PASSES = 3;
const SECOND_MS = 1000;

export interface SplitJob extends PaginationJob {
  largestTotal(): number;
}

interface Part extends SplitJob {
  fullPage: number;
  /** Number of rows after this part that were returned but not collected. */
  ahead: number;
}

/** Yields slices, oldest first. Throws InconsistentPagesError if the final total exceeds their sum. */
export async function* splitByTime(job: SplitJob): AsyncGenerator<Batch> {
  const first = await readFirst(job.read, job.asked);
  refuseNone(first.total);
  let collected = 0;
  const reportRows = (rows: number) => job.reportRows(collected + rows);
  const whole: Part = { ...job, reportRows, fullPage: pageSizeOf(first), ahead: 0 };
  for await (const { range, batch } of verifiedSlices(whole, first)) {
    collected += countAsAsked(range, batch, job.range);
    yield cut(batch, range);
  }
  // C12: only the total of the range counts rows that no slice returned.
  const { total } = await readFirst(job.read, job.asked);
  if (total > collected) throw new InconsistentPagesError(describeLack(total, collected));
}

async function* verifiedSlices(part: Part, first: ScanPage): AsyncGenerator<{ range: Range; batch: Batch }> {
  const { range } = part;
  const pageSize = pageSizeOf(first);
  const pages = Math.ceil(first.total / pageSize);
  const middle = await readMiddle(part, first, pages);
  const returned = [first, ...middle.values()];
  part.reportRows(part.ahead + countInside(returned, range));
  // C10: a total that may be capped verifies nothing.
  const isDoubtful = mayBeCapped(part, first.total, pageSize);
  const pivotMs = pages > 1 || isDoubtful ? pivotOf(part, first, middle) : undefined;
  const isShort = pages <= MAX_SLICE_PAGES && [...middle.values()].every(({ rows }) => rows.length > 0);
  if (!isDoubtful && (isShort || pivotMs === undefined)) {
    const { isVerified, batch, count, total } = await readUntilVerified(part, first, middle);
    if (isVerified && !mayBeCapped(part, total, pageSize)) return yield { range, batch: oldestFirst(batch) };
    if (pivotMs === undefined) throw new InconsistentPagesError(doubt(range, count, total));
  }
  if (pivotMs === undefined) throw mayHaveMore(first.total, ` ${formatRange(range)}`);
  const newerRange = { sinceMs: pivotMs, untilMs: range.untilMs };
  const older: Part = {
    ...part,
    range: { sinceMs: range.sinceMs, untilMs: pivotMs },
    asked: { ...part.asked, untilMs: pivotMs },
    ahead: part.ahead + countInside(returned, newerRange),
  };
  yield* verifiedSlices(older, await readFirst(part.read, older.asked));
  const newer: Part = {
    ...part,
    range: newerRange,
    asked: { ...part.asked, sinceMs: pivotMs - EXCLUSIVE_MS },
  };
  yield* verifiedSlices(newer, await readFirst(part.read, newer.asked));
}

/** Returns whether a total may be capped. It can't be if another one is larger. */
function mayBeCapped({ largestTotal, proveBeyond }: SplitJob, total: number, pageSize: number): boolean {
  return total >= largestTotal() && mayBeTruncated(total, pageSize, proveBeyond);
}

function countInside(pages: readonly ScanPage[], range: Range): number {
  return new Set<Scan['id']>(pages.flatMap((page) => cut(page, range).rows.map(({ id }) => id))).size;
}

async function readUntilVerified(part: Part, first: ScanPage, middle: ReadonlyMap<number, ScanPage>) {
  const batch: Batch = { rows: [], times: [] };
  let inside = 0;
  const result = await collectPasses(
    repeatPasses({ ...part, reportRows: undefined }, first, PASSES, middle),
    (fresh) => {
      for (const row of fresh.rows) batch.rows.push(row);
      for (const time of fresh.times) batch.times.push(time);
      // C13: counts only rows in the slice, because a service may ignore its bounds.
      inside += cut(fresh, part.range).rows.length;
      part.reportRows(part.ahead + inside);
    },
  );
  return { ...result, batch };
}

async function readMiddle(job: RangeReading, first: ScanPage, pages: number): Promise<Map<number, ScanPage>> {
  if (pages <= 1) return new Map();
  const readPage = pageReader(job, first);
  const middle = Math.ceil((pages + 1) / 2);
  const page = await readPage(middle);
  const nearer = MAX_SLICE_PAGES / 2;
  return page.rows.length === 0 && middle > nearer
    ? new Map([[nearer, await readPage(nearer)]])
    : new Map([[middle, page]]);
}

/** C2: returns a whole second at which to split a part, if any, because bounds may be rounded. */
function pivotOf(
  { range, fullPage }: Part,
  first: ScanPage,
  middle: ReadonlyMap<number, ScanPage>,
): number | undefined {
  const [page = first] = middle.values();
  const times = cut(oldestFirst(page), range).times;
  const atMs = times[times.length >> 1] ?? (first.rows.length >= fullPage ? first.times.at(-1) : undefined);
  if (atMs === undefined) return undefined;
  const { sinceMs = -Infinity, untilMs } = range;
  const secondMs = Math.floor(atMs / SECOND_MS) * SECOND_MS;
  return [secondMs, secondMs + SECOND_MS].find((pivotMs) => pivotMs > sinceMs && pivotMs < untilMs);
}

function doubt(range: Range, count: number, total: number): string {
  if (count === total) return `two responses for the scans ${formatRange(range)} contradict each other`;
  return `for the scans ${formatRange(range)}, ${describeLack(total, count)}`;
}

function countAsAsked(range: Range, batch: Batch, whole: Range): number {
  const sinceMs = range.sinceMs === whole.sinceMs ? undefined : range.sinceMs;
  const untilMs = range.untilMs === whole.untilMs ? Infinity : range.untilMs;
  return cut(batch, { sinceMs, untilMs }).rows.length;
}
