/** Counts the scans of one code in a range by one total of the service. */
import type { ScanPage } from '../../service/shapes.ts';
import { type Bounds, cut, pageSizeOf, type ReadScans, readFirst, widened } from './range.ts';
import { mayBeTruncated } from './truncated-total.ts';

/** Page 1 of a range, and the number of scans that it shows. */
export interface RangeCount {
  /** The bounds that were sent, with the margin. */
  asked: Bounds;
  page: ScanPage;
  /** Rows of the page that are inside the range. */
  inside: ScanPage['rows'];
  /** The total without the rows of the margins that the page shows; others make it too large, never too small. */
  scans: number;
  /** C10: the service may have stopped counting at this total. */
  isCapped: boolean;
  /** The page has all rows, and the total is not capped. */
  isWhole: boolean;
}

/** Requests page 1 of a range a second wider on each side, and counts its scans. Throws the errors of `read`. */
export async function countRange(read: ReadScans, range: Bounds): Promise<RangeCount> {
  const asked = widened(range);
  const page = await readFirst(read, asked);
  const { total, rows } = page;
  const { sinceMs, untilMs = Number.POSITIVE_INFINITY } = range;
  const inside = cut(page, { sinceMs, untilMs }).rows;
  const isCapped = mayBeTruncated({ total, pageSize: pageSizeOf(page) });
  const scans = Math.max(0, total - (rows.length - inside.length));
  return { asked, page, inside, scans, isCapped, isWhole: rows.length >= total && !isCapped };
}
