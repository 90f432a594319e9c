/**
 * Requests a range with a margin of one second on each side, and cuts the responses to it (C2), so that it
 * does not matter how the service interprets bounds.
 */
import { NotFoundError, RejectedError } from '../../base/errors.ts';
import { formatInstant } from '../../base/time/time.ts';
import type { ScanPageRequest } from '../../service/service.ts';
import { MAX_SCANS_PAGE, type Scan, type ScanPage } from '../../service/shapes.ts';

/** Half-open range of times in ms since the epoch: `sinceMs` ≤ t < `untilMs`; no lower bound when undefined. */
export interface Range {
  sinceMs: number | undefined;
  untilMs: number;
}

/** Scans and their times: `times[i]` is the time of `rows[i]` in ms since the epoch. */
export interface Batch {
  rows: Scan[];
  times: number[];
}

export type ReadScans = (request: ScanPageRequest) => Promise<ScanPage>;

/** As of base/parallel.ts: in parallel up to `width`, delivered in order. */
export type FetchInOrder = <T>(
  pages: Iterable<number>,
  fetch: (page: number) => Promise<T>,
  width: number,
) => AsyncGenerator<T>;

/** An undefined bound is not sent. */
export type Bounds = Pick<ScanPageRequest, 'sinceMs' | 'untilMs'>;

export interface RangeReading {
  read: ReadScans;
  range: Range;
  /** Sent bounds, wider than the range. */
  asked: Bounds;
  fetchInOrder: FetchInOrder;
  width: number;
  /** Called with the distinct rows returned so far in one attempt. */
  reportRows?: ((rows: number) => void) | undefined;
  /**
   * Called if a pass of this many requests found new rows under an unchanged total: rows of one instant swap
   * positions, and another pass is worth its cost.
   */
  grant?: (requests: number) => void;
}

/** Requests in flight while few rows were returned: a service may report more pages than it has. */
export const CAUTIOUS_WIDTH = 16;

/** Difference of a bound that a service rounds to whole seconds. */
export const MARGIN_MS = 1000;

/** Fetches page 1, of the largest size. */
export function readFirst(read: ReadScans, asked: Bounds): Promise<ScanPage> {
  return read({ page: 1, limit: MAX_SCANS_PAGE, ...asked });
}

/**
 * C1: returns whether a page 1 that was requested without an end contains rows after the end, and more pages
 * follow. Those pages don't count these rows, and as many new rows would hide the difference. (Bounds may be
 * rounded down to seconds.)
 */
export function countsBeyond(
  { rows, times, total }: ScanPage,
  { untilMs = Number.POSITIVE_INFINITY }: Bounds,
): boolean {
  return total > rows.length && times.some((time) => time >= Math.floor(untilMs / 1000) * 1000);
}

/** Creates a reader of the further pages, with the size that page 1 turned out to have. */
export function pageReader(
  { read, asked }: Pick<RangeReading, 'read' | 'asked'>,
  first: ScanPage,
): (page: number) => Promise<ScanPage> {
  const limit = pageSizeOf(first);
  return async (page) => {
    try {
      return await read({ page, limit, ...asked });
    } catch (error) {
      if (!isRefusedPage(error, page)) throw error;
      return { rows: [], times: [], total: first.total, serviceTimeMs: undefined };
    }
  };
}

/**
 * Returns the rows of a full page: fewer than requested if the service limits pages. If page 1 contains all rows, only the service's
 * metadata shows it.
 */
export function pageSizeOf({ rows, total, limit = MAX_SCANS_PAGE }: ScanPage): number {
  if (rows.length > 0 && rows.length < total) return rows.length;
  return limit >= Math.max(rows.length, 1) && limit < MAX_SCANS_PAGE ? limit : MAX_SCANS_PAGE;
}

/** Returns the rows inside a range; the same batch if all are. */
export function cut(batch: Batch, { sinceMs = Number.NEGATIVE_INFINITY, untilMs }: Range): Batch {
  // C2: the margins were only requested. However the service interprets its bounds, no row outside the range is exported.
  const isInside = (time: number) => time >= sinceMs && time < untilMs;
  return batch.times.every(isInside) ? batch : select(batch, (_, time) => isInside(time));
}

export function select({ rows, times }: Batch, test: (row: Scan, time: number) => boolean): Batch {
  const chosen: Batch = { rows: [], times: [] };
  for (let i = 0; i < rows.length; i++) {
    if (!test(rows[i] as Scan, times[i] as number)) continue;
    chosen.rows.push(rows[i] as Scan);
    chosen.times.push(times[i] as number);
  }
  return chosen;
}

export function formatRange({ sinceMs, untilMs }: Range): string {
  return `${sinceMs === undefined ? '' : `from ${formatInstant(sinceMs)} `}until ${formatInstant(untilMs)}`;
}

/**
 * Returns the bounds to request. C2: without the margins, a service with exclusive bounds, or bounds of whole seconds, would omit rows at
 * the ends.
 */
export function widened({ sinceMs, untilMs }: Bounds): Bounds {
  return {
    ...(sinceMs === undefined ? {} : { sinceMs: sinceMs - MARGIN_MS }),
    ...(untilMs === undefined ? {} : { untilMs: untilMs + MARGIN_MS }),
  };
}

/**
 * A service may refuse a page after the last, or limit pagination: page 1 was returned, so the number is the
 * reason. The caller detects a deleted code (C14).
 */
function isRefusedPage(error: unknown, page: number): boolean {
  return page > 1 && (error instanceof RejectedError || error instanceof NotFoundError);
}
