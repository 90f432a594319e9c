/**
 * The export of a range that moved under the reader: cut into slices of time, each small enough to hold and to read again until
 * it is proven, one after the other, oldest first. Slices make a repeat cheap, they need no order from the service, and they
 * unmask a `total` that is capped. A slice that fits in one page is proven by one answer.
 */
import type { ScanPage } from '../service/shapes.ts';
import { MovedError } from './assembly.ts';
import { type Batch, cut, formatRange, oldestFirst, type Range } from './batch.ts';
import { type FetchInOrder, pageReader, pageSizeOf, type ReadScans, readFirst } from './query.ts';
import { mayBeCapped } from './truncated-total.ts';
import { type UnionResult, union } from './union.ts';

export interface Slices {
  read: ReadScans;
  range: Range;
  fetchInOrder: FetchInOrder;
  width: number;
}

/** Pages a slice may have before it is cut in two without being read. */
const MAX_SLICE_PAGES = 20;
const PASSES = 3;

/**
 * Yields the rows of the range, oldest first, cut exactly. Ends with a last look at the whole range, whose total must be what the
 * slices add up to (or less, where the service caps it). Throws MovedError when a slice cannot be proven or the sum is off.
 */
export async function* slices(job: Slices): AsyncGenerator<Batch> {
  const first = await readFirst(job.read, job.range);
  if (first.total === 0) throw new MovedError('the service showed rows before, and now none');
  let collected = 0;
  const pageSize = pageSizeOf(first);
  const mostRequests = () => 200 + 12 * Math.ceil(Math.max(first.total, collected) / pageSize);
  const counted = { ...job, pageSize, read: bounded(job.read, mostRequests) };
  for await (const rows of slice(counted, first)) {
    collected += countAsAsked(rows, job.range);
    yield cut(rows.batch, rows.range);
  }
  const { total } = await readFirst(job.read, job.range);
  if (total > collected) throw new MovedError(`the service counts ${total} rows and shows ${collected}`);
}

interface Cut extends Slices {
  /** Rows of a full page of the whole range: where page 1 of a slice has fewer and pages after it are empty, its total is wrong. */
  pageSize: number;
}

/** A proven slice: all rows the service gave for it, oldest first, those in its margins included. */
interface ProvenSlice {
  range: Range;
  batch: Batch;
}

async function* slice(job: Cut, first: ScanPage): AsyncGenerator<ProvenSlice> {
  const pages = Math.ceil(first.total / pageSizeOf(first));
  const middle = pages > 1 ? await readMiddle(job, first, pages) : first;
  const isFull = first.rows.length >= job.pageSize;
  const pivotMs = pages > 1 ? (pivotOf(middle, job.range) ?? (isFull ? pivotOf(first, job.range) : undefined)) : undefined;
  const mayAddUp = pages <= MAX_SLICE_PAGES && middle.rows.length > 0 && !mayBeCapped(first.total);
  if (mayAddUp || pivotMs === undefined) {
    const { proven, batch, count, total } = await readUntilProven(job, first);
    if (proven) return yield { range: job.range, batch: oldestFirst(batch) };
    if (pivotMs === undefined) throw new MovedError(doubt(job.range, count, total));
  }
  for (const range of [
    { sinceMs: job.range.sinceMs, untilMs: pivotMs },
    { sinceMs: pivotMs, untilMs: job.range.untilMs },
  ]) {
    yield* slice({ ...job, range }, await readFirst(job.read, range));
  }
}

async function readUntilProven(job: Slices, first: ScanPage): Promise<UnionResult & { batch: Batch }> {
  const pass = union({ ...job, first, read: pageReader(job.read, job.range, first), passes: PASSES });
  const batch: Batch = { rows: [], times: [] };
  for (;;) {
    const step = await pass.next();
    if (step.done) return { ...step.value, batch };
    for (const row of step.value.rows) batch.rows.push(row);
    for (const time of step.value.times) batch.times.push(time);
  }
}

/** A page from the middle of a range or, where the service does not page that far, from the middle of the largest slice. */
async function readMiddle({ read, range }: Slices, first: ScanPage, pages: number): Promise<ScanPage> {
  const readPage = pageReader(read, range, first);
  const middle = Math.ceil((pages + 1) / 2);
  const answer = await readPage(middle);
  const nearer = MAX_SLICE_PAGES / 2;
  return answer.rows.length === 0 && middle > nearer ? readPage(nearer) : answer;
}

/** A time strictly inside the range with about as many rows on either side, if the page is from its middle. */
function pivotOf(page: ScanPage, range: Range): number | undefined {
  const inside = cut(oldestFirst(page), range).times.filter((time) => time > (range.sinceMs ?? Number.NEGATIVE_INFINITY));
  return inside[inside.length >> 1];
}

function doubt(range: Range, count: number, total: number): string {
  if (count === total) return `two answers about the scans ${formatRange(range)} do not agree`;
  return `${formatRange(range)} the service counts ${total} rows and shows ${count}`;
}

/** The rows of a slice that the service counts for the whole range: the slice's own, and the whole range's margins. */
function countAsAsked({ range, batch }: ProvenSlice, whole: Range): number {
  const sinceMs = range.sinceMs === whole.sinceMs ? undefined : range.sinceMs;
  const untilMs = range.untilMs === whole.untilMs ? Number.POSITIVE_INFINITY : range.untilMs;
  return cut(batch, { sinceMs, untilMs }).rows.length;
}

/** A reader that gives up after so many requests: a service whose numbers lie would be read for ever. */
function bounded(read: ReadScans, most: () => number): ReadScans {
  let requests = 0;
  return (request) => {
    requests += 1;
    return requests > most() ? Promise.reject(new MovedError('the scans did not settle')) : read(request);
  };
}
