/**
 * Compares a log with the service, code by code: `scans verify`. PROTOCOL.md states the guarantee and its invariants.
 *
 * One request per code returns its total in the range that the log covers. find-segments.ts finds the parts that differ, and
 * compare-segment.ts reads them. The log is read once for its counts, and once more for the IDs of the parts that differ.
 */
import { NotFoundError, UnprovenError } from '../../base/errors.ts';
import { fetchInOrder } from '../../base/parallel/fetch-in-order.ts';
import type { TimedRows } from '../../files/formats/row-sink.ts';
import type { Service } from '../../service/service.ts';
import type { ScanPage } from '../../service/shapes.ts';
import type { CodeLabel } from '../export/export-codes.ts';
import { cut, type Range, type ReadScans } from '../export/range.ts';
import { compareSegment, type DayDifference } from './compare-segment.ts';
import {
  askTotal,
  createLargestTotal,
  findSegments,
  isSame,
  mayBeCapped,
  type Segment,
  type TotalsOfCode,
} from './find-segments.ts';
import { type CodeIndex, emptyIndex, type LogIndex } from './log-index.ts';

export interface VerifyJob {
  /** Codes that the log should have, each once. */
  codes: readonly CodeLabel[];
  index: LogIndex;
  /** Range of a code that the log covers; undefined if it covers none of it. */
  rangeOf(code: string): Range | undefined;
  /** Calls `take` for every row of the log, as for its index. */
  readRows(take: (code: string, id: number | bigint, ms: number) => void): Promise<void>;
  service: Pick<Service, 'listScans' | 'getCode'>;
  width: number;
  note(line: string): void;
  /** Returns what is wrong with the log of a code, as a sentence; undefined if nothing is. */
  faultOf(code: string): string | undefined;
  /** Adds scans that the log lacks; missing if it is not to be changed. */
  repair?: ((code: CodeLabel, batch: TimedRows) => Promise<number>) | undefined;
  /** Distinct scans of segments whose IDs are in memory at once; 500,000 if it is not set. */
  mostIds?: number;
  /** Called after each code. */
  progress(done: number): void;
}

/** Difference of one day (days since 1970, UTC), in rows. */
interface VerifiedDay extends DayDifference {
  /** Rows of the log that repeat one above them. */
  twice: number;
}

export interface CodeResult {
  code: CodeLabel;
  /**
   * `missing`: the log has no row of the code in the range, and the service has some. `gone`: the service has no such code (any more). `unproven`: its
   * scans could not be verified as complete, for this `reason`.
   */
  outcome: 'equal' | 'different' | 'missing' | 'gone' | 'unproven';
  reason: Error | undefined;
  /** Undefined if the log covers none of the code. */
  range: Range | undefined;
  /** Distinct scans that the log has in it. */
  logged: number;
  /** Days that differ, oldest first. */
  days: readonly VerifiedDay[];
  /** Scans of a code that is `missing`. */
  missing: number;
  /** Scans that were added to the log. */
  added: number;
}

const MOST_IDS = 500_000;

/** Part of a code's range that is to be read. */
interface Doubt {
  result: CodeResult;
  read: ReadScans;
  segment: Segment;
}

/** Compares each code, in their order. Throws as listed in errors.ts if a failure concerns all codes. */
export async function verifyCodes(job: VerifyJob): Promise<CodeResult[]> {
  const results = job.codes.map((code) => startOf(job, code));
  const doubts = await findDoubts(job, results);
  for (const some of inBatches(doubts, job.mostIds ?? MOST_IDS)) await compareBatch(job, some);
  for (const result of results) conclude(job, result, indexOf(job, result.code));
  return results;
}

function startOf(job: VerifyJob, code: CodeLabel): CodeResult {
  const { rows } = indexOf(job, code);
  const result: CodeResult = {
    ...{ code, outcome: 'equal', reason: undefined, range: job.rangeOf(code.id) },
    ...{ logged: rows, days: [], missing: 0, added: 0 },
  };
  if (code.missing) return { ...result, outcome: 'gone' };
  // V12: a code that nothing was compared of is not equal.
  return result.range
    ? result
    : { ...result, outcome: 'unproven', reason: new UnprovenError('the files cover none of the range') };
}

function indexOf({ index }: VerifyJob, { id }: CodeLabel): CodeIndex {
  return index.of(id) ?? emptyIndex();
}

