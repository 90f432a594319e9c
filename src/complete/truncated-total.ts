/**
 * Some services count no further than a certain number, and show no page beyond it. Page numbers then cannot tell that rows are
 * missing, but times can: where a total may be truncated, what lies beyond the outermost row is asked for by its time (C10).
 */
import type { Scan } from '../service/shapes.ts';
import { type Batch, MARGIN_MS, pageReader, pageSizeOf, type RangeReading, readFirst } from './range.ts';
import { readUnion, union } from './union.ts';

/** Services stop counting at a round number, or at the end of a page. */
const ROUND = 50;

/** Whether a total is one at which services stop counting; with `always` every total is taken for one. */
export function mayBeTruncated({ total, pageSize, always = false }: { total: number; pageSize: number; always?: boolean }) {
  return total > 0 && (always || total % ROUND === 0 || total % pageSize === 0);
}

/** The direction of time in which pages run. */
export type PageOrder = 'ascending' | 'descending';

/** The end of a range at which a service that truncates its total leaves rows out: its outermost instant, and the rows of that. */
export interface Edge {
  timeMs: number;
  ids: Set<Scan['id']>;
}

/** The edge of a range that pages in `order`, as it is known when `page` has been read too. */
export function widenEdge(edge: Edge | undefined, { rows, times }: Batch, order: PageOrder): Edge | undefined {
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

/** What an answer about the rows from some time on tells: whether one of them lies beyond the edge, and whether it can be believed. */
interface Look {
  more: boolean;
  /** The edge was shown: the service answers what it is asked. */
  hasEdge: boolean;
  /** All of the range that was asked for was shown, and it is not truncated: the whole range counts more. */
  isCertain: boolean;
}

/**
 * Asks by time whether rows of the range lie beyond its edge, when the service counts `total` rows in all of it; undefined where it
 * does not tell. One request tells it, unless the second at the edge has more rows than fit on a page.
 */
export async function askBeyond(job: RangeReading, order: PageOrder, edge: Edge, total: number): Promise<boolean | undefined> {
  // Rows of one instant show no order, and have nothing inside: what comes after them is asked for, and what was before.
  if (edge.ids.size === total) {
    const after = await askOutside('ascending', [1, 1 + MARGIN_MS], false);
    // Where a service rounds its bounds down to seconds, a millisecond before a whole one leaves out the second before: the instant itself does not.
    const first = edge.timeMs % 1000 === 0 ? [0, 1] : [1];
    return after === false ? askOutside('descending', [...first, 1 + MARGIN_MS], false) : after;
  }
  let control = false;
  // A millisecond inside the edge, lest bounds be exclusive; a second more, where the service rounds them down; and the edge
  // itself, where the second before it has more rows than fit on a page.
  for (const insideMs of [1, 1 + MARGIN_MS, 0]) {
    const inside = await look(order, -insideMs);
    // Outside the range lies nothing; at its very border rows of the edge itself may be left out.
    if (inside === undefined) return insideMs === 0 ? undefined : false;
    if (inside.more) return true;
    control = inside.hasEdge;
    if (control && inside.isCertain) return false;
    if (control) break;
  }
  if (!control) return undefined;
  // All rows are near the edge, and what counts as many as the whole may be truncated as it is: what comes after them is not.
  return askOutside(order, [0, 1, 1 + MARGIN_MS], undefined);

  /** `atBorder` is what it means that the edge is the border of the range. */
  async function askOutside(way: PageOrder, distancesMs: readonly number[], atBorder: false | undefined) {
    for (const outsideMs of distancesMs) {
      const outside = await look(way, outsideMs);
      // Nothing lies outside the range. Where only the step of a second leads there, the step before did not tell what lies between.
      if (outside === undefined) return outsideMs <= 1 ? atBorder : undefined;
      if (outside.more) return true;
      if (outside.isCertain) return false;
    }
    return undefined;
  }

  /** Looks from so far outside the edge on; undefined where that is outside the range. */
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
    // A part that counts as many rows as the whole may be truncated like the whole. It is read on only where it begins inside the edge
    // and shows it: then rows beyond the edge may be on its further pages.
    if (state.more || (first.total >= total && !(state.hasEdge && outsideMs < 0))) return state;
    const part: RangeReading = { ...job, asked };
    const { proven, total: counted } = await readUnion(union(part, first, 1), see);
    // Full pages: a total that is too small by the rows of some would end them before what lies beyond.
    if (proven && first.rows.length >= pageSize) see(await pageReader(part, first)(Math.ceil(counted / pageSize) + 1));
    return { ...state, isCertain: proven && counted < total };
  }
}
