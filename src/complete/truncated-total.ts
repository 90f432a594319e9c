/**
 * Some services count no further than a round number and show no page beyond it. Page numbers then cannot tell that rows are
 * missing, but times can: where a total is suspiciously round, what lies beyond the outermost row is asked for by its time.
 */
import type { Scan, ScanPage } from '../service/shapes.ts';
import type { Order } from './batch.ts';

const SMALLEST_CAP = 1000;
const ROUND = 500;

/** Whether a total is as round as the caps of services are. */
export function mayBeCapped(total: number): boolean {
  return total >= SMALLEST_CAP && total % ROUND === 0;
}

/** The margin beyond a bound that is asked for, and a second of resolution: so far inside it a service may still show rows. */
const FUZZ_MS = 2000;

/** The outermost page of a collected range, in the direction in which the pages run. */
export interface Edge {
  order: Exclude<Order, 'mixed'>;
  page: ScanPage;
}

/** The time beyond which nothing is collected; undefined where the page is so dense that asking by time would not be clear. */
export function edgeTime({ order, page: { times } }: Edge): number | undefined {
  const [oldest, newest] = [Math.min(...times), Math.max(...times)];
  if (newest - oldest <= FUZZ_MS) return undefined;
  return order === 'ascending' ? newest : oldest;
}

/** Whether an answer to the question for rows beyond the edge shows some; undefined: it heeds no bounds, and does not tell. */
export function showsMore(edge: Edge, { rows, times, total }: ScanPage): boolean | undefined {
  const known = new Set<Scan['id']>(edge.page.rows.map((row) => row.id));
  const edgeMs = edgeTime(edge) ?? 0;
  const isInside = (time: number) => (edge.order === 'ascending' ? time < edgeMs : time > edgeMs);
  if (!rows.every((row, i) => isInside(times[i] as number) || known.has(row.id))) return true;
  return total > rows.length ? undefined : false;
}
