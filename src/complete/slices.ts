/**
 * The export of a range that moved under the reader: cut into slices of time, each small enough to hold and to read again until
 * it is proven, one after the other, oldest first. Slices make a repeat cheap, they need no order from the service, and they
 * unmask a truncated total. A slice that fits in one page is proven by one answer.
 */
import type { ScanPage } from '../service/shapes.ts';
import { MovedError, oldestFirst } from './assembly.ts';
import {
  type Batch,
  cut,
  formatRange,
  pageReader,
  pageSizeOf,
  type Range,
  type RangeReading,
  type ReadScans,
  readFirst,
} from './range.ts';
import { mayBeTruncated } from './truncated-total.ts';
import { union } from './union.ts';

/** Pages a slice may have before it is cut in two without being read. */
const MAX_SLICE_PAGES = 20;
const PASSES = 3;

/** A proven slice: all rows the service gave for it, oldest first, those in its margins included. */
interface Slice {
  range: Range;
  batch: Batch;
}

/**
 * Yields the rows of the range, oldest first, cut exactly. Ends with a last look at the whole range, whose total must be what the
 * slices add up to (or less, where it is truncated). Throws MovedError when a slice cannot be proven or the sum is off.
 */
export async function* slices(job: RangeReading): AsyncGenerator<Batch> {
  const first = await readFirst(job.read, job.range);
  if (first.total === 0) throw new MovedError('the service showed rows before, and now none');
  let collected = 0;
  const pageSize = pageSizeOf(first);
  const mostRequests = () => 200 + 12 * Math.ceil(Math.max(first.total, collected) / pageSize);
  const bounded = { ...job, read: boundedReader(job.read, mostRequests) };
  for await (const { range, batch } of provenSlices(bounded, first, pageSize)) {
    collected += countAsAsked(range, batch, job.range);
    yield cut(batch, range);
  }
  // C12: rows that came to a slice after it was proven, or that no slice showed, are counted by the whole range only.
  const { total } = await readFirst(job.read, job.range);
  if (total > collected) throw new MovedError(`the service counts ${total} rows and shows ${collected}`);
}

/**
 * Cuts a range in two by time until each part is proven. `first` is page 1 of the range, `fullPage` the rows of a full page of
 * the whole range: where page 1 of a part is full and pages after it are empty, its total is wrong.
 */
async function* provenSlices(job: RangeReading, first: ScanPage, fullPage: number): AsyncGenerator<Slice> {
  const { range } = job;
  const pages = Math.ceil(first.total / pageSizeOf(first));
  const middle = pages > 1 ? await readMiddle(job, first, pages) : first;
  const isFull = first.rows.length >= fullPage;
  const pivotMs = pages > 1 ? (pivotOf(middle, range) ?? (isFull ? pivotOf(first, range) : undefined)) : undefined;
  // C10: a total that may be truncated proves nothing; in a shorter range it is not.
  const mayAddUp = pages <= MAX_SLICE_PAGES && middle.rows.length > 0 && !mayBeTruncated(first.total);
  if (mayAddUp || pivotMs === undefined) {
    const { proven, batch, count, total } = await readUntilProven(job, first);
    if (proven) return yield { range, batch: oldestFirst(batch) };
    if (pivotMs === undefined) throw new MovedError(doubt(range, count, total));
  }
  for (const part of [
    { sinceMs: range.sinceMs, untilMs: pivotMs },
    { sinceMs: pivotMs, untilMs: range.untilMs },
  ]) {
    yield* provenSlices({ ...job, range: part }, await readFirst(job.read, part), fullPage);
  }
}

async function readUntilProven(job: RangeReading, first: ScanPage) {
  const rows = union(job, first, PASSES);
  const batch: Batch = { rows: [], times: [] };
  for (;;) {
    const step = await rows.next();
    if (step.done) return { ...step.value, batch };
    for (const row of step.value.rows) batch.rows.push(row);
    for (const time of step.value.times) batch.times.push(time);
  }
}

/** A page from the middle of a range or, where the service does not page that far, from the middle of the largest slice. */
async function readMiddle(job: RangeReading, first: ScanPage, pages: number): Promise<ScanPage> {
  const readPage = pageReader(job, first);
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

/** How many rows of a slice the service counts for the whole range: the slice's own, and those in the whole range's margins. */
function countAsAsked(range: Range, batch: Batch, whole: Range): number {
  const sinceMs = range.sinceMs === whole.sinceMs ? undefined : range.sinceMs;
  const untilMs = range.untilMs === whole.untilMs ? Number.POSITIVE_INFINITY : range.untilMs;
  return cut(batch, { sinceMs, untilMs }).rows.length;
}

/** C13: a reader that gives up after so many requests, since a service whose numbers lie would be read for ever. */
function boundedReader(read: ReadScans, most: () => number): ReadScans {
  let requests = 0;
  return (request) => {
    requests += 1;
    return requests > most() ? Promise.reject(new MovedError('the scans did not settle')) : read(request);
  };
}
