/**
 * The scans of one code in one range, each exactly once, into a sink: the pipe of an export.
 *
 * A service that pages in time order is walked once, in flat memory. When rows move under the walk, the range is read again in
 * proven slices. A service that pages in no order is exported in its own. What cannot be proven complete fails.
 */
import { UnprovenError } from '../errors.ts';
import { quote } from '../quote.ts';
import type { Rewind, RowSink, TimedRows } from '../row-sink.ts';
import type { ScanPage } from '../service/shapes.ts';
import { MovedError } from './assembly.ts';
import { type Batch, cut, formatRange, type Range, type RangeReading, readFirst } from './range.ts';
import { slices } from './slices.ts';
import type { PageOrder } from './truncated-total.ts';
import { union } from './union.ts';
import { walk } from './walk.ts';

export interface ScanExport extends RangeReading {
  /** What messages call the code. */
  code: string;
  /** Resolves when the code exists; rejects with NotFoundError when it does not (any more). */
  checkExists(): Promise<unknown>;
  /** Page 1 of the range, where it has been read already. */
  first?: ScanPage;
  note(line: string): void;
}

/** Takes the rows of the range, cut exactly; oldest first, unless the service has no order. */
type ScanSink = Pick<RowSink<TimedRows>, 'write' | 'checkpoint'>;

/** How often a range that does not hold still is read again in slices. */
const ROUNDS = 3;
/** How often a range in no order of time is read before it is cut in slices. */
const PASSES = 4;

/** Exports everything, or throws: UnprovenError when it does not add up, NotFoundError when the code is gone. */
export async function exportScans(job: ScanExport, sink: ScanSink): Promise<void> {
  const first = job.first ?? (await readFirst(job.read, job.range));
  // C14: a code that was deleted may be shown as one without scans.
  if (first.rows.length === 0 && first.total === 0) {
    await job.checkExists();
    return;
  }
  const rewind = await sink.checkpoint();
  try {
    const order = first.total > first.rows.length ? orderOf(first) : 'ascending';
    // C15: rows in no order prove nothing before they are all there: the sink must not take them for proven.
    if (order === 'mixed') await rewind();
    await write(order === 'mixed' ? inItsOwnOrder(job, first) : walk(job, first, order), job.range, sink);
  } catch (error) {
    if (!(error instanceof MovedError)) throw error;
    // C14: rows that go because their code does are no reason to read them again.
    await job.checkExists();
    await readAgain(job, { sink, rewind }, error);
  }
}

/** The order of a page by its times or, where it shows one instant only, by its ids; `mixed`: no order of time. */
function orderOf({ rows, times }: Batch): PageOrder | 'mixed' {
  const rises = times.some((time, i) => time > (times[i - 1] ?? time));
  const falls = times.some((time, i) => time < (times[i - 1] ?? time));
  if (rises && falls) return 'mixed';
  if (rises || falls) return falls ? 'descending' : 'ascending';
  return (rows[0]?.id ?? 0) > (rows.at(-1)?.id ?? 0) ? 'descending' : 'ascending';
}

async function write(batches: AsyncIterable<Batch>, range: Range, sink: ScanSink): Promise<void> {
  for await (const batch of batches) {
    const rows = cut(batch, range);
    if (rows.rows.length > 0) await sink.write(rows);
  }
}

async function* inItsOwnOrder(job: ScanExport, first: ScanPage): AsyncGenerator<Batch> {
  job.note('The service pages these scans in no order of time: they are exported in its own order.');
  const { proven, count, total } = yield* union(job, first, PASSES);
  if (!proven) throw new MovedError(`the service counts ${total} rows and shows ${count}`);
}

async function readAgain(job: ScanExport, { sink, rewind }: { sink: ScanSink; rewind: Rewind }, reason: MovedError) {
  let moved = reason;
  // C13: a service that never holds still, or whose numbers lie, ends the export unproven.
  for (let round = 0; round < ROUNDS; round++) {
    // C15: what the attempt before wrote is not proven, and rows would come twice; what is out for good ends the export.
    if (!(await rewind())) break;
    try {
      return await write(slices(job), job.range, sink);
    } catch (error) {
      if (!(error instanceof MovedError)) throw error;
      moved = error;
    }
  }
  await job.checkExists();
  throw new UnprovenError(
    `the export of the scans of ${quote(job.code)} ${formatRange(job.range)} could not be proven complete: ${moved.message}`,
    {
      hint: 'nothing was guessed; run it again when the service is quiet, or export a shorter range',
      cause: moved,
    },
  );
}
