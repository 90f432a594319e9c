/**
 * Finds days on which a log differs from the service. V2: if a total is not capped and equals the number of
 * distinct scans in the log, none is missing, because scans don't vanish individually.
 */
import { DAY_MS } from '#base/time/time';
import type { TimedRows } from '#files/formats/row-sink';
import { exportScans } from '#scans/export/export-scans';
import { type CodeReader, pageSizeOf, type Range, select, widened } from '#scans/export/range';
import { countRange, type RangeCount } from '#scans/export/truncated-total';
import type { ScanPage } from '#service/shapes';
import { addOne, type CodeIndex, countIn, dayOf, sumOf } from './log-index.ts';

export interface Segment {
  range: Range;
  first: ScanPage;
  logged: number;
}

export interface TotalsOfCode extends CodeReader {
  index: CodeIndex;
  largest: { total: number };
}

export async function countScans(
  { read, largest }: Pick<TotalsOfCode, 'read' | 'largest'>,
  range: Range,
): Promise<RangeCount> {
  const count = await countRange(read, range);
  largest.total = Math.max(largest.total, count.page.total);
  return count;
}

/** V3: returns whether a total may be capped. It can't be if another one is larger. */
export function mayBeCapped({ isCapped, page }: RangeCount, largest: TotalsOfCode['largest']): boolean {
  return isCapped && page.total >= largest.total;
}

export function isSame(index: CodeIndex, range: Range, { scans, inside }: RangeCount): boolean {
  if (scans !== countIn(index, range)) return false;
  // V4: if the page has as many rows as the log, also compares the sums of their hashed IDs.
  return inside.length !== index.rows || sumOf(inside.map(({ id }) => id)) === index.sum;
}

const MOST_PAGES = 100;

/** Finds parts that may differ. Takes about 2 log2(days) requests per difference. */
export async function findSegments(
  job: Pick<TotalsOfCode, 'read' | 'index' | 'largest'>,
  range: Range,
  { page }: RangeCount,
): Promise<Segment[]> {
  const { index } = job;
  const logged = countIn(index, range);
  const firstDay = range.sinceMs === undefined ? firstDayOf(index) : dayOf(range.sinceMs);
  const days = dayOf(range.untilMs - 1) - firstDay + 1;
  const pages = Math.ceil(page.total / pageSizeOf(page));
  const whole = [{ range, first: page, logged }];
  // Returns the whole range unless halving costs fewer requests. Halving an empty log rarely helps.
  if (days <= 1 || pages <= (logged === 0 ? MOST_PAGES : Math.log2(days))) return whole;
  const cutMs = (firstDay + Math.ceil(days / 2)) * DAY_MS;
  const older: Range = { sinceMs: range.sinceMs, untilMs: cutMs };
  const newer: Range = { sinceMs: cutMs, untilMs: range.untilMs };
  const halves = [
    { half: older, count: await countScans(job, older) },
    { half: newer, count: await countScans(job, newer) },
  ];
  // V9: returns the whole range if the service ignores bounds and counts all scans in each half.
  if (halves.every(({ count }) => count.page.total === page.total)) return whole;
  const found: Segment[] = [];
  for (const { half, count } of halves) {
    if (isSame(index, half, count) && !mayBeCapped(count, job.largest)) continue;
    for (const segment of await findSegments(job, half, count)) found.push(segment);
  }
  return found;
}

function firstDayOf({ days }: CodeIndex): number {
  return days.size === 0 ? 0 : [...days.keys()].reduce((first, day) => Math.min(first, day));
}

export interface DayDifference {
  day: number;
  missing: number;
  gone: number;
}

interface SegmentJob extends CodeReader {
  note(line: string): void;
  range: Range;
  first: ScanPage;
  logged: ReadonlyMap<number | bigint, number>;
  /** Receives scans that the log lacks. Some may be passed twice. */
  takeMissing(batch: TimedRows): Promise<unknown>;
}

/** Compares scans by ID. Throws UnprovenError if uncertain, NotFoundError for a deleted code. */
export async function compareSegment(job: SegmentJob): Promise<DayDifference[]> {
  const missing = new Map<number, number>();
  const gone = new Map<number, number>();
  const { left, others } = await readAgainst(job, job.logged, job.first);
  for (const batch of others) {
    if (batch.rows.length === 0) continue;
    await job.takeMissing(batch);
    for (const ms of batch.times) addOne(missing, dayOf(ms));
  }
  // V6: a replica may lag behind, so a scan is gone only if two readings lack it.
  const lacking = left.size === 0 ? left : (await readAgainst(job, left)).left;
  for (const ms of lacking.values()) addOne(gone, dayOf(ms));
  const days = new Set([...missing.keys(), ...gone.keys()]);
  return [...days].map((day) => ({ day, missing: missing.get(day) ?? 0, gone: gone.get(day) ?? 0 }));
}

async function readAgainst(job: SegmentJob, known: ReadonlyMap<number | bigint, number>, first?: ScanPage) {
  let left = new Map(known);
  let others: TimedRows[] = [];
  await exportScans(
    { ...job, asked: widened(job.range), isKnown: true, first },
    {
      async write(batch) {
        for (const { id } of batch.rows) left.delete(id);
        others.push(select(batch, ({ id }) => !known.has(id)));
        return batch.rows.length;
      },
      // V5: no scan counts until its part is verified as complete.
      checkpoint: async () => async () => {
        left = new Map(known);
        others = [];
        return true;
      },
    },
  );
  return { left, others };
}
