/**
 * V2: a total is never too small, and scans do not vanish individually, so a total equal to the distinct
 * scans shows that none is missing.
 */
import { DAY_MS } from '../../base/time/time.ts';
import type { ScanPage } from '../../service/shapes.ts';
import { pageSizeOf, type Range, type ReadScans } from '../export/range.ts';
import { countRange, type RangeCount } from '../export/truncated-total.ts';
import { type CodeIndex, countIn, dayOf, sumOf } from './log-index.ts';

export interface Segment {
  range: Range;
  first: ScanPage;
  logged: number;
}

export interface TotalsOfCode {
  read: ReadScans;
  index: CodeIndex;
  largest: { total: number };
}

/**
 * Counts from files or from the service. Throws if all codes fail; the result contains the failures of some.
 */
export async function countScans(
  { read, largest }: Pick<TotalsOfCode, 'read' | 'largest'>,
  range: Range,
): Promise<RangeCount> {
  const count = await countRange(read, range);
  largest.total = Math.max(largest.total, count.page.total);
  return count;
}

/** V3: a larger total shows that the cap is higher. */
export function mayBeCapped({ isCapped, page }: RangeCount, largest: TotalsOfCode['largest']): boolean {
  return isCapped && page.total >= largest.total;
}

export function isSame(index: CodeIndex, range: Range, { scans, inside }: RangeCount): boolean {
  if (scans !== countIn(index, range)) return false;
  // V4: a page with as many rows as the log has all of them, so a sum of hashed IDs is compared too.
  return inside.length !== index.rows || sumOf(inside.map(({ id }) => id)) === index.sum;
}

const MOST_PAGES = 100;

/**
 * Returns the segments to read, oldest first. Sends two requests per level, about 2 log2(days) per
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
  // Reading is cheaper than halving, or the log has nothing that could be equal.
  if (days <= 1 || pages <= (logged === 0 ? MOST_PAGES : Math.log2(days))) return whole;
  const cutMs = (firstDay + Math.ceil(days / 2)) * DAY_MS;
  const older: Range = { sinceMs: range.sinceMs, untilMs: cutMs };
  const newer: Range = { sinceMs: cutMs, untilMs: range.untilMs };
  const halves = [
    { half: older, count: await countScans(job, older) },
    { half: newer, count: await countScans(job, newer) },
  ];
  // V9: a service that ignores bounds counts all scans in every part.
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
