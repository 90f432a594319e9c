/**
 * Some services count no further than a round number and show no page beyond it. Page numbers then cannot tell that rows are
 * missing, but times can: where a total is suspiciously round, what lies beyond the outermost row is asked for by its time (C10).
 */
import type { Scan, ScanPage } from '../service/shapes.ts';
import { type RangeReading, readFirst } from './range.ts';

const SMALLEST_CAP = 1000;
const ROUND = 500;

/** Whether a total is as round as the numbers at which services stop counting. */
export function mayBeTruncated(total: number): boolean {
  return total >= SMALLEST_CAP && total % ROUND === 0;
}

/** The direction of time in which pages run. */
export type PageOrder = 'ascending' | 'descending';

/** The margin beyond a bound that is asked for, and a second of resolution: so far inside it a service may still show rows. */
const FUZZ_MS = 2000;

/**
 * Asks by time whether rows lie beyond the last page of a range. Undefined where that cannot be told: the page is so dense that
 * its edge is not clear, or the service heeds no bounds.
 */
export async function askBeyond(job: RangeReading, order: PageOrder, last: ScanPage): Promise<boolean | undefined> {
  const oldestMs = last.times.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const newestMs = last.times.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  if (newestMs - oldestMs <= FUZZ_MS) return undefined;
  const ascending = order === 'ascending';
  const { rows, times, total } = await readFirst(
    job.read,
    ascending ? { ...job.range, sinceMs: newestMs } : { ...job.range, untilMs: oldestMs },
  );
  const known = new Set<Scan['id']>(last.rows.map((row) => row.id));
  const isInside = (time: number) => (ascending ? time < newestMs : time > oldestMs);
  if (!rows.every((row, i) => isInside(times[i] as number) || known.has(row.id))) return true;
  return total > rows.length ? undefined : false;
}
