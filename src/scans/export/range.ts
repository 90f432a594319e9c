/** Requests ranges of scans, with margins of one second that are cut from responses (C2). */
import { NotFoundError, RejectedError } from '#base/errors';
import { fetchInOrder } from '#base/parallel';
import { formatInstant } from '#base/time/time';
import type { Service } from '#service/service';
import type { ScanPageRequest } from '#service/service-options';
import { MAX_SCANS_PAGE, type Scan, type ScanPage } from '#service/shapes';

/** Half-open range in ms since the epoch. An undefined `sinceMs` means from the first scan. */
export interface Range {
  sinceMs?: number;
  untilMs: number;
}

export interface Batch {
  rows: Scan[];
  times: number[];
}

export type ReadScans = (request: ScanPageRequest) => Promise<ScanPage>;

export type FetchInOrder = typeof fetchInOrder;

/** Time in ms to request before a slice's start, because bounds may be exclusive (C2). */
export const EXCLUSIVE_MS = 1;

export type Bounds = Pick<ScanPageRequest, 'sinceMs' | 'untilMs'>;

export type CodeReader = ReturnType<typeof readerOf>;

export type ScanService = Pick<Service, 'listScans' | 'getCode' | 'concurrency'>;

export function readerOf({ id, slug = id }: { id: string; slug?: string }, service: ScanService) {
  return {
    code: slug,
    read: (request: ScanPageRequest) => service.listScans(id, request),
    checkExists: (): Promise<unknown> => service.getCode(id),
    fetchInOrder,
    width: service.concurrency,
  };
}

export interface RangeReading extends Pick<CodeReader, 'read' | 'fetchInOrder' | 'width'> {
  range: Range;
  asked: Bounds;
  reportRows?: (rows: number) => void;
  grant?: (requests: number) => void;
  /** If the range ends now, waits until new scans are outside it. Called after rows moved or were added. */
  awaitEnd?(): Promise<void>;
}

/** Maximum number of parallel requests before the page count is confirmed. */
export const CAUTIOUS_WIDTH = 16;

/** Maximum error in ms of a bound that the service rounds to whole seconds. */
export const MARGIN_MS = 1000;

export function readFirst(read: ReadScans, asked: Bounds): Promise<ScanPage> {
  return read({ page: 1, limit: MAX_SCANS_PAGE, ...asked });
}

/** C1: returns whether a page has rows after the end (rounded down to a second) and is not the only page. */
export function countsBeyond({ rows, times, total }: ScanPage, { untilMs = Infinity }: Bounds): boolean {
  return total > rows.length && times.some((time) => time >= Math.floor(untilMs / 1000) * 1000);
}

/** Returns a reader of pages as large as page 1. A refused later page counts as empty. */
export function pageReader(
  { read, asked }: Pick<RangeReading, 'read' | 'asked'>,
  first: ScanPage,
): (page: number) => Promise<ScanPage> {
  const limit = pageSizeOf(first);
  return async (page) => {
    try {
      return await read({ page, limit, ...asked });
    } catch (error) {
      const isRefused = error instanceof RejectedError || error instanceof NotFoundError;
      if (page === 1 || !isRefused) throw error;
      return { rows: [], times: [], total: first.total, serviceTimeMs: undefined };
    }
  };
}

export function pageSizeOf({ rows, total, limit = MAX_SCANS_PAGE }: ScanPage): number {
  if (rows.length > 0 && rows.length < total) return rows.length;
  return limit >= Math.max(rows.length, 1) && limit < MAX_SCANS_PAGE ? limit : MAX_SCANS_PAGE;
}

export function contains({ sinceMs = -Infinity, untilMs }: Range, ms: number): boolean {
  return ms >= sinceMs && ms < untilMs;
}

export function widest(one: Range | undefined, other: Range | undefined): Range | undefined {
  if (!one || !other) return one ?? other;
  const sinceMs = Math.min(one.sinceMs ?? -Infinity, other.sinceMs ?? -Infinity);
  const untilMs = Math.max(one.untilMs, other.untilMs);
  return { sinceMs: sinceMs === -Infinity ? undefined : sinceMs, untilMs };
}

export function cut(batch: Batch, range: Range): Batch {
  // C2: cuts rows in the margins, because services interpret bounds differently.
  const isInside = (time: number) => contains(range, time);
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

/** C2: adds margins, because exclusive or rounded bounds would omit rows. */
export function widened({ sinceMs, untilMs }: Bounds): Bounds {
  return {
    ...(sinceMs !== undefined && { sinceMs: sinceMs - MARGIN_MS }),
    ...(untilMs !== undefined && { untilMs: untilMs + MARGIN_MS }),
  };
}
