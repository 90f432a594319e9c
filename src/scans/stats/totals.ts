/**
 * Counts parts of a range by one total each, instead of all pages. Parts are requested wider at their cuts,
 * so no total is too small. If they add up to the total of the whole, none is too large, and no scan arrived
 * meanwhile.
 */
import type { ScanPage } from '../../service/shapes.ts';
import { orderOf } from '../export/export-scans.ts';
import { type Bounds, pageReader, pageSizeOf, type Range, type RangeReading } from '../export/range.ts';
import { mayBeTruncated, requestBeyond, widenEdge } from '../export/truncated-total.ts';

interface TotalsJob extends RangeReading {
  first: ScanPage;
  cuts: readonly number[];
}

/** Time by which a part begins before its cut, because the bound may be exclusive. */
const EXCLUSIVE_MS = 1;

/** Returns undefined if the pages must be read. */
export async function countByTotals(job: TotalsJob): Promise<number[] | undefined> {
  const { read, first, cuts, range } = job;
  const order = orderOf(first);
  if (order === 'mixed') return undefined;
  const pageSize = pageSizeOf(first);
  // The far end of the pages comes last, when its total shows the number of the last page.
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
  // F7: a scan arrived meanwhile or is dated at a cut, or a total is capped.
  if (last.total !== left || last.rows.length !== left - (page - 1) * pageSize) return undefined;
  counts[far] = left;
  // F8: a part with as many scans as the whole is capped if the whole is.
  if (counts.some((count) => count === first.total) && mayBeTruncated(first.total, pageSize)) {
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
  // F9: the margins belong to no part.
  counts[near] = (counts[near] ?? 0) - outsideNear;
  counts[far] = (counts[far] ?? 0) - outsideFar;
  return counts.some((count) => count < 0) ? undefined : counts;
}

/** F7: bounds are wider at cuts, never narrower. */
function boundsOf(part: number, { cuts, asked }: TotalsJob): Bounds {
  const since = cuts[part - 1];
  const until = cuts[part];
  return {
    ...asked,
    ...(since !== undefined && { sinceMs: since - EXCLUSIVE_MS }),
    ...(until !== undefined && { untilMs: until }),
  };
}

function marginOf(
  { times }: ScanPage,
  { sinceMs = -Infinity, untilMs }: Range,
  { atBeginning, isAll }: { atBeginning: boolean; isAll: boolean },
): number | undefined {
  const outside = times.filter((time) => (atBeginning ? time < sinceMs : time >= untilMs)).length;
  return outside === times.length && !isAll ? undefined : outside;
}
