/** Asking the service for a range of one code's scans, whichever bounds it applies. */
import { NotFoundError, RejectedError } from '../errors.ts';
import type { ScanPageRequest } from '../service/service.ts';
import { MAX_SCANS_PAGE, type ScanPage } from '../service/shapes.ts';

/** Reads a page of one code's scans. */
export type ReadScans = (request: ScanPageRequest) => Promise<ScanPage>;

/** As `fetchInOrder` of service/pages.ts: in parallel up to `width`, delivered in the order of `pages`. */
export type FetchInOrder = <T>(pages: Iterable<number>, fetch: (page: number) => Promise<T>, width: number) => AsyncGenerator<T>;

/** Bounds in ms since the epoch; a bound that is undefined is not asked for. */
export interface Bounds {
  sinceMs?: number | undefined;
  untilMs?: number | undefined;
}

/**
 * The service is asked for a second more on each side and the answer is cut exactly by the caller: whether its bounds are
 * inclusive, and whether they have second or millisecond resolution, then no longer matters.
 */
const MARGIN_MS = 1000;

/** Page 1 of a range, with the largest page the service allows. */
export function readFirst(read: ReadScans, bounds: Bounds): Promise<ScanPage> {
  return read({ page: 1, limit: MAX_SCANS_PAGE, ...widened(bounds) });
}

/** Rows a full page holds: fewer than asked for where the service caps its pages without a word. */
export function pageSizeOf(first: ScanPage): number {
  return first.rows.length > 0 && first.rows.length < first.total ? first.rows.length : MAX_SCANS_PAGE;
}

/** The page numbers from one to another, both included; none where `to` comes first. */
export function pageSpan(from: number, to: number): number[] {
  return Array.from({ length: Math.max(to - from + 1, 0) }, (_, i) => from + i);
}

/** A reader of the further pages of a range, all asked for with the page size that page 1 turned out to have. */
export function pageReader(read: ReadScans, bounds: Bounds, first: ScanPage): (page: number) => Promise<ScanPage> {
  const limit = pageSizeOf(first);
  return async (page) => {
    try {
      return await read({ page, limit, ...widened(bounds) });
    } catch (error) {
      if (!isRefusedPage(error, page, first.total / limit)) throw error;
      return { rows: [], times: [], total: first.total, serviceTimeMs: undefined };
    }
  };
}

function widened({ sinceMs, untilMs }: Bounds): Bounds {
  return {
    ...(sinceMs === undefined ? {} : { sinceMs: sinceMs - MARGIN_MS }),
    ...(untilMs === undefined ? {} : { untilMs: untilMs + MARGIN_MS }),
  };
}

/**
 * A service may refuse a page after the last instead of leaving it empty, or page no further than so many rows: page 1 of the
 * same range was answered, so it is the number that is refused.
 */
function isRefusedPage(error: unknown, page: number, pages: number): boolean {
  return page > 1 && (error instanceof RejectedError || (error instanceof NotFoundError && page > Math.ceil(pages)));
}
