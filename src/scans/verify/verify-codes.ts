import { groupBy } from '#base/collections';
import { ifNotFound, NotFoundError, UnprovenError } from '#base/errors';
import { fetchInOrder } from '#base/parallel';
import type { TimedRows } from '#files/formats/row-sink';
import type { CodeLabel } from '#scans/export/export-codes';
import { contains, type Range, readerOf, type ScanService } from '#scans/export/range';
import type { RangeCount } from '#scans/export/truncated-total';
import { type CodeIndex, type CoveredIndex, emptyIndex } from './log-index.ts';
import {
  compareSegment,
  countScans,
  type DayDifference,
  findSegments,
  isSame,
  mayBeCapped,
  type Segment,
  type TotalsOfCode,
} from './segments.ts';

interface VerifyJob extends CoveredIndex {
  codes: readonly CodeLabel[];
  readRows(take: (code: string, id: number | bigint, ms: number) => void): Promise<void>;
  service: ScanService;
  note(line: string): void;
  repair?: (code: CodeLabel, batch: TimedRows) => Promise<number>;
  mostIds?: number;
  progress(done: number): void;
}

export interface CodeResult {
  code: CodeLabel;
  /**
   * `missing`: the service has scans, but the log has none. `gone`: the service lacks the code. `unproven`:
   * not verified.
   */
  outcome: 'equal' | 'different' | 'missing' | 'gone' | 'unproven';
  reason?: Error;
  range?: Range;
  logged: number;
  days: readonly (DayDifference & { twice: number })[];
  missing: number;
  added: number;
}

const MOST_IDS = 500_000;

interface Doubt {
  result: CodeResult;
  totals: TotalsOfCode;
  segment: Segment;
}

export async function verifyCodes(job: VerifyJob): Promise<CodeResult[]> {
  const results = job.codes.map((code) => startOf(job, code));
  const doubts = await findDoubts(job, results);
  for (const some of inBatches(doubts, job.mostIds ?? MOST_IDS)) await compareBatch(job, some);
  for (const result of results) conclude(job, result, indexOf(job, result.code));
  return results;
}

function startOf(job: VerifyJob, code: CodeLabel): CodeResult {
  const result: CodeResult = {
    code,
    outcome: 'equal',
    range: job.rangeOf(code.id),
    logged: indexOf(job, code).rows,
    days: [],
    missing: 0,
    added: 0,
  };
  if (code.missing) return { ...result, outcome: 'gone' };
  // V12: a code that was not compared is not equal.
  return result.range
    ? result
    : { ...result, outcome: 'unproven', reason: new UnprovenError('the files cover none of the range') };
}

function indexOf({ index }: VerifyJob, { id }: CodeLabel): CodeIndex {
  return index.of(id) ?? emptyIndex();
}

/** V1: finds the parts that may differ. Most equal codes take one request. */
async function findDoubts(job: VerifyJob, results: readonly CodeResult[]): Promise<Doubt[]> {
  const largest = { total: 0 };
  const doubts: Doubt[] = [];
  const turns = results.flatMap((result) => {
    const { code, outcome, range } = result;
    if (!range || outcome === 'gone') return [];
    const totals = { ...readerOf(code, job.service), index: indexOf(job, code), largest };
    return [{ result, range, totals }];
  });
  type Turn = (typeof turns)[number];
  const capped: { turn: Turn; total: number }[] = [];
  const request = async (turn: Turn) => ({
    turn,
    count: await countScans(turn.totals, turn.range).catch(ifNotFound(undefined)),
  });
  let done = 0;
  for await (const { turn, count } of fetchInOrder(turns, request, job.service.concurrency)) {
    job.progress(++done);
    const { result, totals, range } = turn;
    const isLacking = !job.repair && totals.index.rows === 0 && count && count.inside.length > 0;
    // V12: if no rows are logged or added, nothing can be equal, so the total suffices.
    if (isLacking) Object.assign(result, { outcome: 'missing', missing: count.scans });
    else if (!count || !isSame(totals.index, range, count)) await doubt(turn, count);
    else if (mayBeCapped(count, largest)) capped.push({ turn, total: count.page.total });
  }
  // V3: checks capped totals last, because a later code may have returned a larger one.
  for (const { turn, total } of capped)
    if (total >= largest.total) await doubt(turn, (await request(turn)).count);
  return doubts;

  async function doubt({ result, totals, range }: Turn, count: RangeCount | undefined): Promise<void> {
    // V7: reports a deleted code, whose scans stay in the log.
    const segments = count && (await findSegments(totals, range, count).catch(ifNotFound(undefined)));
    if (!segments) result.outcome = 'gone';
    else for (const segment of segments) doubts.push({ result, totals, segment });
  }
}

function* inBatches(doubts: readonly Doubt[], mostIds: number): Generator<Doubt[]> {
  let batch: Doubt[] = [];
  let ids = 0;
  for (const doubt of doubts) {
    if (batch.length > 0 && ids + doubt.segment.logged > mostIds) {
      yield batch;
      [batch, ids] = [[], 0];
    }
    batch.push(doubt);
    ids += doubt.segment.logged;
  }
  if (batch.length > 0) yield batch;
}

async function compareBatch(job: VerifyJob, batch: readonly Doubt[]): Promise<void> {
  const wanted = batch.map((doubt) => ({ doubt, ids: new Map<number | bigint, number>() }));
  const ofCode = groupBy(wanted, ({ doubt }) => doubt.result.code.id);
  await job.readRows((code, id, ms) => {
    for (const { doubt, ids } of ofCode.get(code) ?? [])
      if (contains(doubt.segment.range, ms)) ids.set(id, ms);
  });
  for (const { doubt, ids } of wanted) await compareOne(job, doubt, ids);
}

async function compareOne(
  { repair, note }: VerifyJob,
  { result, totals, segment }: Doubt,
  logged: Map<number | bigint, number>,
): Promise<void> {
  const { code } = result;
  try {
    const days = await compareSegment({
      ...totals,
      ...segment,
      note,
      logged,
      async takeMissing(batch) {
        if (repair) result.added += await repair(code, batch);
      },
    });
    result.days = [...result.days, ...days.map((day) => ({ ...day, twice: 0 }))];
  } catch (error) {
    if (error instanceof NotFoundError) result.outcome = 'gone';
    else if (error instanceof UnprovenError) Object.assign(result, { outcome: 'unproven', reason: error });
    else throw error;
  }
}

function conclude({ faultOf }: VerifyJob, result: CodeResult, { twice }: CodeIndex): void {
  const days = new Map(result.days.map((day) => [day.day, day]));
  for (const [day, rows] of twice)
    days.set(day, { ...(days.get(day) ?? { day, missing: 0, gone: 0 }), twice: rows });
  result.days = [...days.values()].sort((a, b) => a.day - b.day);
  if (result.outcome === 'equal' && days.size > 0) result.outcome = 'different';
  const fault = faultOf(result.code.id);
  if (fault === undefined || result.reason !== undefined) return;
  const isReported = result.outcome !== 'equal' && result.outcome !== 'gone';
  Object.assign(result, { outcome: isReported ? result.outcome : 'different', reason: new Error(fault) });
}
