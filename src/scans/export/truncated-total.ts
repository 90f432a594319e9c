/**
 * Finds rows beyond a capped total (C10): the service returns no page beyond the cap, but rows beyond the
 * outermost one can be requested by time.
 */
import type { Scan } from '../../service/shapes.ts';
import { type Batch, MARGIN_MS, pageReader, pageSizeOf, type RangeReading, readFirst } from './range.ts';
import { collectPasses, repeatPasses } from './repeat-passes.ts';

const ROUND = 50;

/** Returns whether a total is a number at which services stop counting; with `always`, every total is. */
export function mayBeTruncated({
  total,
  pageSize,
  always = false,
}: {
  total: number;
  pageSize: number;
  always?: boolean;
}) {
  return total > 0 && (always || total % ROUND === 0 || total % pageSize === 0);
}

/** Direction of time in which pages run. */
export type PageOrder = 'ascending' | 'descending';

/** End of a range at which a service that caps its total omits rows: the outermost instant, and the IDs of its rows. */
export interface Edge {
  timeMs: number;
  ids: Set<Scan['id']>;
}

/** Returns the edge after one more page. */
export function widenEdge(
  edge: Edge | undefined,
  { rows, times }: Batch,
  order: PageOrder,
): Edge | undefined {
  let widest = edge;
  for (let i = 0; i < rows.length; i++) {
    const timeMs = times[i] as number;
    if (widest === undefined || isBeyond(timeMs, widest, order)) widest = { timeMs, ids: new Set() };
    if (timeMs === widest.timeMs) widest.ids.add((rows[i] as Scan).id);
  }
  return widest;
}

function isBeyond(timeMs: number, edge: Edge, order: PageOrder): boolean {
  return order === 'ascending' ? timeMs > edge.timeMs : timeMs < edge.timeMs;
}

/** Result of a request for the rows beyond some time. */
interface Look {
  more: boolean;
  /** The edge is in the response: the service applies the bounds. */
  hasEdge: boolean;
  /** The response has all rows of the requested range, and its total is not capped. */
  isCertain: boolean;
}

/**
 * Requests by time whether rows of the range are beyond its edge, if the service counts `total` rows in all of it; undefined if the
 * response is inconclusive. One request suffices unless the second at the edge has more rows than a page.
 */
export async function requestBeyond(
  job: RangeReading,
  order: PageOrder,
  edge: Edge,
  total: number,
): Promise<boolean | undefined> {
  // Rows of one instant show no order, and contain no rows between them: rows after them are requested, and rows before.
  if (edge.ids.size === total) {
    const after = await askOutside('ascending', [1, 1 + MARGIN_MS], false);
    // If a service rounds its bounds down to seconds, one millisecond before a whole second omits the second before; the instant itself
    // does not.
    const first = edge.timeMs % 1000 === 0 ? [0, 1] : [1];
    return after === false ? askOutside('descending', [...first, 1 + MARGIN_MS], false) : after;
  }
  let appliesBounds = false;
  // One millisecond inside the edge, in case bounds are exclusive; one second more, if the service rounds them down; and the edge itself,
  // if the second before it has more rows than a page.
  for (const insideMs of [1, 1 + MARGIN_MS, 0]) {
    const inside = await look(order, -insideMs);
    // There are no rows outside the range; at its border, rows of the edge itself may be missing.
    if (inside === undefined) return insideMs === 0 ? undefined : false;
    if (inside.more) return true;
    appliesBounds = inside.hasEdge;
    if (appliesBounds && inside.isCertain) return false;
    if (appliesBounds) break;
  }
  if (!appliesBounds) return undefined;
  // All rows are near the edge, and a count equal to the whole may be capped as well; the count of the rows after them is not.
  return askOutside(order, [0, 1, 1 + MARGIN_MS], undefined);

  /** `atBorder` is the result if the edge is the border of the range. */
  async function askOutside(way: PageOrder, distancesMs: readonly number[], atBorder: false | undefined) {
    for (const outsideMs of distancesMs) {
      const outside = await look(way, outsideMs);
      // There are no rows outside the range. If only the step of a second leads there, the step before did not show the rows in between.
      if (outside === undefined) return outsideMs <= 1 ? atBorder : undefined;
      if (outside.more) return true;
      if (outside.isCertain) return false;
    }
    return undefined;
  }

  /** Requests rows from this far outside the edge; undefined if that is outside the range. */
  async function look(way: PageOrder, outsideMs: number): Promise<Look | undefined> {
    const ascending = way === 'ascending';
    const pivotMs = edge.timeMs + (ascending ? outsideMs : -outsideMs);
    const { sinceMs = Number.NEGATIVE_INFINITY, untilMs } = job.range;
    if (ascending ? pivotMs >= untilMs : pivotMs <= sinceMs) return undefined;
    const asked = ascending ? { ...job.asked, sinceMs: pivotMs } : { ...job.asked, untilMs: pivotMs };
    const first = await readFirst(job.read, asked);
    const pageSize = pageSizeOf(first);
    const state: Look = { more: first.total > total, hasEdge: false, isCertain: false };
    const see = ({ rows, times }: Batch) => {
      rows.forEach(({ id }, i) => {
        const timeMs = times[i] as number;
        state.more ||= isBeyond(timeMs, edge, way) || (timeMs === edge.timeMs && !edge.ids.has(id));
        state.hasEdge ||= edge.ids.has(id);
      });
    };
    see(first);
    // A part that counts as many rows as the whole may be capped like the whole. Reading continues only if it begins inside the edge and
    // includes it: then rows beyond the edge may be on its further pages.
    if (state.more || (first.total >= total && !(state.hasEdge && outsideMs < 0))) return state;
    const part: RangeReading = { ...job, asked };
    const { isVerified, total: counted } = await collectPasses(repeatPasses(part, first, 1), see);
    // Full pages: a total that is too small by a few rows would end them before the rows beyond.
    if (isVerified && first.rows.length >= pageSize)
      see(await pageReader(part, first)(Math.ceil(counted / pageSize) + 1));
    return { ...state, isCertain: isVerified && counted < total };
  }
}
