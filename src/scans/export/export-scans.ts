/**
 * Exports the scans of one code in one range, each exactly once: see PROTOCOL.md for the steps and
 * conditions.
 */
import { UnprovenError } from '../../base/errors.ts';
import { countOf, formatCount, quote } from '../../base/text/quote.ts';
import type { Rewind, RowSink, TimedRows } from '../../files/formats/row-sink.ts';
import type { ScanPage } from '../../service/shapes.ts';
import { BudgetExceededError, createBudget } from './budget.ts';
import { InconsistentPagesError } from './page-merger.ts';
import { type PaginationJob, paginate } from './paginate.ts';
import {
  type Batch,
  cut,
  formatRange,
  pageSizeOf,
  type Range,
  type RangeReading,
  readFirst,
} from './range.ts';
import { repeatPasses } from './repeat-passes.ts';
import { type SplitJob, splitByTime } from './split-by-time.ts';
import { mayBeTruncated, type PageOrder } from './truncated-total.ts';

export interface ScanExport extends RangeReading {
  code: string;
  /** Resolves if the code exists; rejects with NotFoundError if it does not, or was deleted. */
  checkExists(): Promise<unknown>;
  /** Page 1 of the range, if it was read. */
  first?: ScanPage;
  /** It was read before the end of the range was known. */
  firstIsOpen?: boolean;
  /** The code was listed or read in this run: it exists, even without scans. */
  isKnown?: boolean;
  /** Requests rows beyond the last page by time, whatever the total is. */
  proveBeyond?: boolean;
  note(line: string): void;
}

/** Takes the rows of the range, oldest first unless the service has no order. */
type ScanSink = Pick<RowSink<TimedRows>, 'write' | 'checkpoint'>;

/** How often a changing range is read again in slices. */
const ROUNDS = 3;
/** How often an unsorted range is read before it is split into slices. */
const PASSES = 4;

/** Exports the whole range. Throws UnprovenError if it can't be verified as complete, NotFoundError if the code does not exist. */
export async function exportScans(options: ScanExport, sink: ScanSink): Promise<void> {
  const first = options.first ?? (await readFirst(options.read, options.asked));
  // C14: a code that was deleted, or never was, may be shown as one without scans.
  if (first.rows.length === 0 && first.total === 0) {
    if (!options.isKnown) await options.checkExists();
    return;
  }
  const { proveBeyond = false } = options;
  const job: Job = { ...options, proveBeyond, ...createBudget(options.read, first) };
  const output = { sink, rewind: await sink.checkpoint() };
  let moved = await attempt(() => readInOrder(job, first, output));
  // Scans dated after the end were counted by a page 1 that was requested before the end was known.
  if (moved && options.firstIsOpen && (await output.rewind())) {
    moved = await attempt(async () => readInOrder(job, await readFirst(job.read, job.asked), output));
  }
  if (!moved) return;
  // C14: if rows vanished because their code was deleted, the range is not read again.
  await job.checkExists();
  await readAgain(job, output, moved);
}

type Job = ScanExport & PaginationJob & SplitJob;

interface Output {
  sink: ScanSink;
  rewind: Rewind;
}

/** Reads the range in the order of its pages. Throws InconsistentPagesError if it can't be verified. */
async function readInOrder(job: Job, first: ScanPage, { sink, rewind }: Output): Promise<void> {
  const { total } = first;
  if (total === 0) throw new InconsistentPagesError('the service returned rows before but now returns none');
  const order = orderOf(first);
  if (order !== 'mixed') return write(paginate(job, first, order), job.range, sink);
  // C10: rows that are not sorted by time have no last one to request beyond; slices are split until they are short enough.
  if (mayBeTruncated({ total, pageSize: pageSizeOf(first), always: job.proveBeyond })) {
    throw new InconsistentPagesError(`the service may have more than ${countOf(total, 'row')}`);
  }
  if (total <= first.rows.length) return write(paginate(job, first, 'ascending'), job.range, sink);
  // C15: rows that are not sorted show nothing before all of them are read: the sink must not treat them as verified.
  await rewind();
  await write(readInServiceOrder(job, first), job.range, sink);
}

/** Resolves to the InconsistentPagesError of a reading; undefined if it succeeded. */
async function attempt(read: () => Promise<void>): Promise<InconsistentPagesError | undefined> {
  try {
    await read();
    return undefined;
  } catch (error) {
    if (error instanceof InconsistentPagesError) return error;
    throw error;
  }
}

/**
 * Returns the number of requests after page 1 of a range, if the service does not change. The end of the
 * range is not part of it.
 */
export function requestsAfter(
  first: ScanPage,
  {
    isKnown,
    proveBeyond,
    sinceMs = Number.NEGATIVE_INFINITY,
    untilMs = Number.POSITIVE_INFINITY,
  }: ExpectedReading,
): number {
  const { total, times } = first;
  const pageSize = pageSizeOf(first);
  if (total === 0) return isKnown ? 0 : 1;
  const pages = Math.ceil(total / pageSize) - 1;
  if (!mayBeTruncated({ total, pageSize, always: proveBeyond })) return pages;
  const [instant = 0] = times;
  // Rows of one instant show no order: rows after them are requested, and rows before them, if those are in the range.
  if (!isOneInstant(first)) return pages + 1;
  return (
    pages + (instant + 1 < untilMs ? 1 : 0) + (instant - (isWholeSecond(instant) ? 0 : 1) > sinceMs ? 1 : 0)
  );
}

const isOneInstant = ({ times, total }: ScanPage) =>
  times.length === total && times.every((time) => time === times[0]);

const isWholeSecond = (ms: number) => ms % 1000 === 0;

interface ExpectedReading extends Partial<Range> {
  isKnown: boolean;
  proveBeyond: boolean;
}

/** Returns the order of a page by its times or, if they are one instant, by its IDs; `mixed`: not sorted by time. */
export function orderOf({ rows, times }: Batch): PageOrder | 'mixed' {
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

async function* readInServiceOrder(job: Job, first: ScanPage): AsyncGenerator<Batch> {
  job.note("The service does not sort these scans by time. Exporting them in the service's order");
  const { isVerified, count, total } = yield* repeatPasses(job, first, PASSES);
  if (!isVerified)
    throw new InconsistentPagesError(
      `the service reports a total of ${formatCount(total)} but returned ${countOf(count, 'row')}`,
    );
}

async function readAgain(job: Job, { sink, rewind }: Output, reason: InconsistentPagesError) {
  let moved = reason;
  // C13: with a service whose rows never stop moving, or whose numbers are wrong, the export ends as not verified.
  for (let round = 0; round < ROUNDS; round++) {
    // C15: rows of the earlier attempt are not verified, and would be written twice; rows that can't be rolled back end the export.
    if (!(await rewind())) break;
    const failure = await attempt(() => write(splitByTime(job), job.range, sink));
    if (!failure) return;
    if (failure instanceof BudgetExceededError) break;
    moved = failure;
  }
  await job.checkExists();
  throw new UnprovenError(
    `the scan export for ${quote(job.code)} ${formatRange(job.range)} could not be verified as complete: ${moved.message}`,
    { hint: 'When fewer scans arrive, run the same command again, or export a shorter range.', cause: moved },
  );
}
