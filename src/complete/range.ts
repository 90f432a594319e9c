/**
 * A range of one code's scans: how it is asked for, a second wider on each side, and how the answers are cut to it (C2).
 * Whether the service's bounds are inclusive, and whether they have second or millisecond resolution, then no longer matters.
 */
import { NotFoundError, RejectedError } from '../errors.ts';
import type { ScanPageRequest } from '../service/service.ts';
import { MAX_SCANS_PAGE, type Scan, type ScanPage } from '../service/shapes.ts';
import { formatInstant } from '../time/time.ts';

/** Half-open range of times in ms since the epoch: `sinceMs` ≤ t < `untilMs`; no lower bound when undefined. */
export interface Range {
  sinceMs: number | undefined;
  untilMs: number;
}

/** Scans on their way through an export: `times[i]` is the time of `rows[i]` in ms since the epoch. */
export interface Batch {
  rows: Scan[];
  times: number[];
}

/** Reads a page of one code's scans. */
export type ReadScans = (request: ScanPageRequest) => Promise<ScanPage>;

/** As `fetchInOrder` of parallel/fetch-in-order.ts: in parallel up to `width`, delivered in the order of `pages`. */
export type FetchInOrder = <T>(pages: Iterable<number>, fetch: (page: number) => Promise<T>, width: number) => AsyncGenerator<T>;

/** A bound that is undefined is not asked for. */
export type Bounds = Pick<ScanPageRequest, 'sinceMs' | 'untilMs'>;

/** A range of one code, and how it is read. */
export interface RangeReading {
  read: ReadScans;
  range: Range;
  /** The bounds that are sent, wider than the range. */
  asked: Bounds;
  fetchInOrder: FetchInOrder;
  /** Requests in flight at once. */
  width: number;
  /** Told how many distinct rows were shown so far, in one attempt. */
  show?: ((rows: number) => void) | undefined;
  /**
   * Told that a reading of so many requests found new rows under an unchanged total: then rows of one instant swap places between pages, and
   * reading again is worth its cost.
   */
  grant?: (requests: number) => void;
}

/** Requests in flight while little was shown: a service may say that it has more pages than it has. */
export const CAUTIOUS_WIDTH = 16;

/** How far a bound may be off that a service rounds to whole seconds. */
export const MARGIN_MS = 1000;

/** Page 1 of what lies between these bounds, with the largest page the service allows. */
export function readFirst(read: ReadScans, asked: Bounds): Promise<ScanPage> {
  return read({ page: 1, limit: MAX_SCANS_PAGE, ...asked });
}

/**
 * C1: whether a page 1 that was asked for without an end shows rows beyond the one that was set since, and others follow: to their answers
 * these rows are none, and as many that arrive would make up for them. (Bounds may be rounded down to seconds.)
 */
export function countsBeyond({ rows, times, total }: ScanPage, { untilMs = Number.POSITIVE_INFINITY }: Bounds): boolean {
  return total > rows.length && times.some((time) => time >= Math.floor(untilMs / 1000) * 1000);
}

/** A reader of the further pages of a range, all asked for with the page size that page 1 turned out to have. */
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
 * Rows a full page holds: fewer than asked for where the service serves smaller pages. Where page 1 shows all there is only the
 * service's word tells that.
 */
export function pageSizeOf({ rows, total, limit = MAX_SCANS_PAGE }: ScanPage): number {
  if (rows.length > 0 && rows.length < total) return rows.length;
  return limit >= Math.max(rows.length, 1) && limit < MAX_SCANS_PAGE ? limit : MAX_SCANS_PAGE;
}

/** The rows inside a range, in their order. Gives back the same batch where all of them are. */
export function cut(batch: Batch, { sinceMs = Number.NEGATIVE_INFINITY, untilMs }: Range): Batch {
  // C2: the margins were only asked for, and whatever the service takes its bounds to mean, no row outside them is exported.
  const isInside = (time: number) => time >= sinceMs && time < untilMs;
  return batch.times.every(isInside) ? batch : select(batch, (_, time) => isInside(time));
}

/** The rows that pass a test, in their order. */
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

/** The bounds to ask for. C2: without the margins a service with exclusive bounds, or bounds of whole seconds, would leave out rows at the ends. */
export function widened({ sinceMs, untilMs }: Bounds): Bounds {
  return {
    ...(sinceMs === undefined ? {} : { sinceMs: sinceMs - MARGIN_MS }),
    ...(untilMs === undefined ? {} : { untilMs: untilMs + MARGIN_MS }),
  };
}

/**
 * A service may refuse a page after the last instead of leaving it empty, or page no further than so many rows: page 1 of the
 * same range was answered, so it is the number that is refused. A code that is gone is found out by who reads on (C14).
 */
function isRefusedPage(error: unknown, page: number): boolean {
  return page > 1 && (error instanceof RejectedError || error instanceof NotFoundError);
}
