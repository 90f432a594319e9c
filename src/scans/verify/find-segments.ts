/**
 * Finds the parts of a range in which a log and the service differ, by totals: the range is halved at midnight (UTC) until few days are left.
 *
 * V2: a total is never smaller than the number of scans of its part (count-range.ts), and scans don't vanish one by one. So a total that equals
 * the distinct scans of the log proves that none is missing. A larger total may count the margins: the part is halved or read.
 */
import { DAY_MS } from '../../base/time/time.ts';
import type { ScanPage } from '../../service/shapes.ts';
import { countRange, type RangeCount } from '../export/count-range.ts';
import { pageSizeOf, type Range, type ReadScans } from '../export/range.ts';
import { type CodeIndex, countIn, dayOf, sumOf } from './log-index.ts';

export interface Segment {
  range: Range;
  first: ScanPage;
  /** Distinct scans of the log in it. */
  logged: number;
}

export interface TotalsOfCode {
  read: ReadScans;
  index: CodeIndex;
  largest: LargestTotal;
}

/** The largest total of a run, shared by all codes. */
export interface LargestTotal {
  total: number;
}

export async function countScans(
  { read, largest }: Pick<TotalsOfCode, 'read' | 'largest'>,
  range: Range,
): Promise<RangeCount> {
  const count = await countRange(read, range);
  largest.total = Math.max(largest.total, count.page.total);
  return count;
}

/** V3: a capped total proves nothing. A service caps all totals at one number, so a total below another one is not capped. */
export function mayBeCapped({ isCapped, page }: RangeCount, largest: LargestTotal): boolean {
  return isCapped && page.total >= largest.total;
}

export function isSame(index: CodeIndex, range: Range, { scans, inside }: RangeCount): boolean {
  if (scans !== countIn(index, range)) return false;
  // V4: a page with as many rows as the log has all of them, so their IDs are compared as well, in one number.
  return inside.length !== index.rows || sumOf(inside.map(({ id }) => id)) === index.sum;
}

/** Maximum number of pages of a segment that the log has nothing of: its rows are in memory until they are verified. */
const MOST_PAGES = 100;

/**
 * Returns the segments to be read, oldest first; between them the log lacks no scan. Sends two requests per level: about 2 log2(days) for one
 * difference.
 */
export async function findSegments(
  job: TotalsOfCode,
  range: Range,
  { page }: RangeCount,
): Promise<Segment[]> {
  const { index } = job;
  const logged = countIn(index, range);
  const firstDay = range.sinceMs === undefined ? firstDayOf(index) : dayOf(range.sinceMs);
  const days = dayOf(range.untilMs - 1) - firstDay + 1;
  const pages = Math.ceil(page.total / pageSizeOf(page));
  const whole = [{ range, first: page, logged }];
  // Reading the pages is cheaper than halving, or the log has nothing that could be equal.
  if (days <= 1 || pages <= (logged === 0 ? MOST_PAGES : Math.log2(days))) return whole;
  const cutMs = (firstDay + Math.ceil(days / 2)) * DAY_MS;
  const older: Range = { sinceMs: range.sinceMs, untilMs: cutMs };
  const newer: Range = { sinceMs: cutMs, untilMs: range.untilMs };
  const halves = [
    { half: older, count: await countScans(job, older) },
    { half: newer, count: await countScans(job, newer) },
  ];
  // V9: a service that ignores the bounds counts all of its scans in every part.
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
