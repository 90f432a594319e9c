/**
 * The export of a range that moved under the reader: cut into slices of time, each small enough to hold and to read again until
 * it is proven, one after the other, oldest first. Slices make a repeat cheap, they need no order from the service, and they
 * unmask a `total` that is capped. A slice that fits in one page is proven by one answer.
 */
import type { ScanPage } from '../service/shapes.ts';
import { MovedError } from './assembly.ts';
import { type Batch, cut, oldestFirst, type Range } from './batch.ts';
import { type FetchInOrder, pageReader, pageSizeOf, type ReadScans, readFirst } from './query.ts';
import { union } from './union.ts';

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
  const counted = { ...job, read: bounded(job.read, 200 + 12 * Math.ceil(first.total / pageSizeOf(first))) };
  let collected = 0;
  for await (const rows of slice(counted, first)) {
    collected += countAsAsked(rows, job.range);
    yield cut(rows.batch, rows.range);
  }
  const { total } = await readFirst(job.read, job.range);
  if (total > collected) throw new MovedError(`the service counts ${total} rows and shows ${collected}`);
}

/** A proven slice: all rows the service gave for it, oldest first, those in its margins included. */
interface ProvenSlice {
  range: Range;
  batch: Batch;
}

async function* slice(job: Slices, first: ScanPage): AsyncGenerator<ProvenSlice> {
  const pages = Math.ceil(first.total / pageSizeOf(first));
  const pivotMs = pages > 1 ? await findPivot(job, first, pages) : undefined;
  if (pages <= MAX_SLICE_PAGES || pivotMs === undefined) {
    const batch = await readUntilProven(job, first);
    if (batch) return yield { range: job.range, batch };
  }
  if (pivotMs === undefined) throw new MovedError('two answers about the same scans do not agree');
  for (const range of [
    { sinceMs: job.range.sinceMs, untilMs: pivotMs },
    { sinceMs: pivotMs, untilMs: job.range.untilMs },
  ]) {
    yield* slice({ ...job, range }, await readFirst(job.read, range));
  }
}

async function readUntilProven(job: Slices, first: ScanPage): Promise<Batch | undefined> {
  const pass = union({ ...job, first, read: pageReader(job.read, job.range, first), passes: PASSES });
  const rows: Batch = { rows: [], times: [] };
  for (;;) {
    const step = await pass.next();
    if (step.done) return step.value.proven ? oldestFirst(rows) : undefined;
    for (const row of step.value.rows) rows.rows.push(row);
    for (const time of step.value.times) rows.times.push(time);
  }
}

/** A time strictly inside the range with about as many rows on either side: the median of the middle page. */
async function findPivot({ read, range }: Slices, first: ScanPage, pages: number): Promise<number | undefined> {
  const middle = await pageReader(read, range, first)(Math.ceil((pages + 1) / 2));
  const inside = cut(oldestFirst(middle), range).times.filter((time) => time > (range.sinceMs ?? Number.NEGATIVE_INFINITY));
  return inside[inside.length >> 1];
}

/** The rows of a slice that the service counts for the whole range: the slice's own, and the whole range's margins. */
function countAsAsked({ range, batch }: ProvenSlice, whole: Range): number {
  const sinceMs = range.sinceMs === whole.sinceMs ? undefined : range.sinceMs;
  const untilMs = range.untilMs === whole.untilMs ? Number.POSITIVE_INFINITY : range.untilMs;
  return cut(batch, { sinceMs, untilMs }).rows.length;
}

/** A reader that gives up after so many requests: a service whose numbers lie would be read for ever. */
function bounded(read: ReadScans, requests: number): ReadScans {
  let left = requests;
  return (request) => {
    left -= 1;
    return left < 0 ? Promise.reject(new MovedError('the scans did not settle')) : read(request);
  };
}
