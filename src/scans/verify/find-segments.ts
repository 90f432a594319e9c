/**
 * Finds the parts of a range in which a log and the service differ, by totals: the range is halved at midnight (UTC) until few days are left.
 *
 * V2: each part is requested a second wider on both sides (scans/export/range.ts), so its total is never smaller than the number of its scans, and
 * scans don't vanish one by one. So a total that equals the distinct scans of the log proves that none is missing, whatever the bounds of
 * the service are. A total that is larger proves nothing, because it may count the margins: the part is halved or read.
 */
import { DAY_MS } from '../../base/time/units.ts';
import type { ScanPage } from '../../service/shapes.ts';
import { cut, pageSizeOf, type Range, type ReadScans, readFirst, widened } from '../export/range.ts';
import { mayBeTruncated } from '../export/truncated-total.ts';
import { type CodeIndex, countIn, dayOf, sumOf } from './log-index.ts';

/** Part of a range to be read and compared by IDs. */
export interface Segment {
  range: Range;
  /** Page 1 of it. */
  first: ScanPage;
  /** Distinct scans that the log has in it. */
  logged: number;
}

export interface TotalsOfCode {
  read: ReadScans;
  index: CodeIndex;
  /** The largest total that the service returned in this run: a smaller one is not capped. */
  largest: LargestTotal;
}

export interface LargestTotal {
  note(total: number): void;
  isAbove(total: number): boolean;
}

/** Creates the memory of totals that all codes of a run share: a service that caps its totals does so at one number. */
export function createLargestTotal(): LargestTotal {
  let largest = 0;
  return {
    note(total) {
      largest = Math.max(largest, total);
    },
    isAbove: (total) => largest > total,
  };
}

/** Requests page 1 of a range, and with it the total. */
export async function askTotal(
  { read, largest }: Pick<TotalsOfCode, 'read' | 'largest'>,
  range: Range,
): Promise<ScanPage> {
  const page = await readFirst(read, widened(range));
  largest.note(page.total);
  return page;
}

/** V3: a capped total proves nothing. A service that caps its totals does so at one number, so a total below another one is not capped. */
export function mayBeCapped(page: ScanPage, largest: LargestTotal): boolean {
  return mayBeTruncated({ total: page.total, pageSize: pageSizeOf(page) }) && !largest.isAbove(page.total);
}

/** Returns whether the log has as many distinct scans in the range as page 1 of it counts. */
export function isSame(index: CodeIndex, range: Range, page: ScanPage): boolean {
  const inside = cut(page, range).rows;
  // V2: rows of the margins that the page shows are not counted; those that it doesn't show make the total too large, never too small.
  if (page.total - (page.rows.length - inside.length) !== countIn(index, range)) return false;
  // V4: if the page has as many rows as the log, it has all of them. Their IDs are compared as well, in one number.
  return inside.length !== index.rows || sumOf(inside.map(({ id }) => id)) === index.sum;
}

/** Pages of a segment that the log has nothing of: its rows are in memory until they are verified. */
const MOST_PAGES = 100;

/**
 * Returns the segments that are to be read, oldest first; between them the log lacks no scan. `page` is page 1 of the range. Sends two requests
 * per level: about 2 log2(days) for one difference.
 */
export async function findSegments(job: TotalsOfCode, range: Range, page: ScanPage): Promise<Segment[]> {
  const { index } = job;
  const logged = countIn(index, range);
  const [firstDay, lastDay] = [
    range.sinceMs === undefined ? firstDayOf(index) : dayOf(range.sinceMs),
    dayOf(range.untilMs - 1),
  ];
  const days = lastDay - firstDay + 1;
  const pages = Math.ceil(page.total / pageSizeOf(page));
  // Reading the pages is cheaper than halving, or the log has nothing that could be equal.
  if (days <= 1 || pages <= (logged === 0 ? MOST_PAGES : Math.log2(days)))
    return [{ range, first: page, logged }];
  const cutMs = (firstDay + Math.ceil(days / 2)) * DAY_MS;
  const halves: Range[] = [
    { sinceMs: range.sinceMs, untilMs: cutMs },
    { sinceMs: cutMs, untilMs: range.untilMs },
  ];
  const answers = [];
  for (const half of halves) answers.push({ half, answer: await askTotal(job, half) });
  // V9: a service that ignores the bounds counts all of its scans in every part.
  if (answers.every(({ answer }) => answer.total === page.total)) return [{ range, first: page, logged }];
  const found: Segment[] = [];
  for (const { half, answer } of answers) {
    if (isSame(index, half, answer) && !mayBeCapped(answer, job.largest)) continue;
    for (const segment of await findSegments(job, half, answer)) found.push(segment);
  }
  return found;
}

/** 1970 for a log without scans. */
function firstDayOf({ days }: CodeIndex): number {
  if (days.size === 0) return 0;
  let first = Number.POSITIVE_INFINITY;
  for (const day of days.keys()) first = Math.min(first, day);
  return first;
}
