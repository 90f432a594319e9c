/** Finds rows beyond a capped total by their time (C10), because no page has them. */
import type { Scan } from '#service/shapes';
import {
  type Batch,
  type Bounds,
  cut,
  MARGIN_MS,
  pageReader,
  pageSizeOf,
  type RangeReading,
  type ReadScans,
  readFirst,
  widened,
} from './range.ts';
import { collectPasses, repeatPasses } from './repeat-passes.ts';

const ROUND = 50;

export function mayBeTruncated(total: number, pageSize: number, always = false): boolean {
  return total > 0 && (always || total % ROUND === 0 || total % pageSize === 0);
}

export type PageOrder = 'ascending' | 'descending';

/** Outermost instant in the pages, with its row IDs. A capped total omits rows beyond it. */
export interface Edge {
  timeMs: number;
  ids: Set<Scan['id']>;
}

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

interface Look {
  more: boolean;
  /** Whether the response has rows at the edge. If so, the service applies the bounds. */
  hasEdge: boolean;
  /** Whether the responses have all rows in their range, and their total is not capped. */
  isCertain: boolean;
}

/** Returns whether rows exist beyond the edge; undefined if no response is conclusive. */
export async function requestBeyond(
  job: RangeReading,
  order: PageOrder,
  edge: Edge,
  total: number,
): Promise<boolean | undefined> {
  // If all rows have the same time, their order is unknown, so rows on both sides are requested.
  if (edge.ids.size === total) {
    const after = await askOutside('ascending', [1, 1 + MARGIN_MS], false);
    // At a whole second, the first request ends at the edge, because an earlier end may be rounded down.
    const first = edge.timeMs % 1000 === 0 ? [0, 1] : [1];
    return after === false ? askOutside('descending', [...first, 1 + MARGIN_MS], false) : after;
  }
  let appliesBounds = false;
  // Moves the bound inside until rows of the edge are found: by 1 ms, because bounds may be exclusive, then
  // by 1 s, because they may be rounded, and last by 0, because rows of one second may fill the page.
  for (const insideMs of [1, 1 + MARGIN_MS, 0]) {
    const inside = await look(order, -insideMs);
    // If the edge is outside the range, no row can be missing. At its border, rows of that time may be missing.
    if (inside === undefined) return insideMs === 0 ? undefined : false;
    if (inside.more) return true;
    appliesBounds = inside.hasEdge;
    if (appliesBounds && inside.isCertain) return false;
    if (appliesBounds) break;
  }
  if (!appliesBounds) return undefined;
  // Requests rows further out, where a smaller total can't be capped.
  return askOutside(order, [0, 1, 1 + MARGIN_MS], undefined);

  async function askOutside(way: PageOrder, distancesMs: readonly number[], atBorder: false | undefined) {
    for (const outsideMs of distancesMs) {
      const outside = await look(way, outsideMs);
      // A step of a second that leaves the range shows nothing about the rows inside.
      if (outside === undefined) return outsideMs <= 1 ? atBorder : undefined;
      if (outside.more) return true;
      if (outside.isCertain) return false;
    }
    return undefined;
  }

  async function look(way: PageOrder, outsideMs: number): Promise<Look | undefined> {
    const ascending = way === 'ascending';
    const pivotMs = edge.timeMs + (ascending ? outsideMs : -outsideMs);
    const { sinceMs = -Infinity, untilMs } = job.range;
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
    // An equal total of a part may be capped too, unless the part begins inside the edge.
    if (state.more || (first.total >= total && !(state.hasEdge && outsideMs < 0))) return state;
    const part: RangeReading = { ...job, asked };
    const { isVerified, total: counted } = await collectPasses(repeatPasses(part, first, 1), see);
    // Also fetches the page after the last, because the total may be a few rows too small.
    if (isVerified && first.rows.length >= pageSize)
      see(await pageReader(part, first)(Math.ceil(counted / pageSize) + 1));
    return { ...state, isCertain: isVerified && counted < total };
  }
}

export type RangeCount = Awaited<ReturnType<typeof countRange>>;

export async function countRange(read: ReadScans, range: Bounds) {
  const asked = widened(range);
  const page = await readFirst(read, asked);
  const { total, rows } = page;
  const { sinceMs, untilMs = Infinity } = range;
  const inside = cut(page, { sinceMs, untilMs }).rows;
  // C10: the total is too low if the service stopped counting.
  const isCapped = mayBeTruncated(total, pageSizeOf(page));
  // Excludes only margin rows that are on the page, so the count is too low only if the total is.
  const scans = Math.max(0, total - (rows.length - inside.length));
  return { asked, page, inside, scans, isCapped, isWhole: rows.length >= total && !isCapped };
}