/** V1: requests the total of each code, and of parts of those that differ. */
async function findDoubts(job: VerifyJob, results: readonly CodeResult[]): Promise<Doubt[]> {
  const largest = createLargestTotal();
  const doubts: Doubt[] = [];
  /** Codes whose totals equal the log, and may be capped. */
  const capped: { turn: Turn; total: number }[] = [];
  const turns = results.flatMap((result): Turn[] => {
    const { code, outcome, range } = result;
    const read: ReadScans = (request) => job.service.listScans(code.id, request);
    return range && outcome !== 'gone'
      ? [{ result, range, totals: { read, index: indexOf(job, code), largest } }]
      : [];
  });
  const ask = async (turn: Turn) => ({
    turn,
    page: await askTotal(turn.totals, turn.range).catch(noneIfGone),
  });
  let done = 0;
  for await (const { turn, page } of fetchInOrder(turns, ask, job.width)) {
    job.progress(++done);
    const missing = page && !job.repair && turn.totals.index.rows === 0 ? countMissing(page, turn.range) : 0;
    // V12: nothing of it can be equal, so its total is enough.
    if (missing > 0) Object.assign(turn.result, { outcome: 'missing', missing });
    else if (!page || !isSame(turn.totals.index, turn.range, page)) await doubt(turn, page);
    else if (mayBeCapped(page, largest)) capped.push({ turn, total: page.total });
  }
  // V3: a code after them may have returned a larger total.
  for (const { turn, total } of capped)
    if (!largest.isAbove(total)) await doubt(turn, (await ask(turn)).page);
  return doubts;

  async function doubt({ result, totals, range }: Turn, page: ScanPage | undefined): Promise<void> {
    const segments = page && (await findSegments(totals, range, page).catch(noneIfGone));
    if (!segments) result.outcome = 'gone';
    else for (const segment of segments) doubts.push({ result, read: totals.read, segment });
  }
}

/** Returns the number of scans of a range by its total; 0 if page 1 shows none of them. */
function countMissing(page: ScanPage, range: Range): number {
  const inside = cut(page, range).rows.length;
  return inside === 0 ? 0 : page.total - (page.rows.length - inside);
}

interface Turn {
  result: CodeResult;
  range: Range;
  totals: TotalsOfCode;
}

/** V7: the scans of a deleted code stay in the log, and are named. */
function noneIfGone(error: unknown): undefined {
  if (error instanceof NotFoundError) return undefined;
  throw error;
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

/** Reads these parts from the log and from the service, and compares them. */
async function compareBatch(job: VerifyJob, doubts: readonly Doubt[]): Promise<void> {
  const wanted = new Map<string, { range: Range; ids: Map<number | bigint, number> }[]>();
  const idsOf = new Map<Doubt, Map<number | bigint, number>>();
  for (const doubt of doubts) {
    const ids = new Map<number | bigint, number>();
    idsOf.set(doubt, ids);
    const { id } = doubt.result.code;
    wanted.set(id, [...(wanted.get(id) ?? []), { range: doubt.segment.range, ids }]);
  }
  await job.readRows((code, id, ms) => {
    for (const { range, ids } of wanted.get(code) ?? [])
      if (ms >= (range.sinceMs ?? ms) && ms < range.untilMs) ids.set(id, ms);
  });
  for (const doubt of doubts) await compareOne(job, doubt, idsOf.get(doubt) ?? new Map());
}

async function compareOne(
  job: VerifyJob,
  { result, read, segment }: Doubt,
  logged: Map<number | bigint, number>,
): Promise<void> {
  const { code } = result;
  const { repair } = job;
  const takeMissing = async (batch: TimedRows) => {
    if (repair) result.added += await repair(code, batch);
  };
  try {
    const days = await compareSegment({
      ...{
        code: code.slug ?? code.id,
        read,
        logged,
        range: segment.range,
        first: segment.first,
        takeMissing,
      },
      ...{ fetchInOrder, width: job.width, note: job.note, checkExists: () => job.service.getCode(code.id) },
    });
    result.days = [...result.days, ...days.map((day) => ({ ...day, twice: 0 }))];
  } catch (error) {
    if (error instanceof NotFoundError) result.outcome = 'gone';
    else if (error instanceof UnprovenError) Object.assign(result, { outcome: 'unproven', reason: error });
    else throw error;
  }
}

/** Adds rows of the log that repeat others, which are known from the log alone, and sorts the days. */
function conclude({ faultOf }: VerifyJob, result: CodeResult, { twice }: CodeIndex): void {
  const days = new Map(result.days.map((day) => [day.day, day]));
  for (const [day, rows] of twice)
    days.set(day, { ...(days.get(day) ?? { day, missing: 0, gone: 0 }), twice: rows });
  result.days = [...days.values()].sort((a, b) => a.day - b.day);
  if (result.outcome === 'equal' && days.size > 0) result.outcome = 'different';
  const fault = faultOf(result.code.id);
  if (fault === undefined || result.reason !== undefined) return;
  // V10: rows were compared, but the files are not those that the state records. Scans of a deleted code are nowhere else.
  const isReported = result.outcome !== 'equal' && result.outcome !== 'gone';
  Object.assign(result, { outcome: isReported ? result.outcome : 'different', reason: new Error(fault) });
}
