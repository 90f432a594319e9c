/** Pages of scans from memory: any order, bounds and page cap, rows arriving at any request, totals that lie. */
import { RejectedError } from '../../../src/errors.ts';
import type { ScanPageRequest } from '../../../src/service/service.ts';
import type { Scan, ScanPage } from '../../../src/service/shapes.ts';
import { formatInstant } from '../../../src/time.ts';

export interface ModelRow {
  id: number;
  time: number;
}

export interface ModelScansOptions {
  order?: 'ascending' | 'descending' | 'none';
  /** Rows of one instant come in another order at every request. */
  shuffleTies?: boolean;
  sinceInclusive?: boolean;
  untilInclusive?: boolean;
  pageCap?: number;
  /** What the page after the last gets. */
  beyond?: 'empty' | 'last' | 'first';
  /** Shows no page beyond so many rows: it is empty, or refused with 400. */
  reach?: number;
  refusesBeyond?: boolean;
  /** Rows that arrive just before the request of that number (from 1) is answered. */
  arrivals?: Map<number, ModelRow[]>;
  /** Lies about the total. */
  lie?: (total: number, request: number) => number;
  /** Cuts rows off a page without a word. */
  shorten?: (rows: ModelRow[], request: number) => ModelRow[];
}

/** A row of the service as JSON would give it. */
function scanOf({ id, time }: ModelRow): Scan {
  return {
    id,
    ts: formatInstant(time),
    country: null,
    city: null,
    device: 'mobile',
    os: 'iOS',
    browser: 'Safari',
    referrer: null,
  };
}

export type ModelScans = ReturnType<typeof modelScans>;

/** `read` answers for one code as the service would; `state.rows` is what it holds now, `state.requests` counts. */
export function modelScans(initial: readonly ModelRow[], how: ModelScansOptions = {}) {
  const state = { rows: [...initial], requests: 0 };
  let salt = 1;

  function sorted(rows: ModelRow[]): ModelRow[] {
    salt = (salt * 16807) % 2147483647;
    const tie = (row: ModelRow) => (how.shuffleTies ? (row.id * 7919 * salt) % 10007 : row.id);
    const place = (row: ModelRow) => (row.id * 7919) % 10007;
    if (how.order === 'none') return rows.sort((a, b) => place(a) - place(b) || a.id - b.id);
    rows.sort((a, b) => a.time - b.time || tie(a) - tie(b));
    return how.order === 'descending' ? rows.reverse() : rows;
  }

  async function read({ page, limit, sinceMs, untilMs }: ScanPageRequest): Promise<ScanPage> {
    state.requests += 1;
    const request = state.requests;
    state.rows.push(...(how.arrivals?.get(request) ?? []));
    const since = sinceMs ?? Number.NEGATIVE_INFINITY;
    const until = untilMs ?? Number.POSITIVE_INFINITY;
    const matching = sorted(
      state.rows.filter(
        ({ time }) =>
          (how.sinceInclusive === false ? time > since : time >= since) && (how.untilInclusive ? time <= until : time < until),
      ),
    );
    const size = Math.min(limit, how.pageCap ?? 500);
    const pages = Math.max(1, Math.ceil(matching.length / size));
    const shown = page > pages && how.beyond === 'last' ? pages : page > pages && how.beyond === 'first' ? 1 : page;
    if (how.refusesBeyond && page * size > (how.reach ?? Number.POSITIVE_INFINITY)) throw new RejectedError('too far');
    const full = matching.slice(0, how.reach).slice((shown - 1) * size, shown * size);
    const rows = how.shorten?.(full, request) ?? full;
    return {
      rows: rows.map(scanOf),
      times: rows.map((row) => row.time),
      total: how.lie?.(matching.length, request) ?? matching.length,
      serviceTimeMs: undefined,
    };
  }

  return { read, state };
}
