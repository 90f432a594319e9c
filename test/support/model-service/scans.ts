/**
 * Pages of scans from memory: any order, bounds and page cap, rows that arrive or vanish at any request, replicas that lag, rows
 * that are listed twice, pages that are cut short, totals that lie.
 */
import { RejectedError } from '#base/errors';
import { formatInstant } from '#base/time/time';
import type { ScanPageRequest } from '#service/service-options';
import type { Scan, ScanPage } from '#service/shapes';

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
  /** Takes its bounds for whole seconds. */
  wholeSeconds?: boolean;
  /** Heeds no bounds at all. */
  ignoresBounds?: boolean;
  /** An empty page behind the end counts nothing, as `COUNT(*) OVER ()` does. */
  emptyCountsNothing?: boolean;
  /** Neither counts nor shows more rows than so many. */
  cap?: number;
  /** Shows no page beyond so many rows: it is empty, or refused with 400. */
  reach?: number;
  refusesBeyond?: boolean;
  /** Rows that arrive just before the request of that number (from 1) is answered. */
  arrivals?: Map<number, ModelRow[]>;
  /** Ids of rows that vanish just before the request of that number is answered. */
  departures?: Map<number, number[]>;
  /** How many requests ago the replica was brought up to date that answers this one; 0: just now. */
  lag?: (request: number) => number;
  /** Ids of rows that are listed twice, one copy behind the other; `countsRepeats`: and counted twice. */
  twice?: ReadonlySet<number>;
  countsRepeats?: boolean;
  /** Lies about the total. */
  lie?: (total: number, request: number) => number;
  /** Cuts rows off a page without a word. */
  shorten?: (rows: ModelRow[], request: number) => ModelRow[];
}

/** A row of the service as JSON would give it. */
export function scanOf({ id, time }: ModelRow): Scan {
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

/**
 * `read` answers for one code as the service would; `state.rows` is what it holds now, `state.requests` counts, `state.answered` are
 * the states that answers came from.
 */
export function modelScans(initial: readonly ModelRow[], how: ModelScansOptions = {}) {
  const inOrder = (rows: readonly ModelRow[]) => [...rows].sort(comparison(how.order));
  const history = [inOrder(initial)];
  const state = {
    rows: history[0] as readonly ModelRow[],
    requests: 0,
    answered: new Set<readonly ModelRow[]>(),
  };
  let salt = 1;

  /** What the service holds when it answers a request. */
  function moveOn(request: number): void {
    const arrived = how.arrivals?.get(request) ?? [];
    const departed = how.departures?.get(request) ?? [];
    if (arrived.length + departed.length > 0) {
      state.rows = inOrder([...state.rows, ...arrived].filter(({ id }) => !departed.includes(id)));
    }
    history[request] = state.rows as ModelRow[];
  }

  function shuffled(rows: ModelRow[]): ModelRow[] {
    salt = (salt * 16807) % 2147483647;
    if (!how.shuffleTies || how.order === 'none') return rows;
    const tie = ({ id }: ModelRow) => (id * 7919 * salt) % 10007;
    const way = how.order === 'descending' ? -1 : 1;
    return rows.sort((a, b) => way * (a.time - b.time || tie(a) - tie(b)));
  }

  async function read({ page, limit, sinceMs, untilMs }: ScanPageRequest): Promise<ScanPage> {
    state.requests += 1;
    const request = state.requests;
    moveOn(request);
    const held = history[Math.max(0, request - (how.lag?.(request) ?? 0))] ?? [];
    state.answered.add(held);
    if (sinceMs !== undefined && untilMs !== undefined && sinceMs >= untilMs)
      throw new Error('an empty range was asked for');
    const bound = (ms: number | undefined, none: number) =>
      ms === undefined || how.ignoresBounds ? none : how.wholeSeconds ? Math.floor(ms / 1000) * 1000 : ms;
    const since = bound(sinceMs, Number.NEGATIVE_INFINITY);
    const until = bound(untilMs, Number.POSITIVE_INFINITY);
    const isMatching = ({ time }: ModelRow) =>
      (how.sinceInclusive === false ? time > since : time >= since) &&
      (how.untilInclusive ? time <= until : time < until);
    const matching = shuffled(held.filter(isMatching));
    const listed = how.twice
      ? matching.flatMap((row) => (how.twice?.has(row.id) ? [row, row] : [row]))
      : matching;
    const size = Math.min(limit, how.pageCap ?? 500);
    const pages = Math.max(1, Math.ceil(listed.length / size));
    const shown =
      page > pages && how.beyond === 'last' ? pages : page > pages && how.beyond === 'first' ? 1 : page;
    if (how.refusesBeyond && page * size > (how.reach ?? Number.POSITIVE_INFINITY))
      throw new RejectedError('too far');
    const full = listed
      .slice(0, Math.min(how.reach ?? listed.length, how.cap ?? listed.length))
      .slice((shown - 1) * size, shown * size);
    const rows = how.shorten?.(full, request) ?? full;
    const counted = Math.min(
      how.countsRepeats ? listed.length : matching.length,
      how.cap ?? Number.POSITIVE_INFINITY,
    );
    const total = how.emptyCountsNothing && page > 1 && rows.length === 0 ? 0 : counted;
    return {
      rows: rows.map(scanOf),
      times: rows.map((row) => row.time),
      total: how.lie?.(total, request) ?? total,
      serviceTimeMs: undefined,
      limit: size,
    };
  }

  return { read, state, pageSize: Math.min(how.pageCap ?? 500, 500), swapsTies: how.shuffleTies === true };
}

function comparison(order: ModelScansOptions['order']): (a: ModelRow, b: ModelRow) => number {
  const place = ({ id }: ModelRow) => (id * 7919) % 10007;
  if (order === 'none') return (a, b) => place(a) - place(b) || a.id - b.id;
  const way = order === 'descending' ? -1 : 1;
  return (a, b) => way * (a.time - b.time || a.id - b.id);
}
