/**
 * The scans of one code in one range, each exactly once, into a sink: the pipe of an export.
 *
 * A service that pages in time order is walked once, in flat memory. When rows move under the walk, the range is read again in
 * proven slices. A service that pages in no order is exported in its own. What cannot be proven complete fails.
 */
import { UnprovenError } from '../errors.ts';
import type { Rewind, RowSink, TimedRows } from '../row-sink.ts';
import type { ScanPage } from '../service/shapes.ts';
import { MovedError } from './assembly.ts';
import { type Batch, cut, formatRange, orderOf, type Range } from './batch.ts';
import { type FetchInOrder, pageReader, pageSizeOf, type ReadScans, readFirst } from './query.ts';
import { slices } from './slices.ts';
import { union } from './union.ts';
import { type Walk, walk } from './walk.ts';

export interface ScanExport {
  /** What messages call the code. */
  code: string;
  read: ReadScans;
  /** Resolves when the code exists; rejects with NotFoundError when it does not (any more). */
  checkExists(): Promise<unknown>;
  /** Page 1 of the range, where it has been read already. */
  first?: ScanPage;
  range: Range;
  fetchInOrder: FetchInOrder;
  /** Requests in flight at once. */
  width: number;
  note(line: string): void;
}

/** Takes the rows of the range, cut exactly; oldest first, unless the service has no order. */
type ScanSink = Pick<RowSink<TimedRows>, 'write' | 'checkpoint'>;

/** How often a range that does not hold still is read again in slices. */
const ROUNDS = 3;

/** Exports everything, or throws: UnprovenError when it does not add up, NotFoundError when the code is gone. */
export async function exportScans(job: ScanExport, sink: ScanSink): Promise<void> {
  const first = job.first ?? (await readFirst(job.read, job.range));
  if (first.rows.length === 0 && first.total === 0) {
    await job.checkExists();
    return;
  }
  const rewind = await sink.checkpoint();
  try {
    const order = first.total > first.rows.length ? orderOf(first) : 'ascending';
    // Rows in no order prove nothing before they are all there: the sink must not take them for settled.
    if (order === 'mixed') await rewind();
    await pour(order === 'mixed' ? inItsOwnOrder(job, first) : inOrder(job, first, order), job.range, sink);
  } catch (error) {
    if (!(error instanceof MovedError)) throw error;
    await job.checkExists();
    await readAgain(job, { sink, rewind }, error);
  }
}

async function pour(batches: AsyncIterable<Batch>, range: Range, sink: ScanSink): Promise<void> {
  for await (const batch of batches) {
    const rows = cut(batch, range);
    if (rows.rows.length > 0) await sink.write(rows);
  }
}

function inOrder(job: ScanExport, first: ScanPage, order: Walk['order']): AsyncIterable<Batch> {
  const { read, range } = job;
  const readBeyond = (timeMs: number) =>
    readFirst(read, order === 'ascending' ? { sinceMs: timeMs, untilMs: range.untilMs } : { ...range, untilMs: timeMs });
  return walk({ ...job, first, read: pageReader(read, range, first), readBeyond, pageSize: pageSizeOf(first), order });
}

async function* inItsOwnOrder(job: ScanExport, first: ScanPage): AsyncGenerator<Batch> {
  job.note('The service pages these scans in no order of time: they are exported in its own order.');
  const { proven, count, total } = yield* union({ ...job, first, read: pageReader(job.read, job.range, first), passes: 4 });
  if (!proven) throw new MovedError(`the service counts ${total} rows and shows ${count}`);
}

async function readAgain(job: ScanExport, { sink, rewind }: { sink: ScanSink; rewind: Rewind }, reason: MovedError) {
  let moved = reason;
  for (let round = 0; round < ROUNDS; round++) {
    if (!(await rewind())) break;
    try {
      return await pour(slices(job), job.range, sink);
    } catch (error) {
      if (!(error instanceof MovedError)) throw error;
      moved = error;
    }
  }
  await job.checkExists();
  throw new UnprovenError(
    `the export of the scans of ${job.code} ${formatRange(job.range)} could not be proven complete: ${moved.message}`,
    {
      hint: 'nothing was guessed; run it again when the service is quiet, or export a shorter range',
      cause: moved,
    },
  );
}
