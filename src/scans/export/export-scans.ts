import { errorOf, UnprovenError } from '#base/errors';
import { quote } from '#base/text/quote';
import type { Rewind, RowSink } from '#files/formats/row-sink';
import type { ScanPageRequest } from '#service/service-options';
import type { ScanPage } from '#service/shapes';
import { describeLack, InconsistentPagesError, mayHaveMore, paginate, refuseNone } from './paginate.ts';
import {
  type Batch,
  type CodeReader,
  cut,
  formatRange,
  pageSizeOf,
  type Range,
  type RangeReading,
  type ReadScans,
  readFirst,
} from './range.ts';
import { repeatPasses } from './repeat-passes.ts';
import { type SplitJob, splitByTime } from './split-by-time.ts';
import { mayBeTruncated, type PageOrder } from './truncated-total.ts';

export interface ScanExport extends RangeReading, Pick<CodeReader, 'code' | 'checkExists'> {
  first?: ScanPage;
  firstIsOpen?: boolean;
  isKnown?: boolean;
  /** Whether to request rows beyond any total, capped or not. */
  proveBeyond?: boolean;
  note(line: string): void;
}

type ScanSink = Pick<RowSink<Batch>, 'write' | 'checkpoint'>;

const ROUNDS = 3;
/** Maximum number of passes over an unsorted range, unless rows swap positions. */
const PASSES = 4;

/** Exports a code. Throws UnprovenError if rows may be missing, and NotFoundError if the code is. */
export async function exportScans(options: ScanExport, sink: ScanSink): Promise<void> {
  const first = options.first ?? (await readFirst(options.read, options.asked));
  // C14: checks that an unknown code exists, because a missing one may have an empty page.
  if (first.rows.length === 0 && first.total === 0) {
    if (!options.isKnown) await options.checkExists();
    return;
  }
  const { proveBeyond = false } = options;
  const job: Job = { ...options, proveBeyond, ...createBudget(options.read, first) };
  const output = { sink, rewind: await sink.checkpoint() };
  let moved = await errorOf(readInOrder(job, first, output), InconsistentPagesError);
  if (moved) await options.awaitEnd?.();
  // Reads page 1 of an open range again, because its total may count scans after the end.
  if (moved && options.firstIsOpen && (await output.rewind())) {
    const again = readFirst(job.read, job.asked).then((page) => readInOrder(job, page, output));
    moved = await errorOf(again, InconsistentPagesError);
  }
  if (!moved) return;
  // C14: does not read a deleted code again.
  await job.checkExists();
  await readAgain(job, output, moved);
}

type Job = ScanExport & SplitJob;

interface Output {
  sink: ScanSink;
  rewind: Rewind;
}

async function readInOrder(job: Job, first: ScanPage, { sink, rewind }: Output): Promise<void> {
  const { total } = first;
  refuseNone(total);
  const order = orderOf(first);
  if (order !== 'mixed') return write(paginate(job, first, order), job.range, sink);
  // C10: if the total may be capped, reads in slices, because unsorted rows have no edge to look beyond.
  if (mayBeTruncated(total, pageSizeOf(first), job.proveBeyond)) throw mayHaveMore(total);
  if (total <= first.rows.length) return write(paginate(job, first, 'ascending'), job.range, sink);
  // C15: rewinds first, because unsorted rows are verified only when all of them are read.
  await rewind();
  await write(readInServiceOrder(job, first), job.range, sink);
}

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
  if (!isVerified) throw new InconsistentPagesError(describeLack(total, count));
}

async function readAgain(job: Job, { sink, rewind }: Output, reason: InconsistentPagesError) {
  let moved = reason;
  // C13: limits the rounds, because rows may never stop moving.
  for (let round = 0; round < ROUNDS; round++) {
    // C15: stops if unverified rows would be written twice.
    if (!(await rewind())) break;
    const failure = await errorOf(write(splitByTime(job), job.range, sink), InconsistentPagesError);
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

const READINGS = 3;
const SPARE = 18;
/** Maximum number of extra readings of all pages if rows swap positions. */
const MOST_GRANTED_READINGS = 12;

export class BudgetExceededError extends InconsistentPagesError {}

/** C13: limits requests by the number of rows returned, because a total may be too high. */
export function createBudget(read: ReadScans, first: ScanPage) {
  const pageSize = pageSizeOf(first);
  let returned = first.rows.length;
  let largest = first.total;
  let requests = 1;
  let granted = 0;
  return {
    async read(request: ScanPageRequest): Promise<ScanPage> {
      requests += 1;
      const pages = Math.ceil(returned / pageSize);
      if (requests > READINGS * pages + SPARE + Math.min(granted, MOST_GRANTED_READINGS * pages))
        throw new BudgetExceededError('the scans kept changing while they were read');
      const page = await read(request);
      largest = Math.max(largest, page.total);
      return page;
    },
    reportRows(rows: number): void {
      returned = Math.max(returned, rows);
    },
    grant(more: number): void {
      granted += more;
    },
    largestTotal: () => largest,
  };
}
