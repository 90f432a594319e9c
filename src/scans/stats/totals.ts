/**
 * Counts the scans in each part of a range from the totals that the service reports: one request per part instead of all pages.
 *
 * The bounds of the service may be inclusive or exclusive, in milliseconds or seconds, so each part is requested slightly wider at its cuts, and
 * no total is smaller than its part. The first response counted the whole range. If the parts add up to it, none is too large, and no scan arrived
 * in between. Scans in the margins at the two ends of the range are on the first and the last page, and are subtracted.
 */
import type { ScanPage } from '../../service/shapes.ts';
import { orderOf } from '../export/export-scans.ts';
import { type Bounds, pageReader, pageSizeOf, type Range, type RangeReading } from '../export/range.ts';
import { mayBeTruncated, requestBeyond, widenEdge } from '../export/truncated-total.ts';

export interface TotalsJob extends RangeReading {
  first: ScanPage;
  /** Instants inside the range at which it is cut, rising. */
  cuts: readonly number[];
}

/** A bound that is requested this much earlier includes rows at it, even if it is exclusive. */
const EXCLUSIVE_MS = 1;

/** Counts the scans of each part, one more than there are cuts. Returns undefined if they can't be verified and the pages must be read. */
export async function countByTotals(job: TotalsJob): Promise<number[] | undefined> {
  const { read, first, cuts, range } = job;
  const order = orderOf(first);
  if (order === 'mixed') return undefined;
  const pageSize = pageSizeOf(first);
  // The part at the far end of the pages comes last: by then its total is known, and with it the number of the last page.
  const far = order === 'ascending' ? cuts.length : 0;
  const near = order === 'ascending' ? 0 : cuts.length;
  const counts: number[] = [];
  const others = Array.from({ length: cuts.length }, (_, at) => (order === 'ascending' ? at : at + 1));
  const fetchTotal = async (part: number) => {
    const { total } = await read({ page: 1, limit: 1, ...boundsOf(part, job) });
    return { part, total };
  };
  for await (const { part, total } of job.fetchInOrder(others, fetchTotal, job.width)) counts[part] = total;
  const left = first.total - counts.reduce((sum, count) => sum + count, 0);
  const page = Math.max(1, Math.ceil(left / pageSize));
  const last = await read({ page, limit: pageSize, ...boundsOf(far, job) });
  // F7: they don't add up: a scan arrived meanwhile, or is dated at a cut, or a total was capped.
  if (last.total !== left || last.rows.length !== left - (page - 1) * pageSize) return undefined;
  counts[far] = left;
  // F8: a part as large as the whole may be capped if the whole is. Then no row may be beyond the last one.
  if (counts.some((count) => count === first.total) && mayBeTruncated({ total: first.total, pageSize })) {
    const end = left > 0 ? last : await pageReader(job, first)(Math.ceil(first.total / pageSize));
    const edge = widenEdge(
      first.rows.length === first.total ? widenEdge(undefined, first, order) : undefined,
      end,
      order,
    );
    if (!edge || (await requestBeyond(job, order, edge, first.total)) !== false) return undefined;
  }
  const outsideNear = marginOf(first, range, {
    atBeginning: order === 'ascending',
    isAll: first.total === first.rows.length,
  });
  const outsideFar = marginOf(last, range, { atBeginning: order !== 'ascending', isAll: page === 1 });
  if (outsideNear === undefined || outsideFar === undefined) return undefined;
  // F9: the margins were requested with the whole, and belong to no part.
  counts[near] = (counts[near] ?? 0) - outsideNear;
  counts[far] = (counts[far] ?? 0) - outsideFar;
  return counts.some((count) => count < 0) ? undefined : counts;
}

/** F7: wider than the part at each cut, never narrower; at the ends of the range, the same bounds as the request for the whole. */
function boundsOf(part: number, { cuts, asked }: TotalsJob): Bounds {
  const since = cuts[part - 1];
  const until = cuts[part];
  return {
    ...asked,
    ...(since !== undefined && { sinceMs: since - EXCLUSIVE_MS }),
    ...(until !== undefined && { untilMs: until }),
  };
}

/**
 * Returns how many rows are outside the range at one end, from a page of that end; undefined if the page has no row inside, so there may be
 * more.
 */
function marginOf(
  { times }: ScanPage,
  { sinceMs = Number.NEGATIVE_INFINITY, untilMs }: Range,
  { atBeginning, isAll }: { atBeginning: boolean; isAll: boolean },
): number | undefined {
  const outside = times.filter((time) => (atBeginning ? time < sinceMs : time >= untilMs)).length;
  return outside === times.length && !isAll ? undefined : outside;
}
