/**
 * Lists all codes of a workspace, and verifies that the list is complete. Page numbers shift if codes are
 * created or deleted meanwhile, so one of these conditions must hold:
 * - After one pass, every response has the same total, that many distinct codes were received, and each
 *   existed at the first response. Codes that are older than some code on the first page, or than that
 *   response by a margin, existed then. A code that replaces a deleted one is younger.
 * - A later pass has every code of the pass before it, and no fewer codes than its total. All its pages
 *   except the last are full, so no code moved to a page that was already read.
 *
 * Assumptions: `created_at` comes from one clock, at most the margin behind the service's Date. Only the
 * totals in `Doubt` may be capped. A later response never shows an older state. A service with a wrong
 * total does not list codes twice.
 */
import { collectPages } from '#base/collections';
import { NotFoundError, RejectedError, UnprovenError } from '#base/errors';
import { fetchInOrder } from '#base/parallel';
import { countOf, formatCount } from '#base/text/quote';
import { parseScanTime } from '#service/scan-times';
import type { Service } from '#service/service';
import { MAX_CODES_PAGE, type Page, type QrCode } from '#service/shapes';

export type Lister = Pick<Service, 'listCodes' | 'concurrency'>;

const MOST_READINGS = 3;
/** Maximum number of requests in addition to three times the number of pages. */
const SPARE_REQUESTS = 20;

const CLOCK_MARGIN_MS = 10 * 60_000;
const ZONE_MARGIN_MS = 15 * 3_600_000;

/**
 * Totals that may be capped. `any`: all. `round`: multiples of 100, and totals with a full last page (for
 * commands that would create a missed code twice). `usual`: those of `round` that are at most 1000, or 1 or 5
 * followed by zeros.
 */
export type Doubt = 'usual' | 'round' | 'any';

const ROUND = 100;
const isUsualCap = (total: number) => total <= 1000 || /^[15]0*$/.test(String(total));

function mayBeCutOff(total: number, isFull: boolean, doubt: Doubt): boolean {
  if (doubt === 'any') return true;
  return (isFull || (total > 0 && total % ROUND === 0)) && (doubt === 'round' || isUsualCap(total));
}

/** Yields every code once. Throws UnprovenError if codes may be missing. */
export async function* listAllCodes(
  service: Lister,
  doubt: Doubt = 'usual',
): AsyncGenerator<QrCode[], void, undefined> {
  const shown = new Set<string>();
  const costs = { requests: 0, pages: 1 };
  let before: Reading | undefined;
  for (let count = 0; count < MOST_READINGS && isAffordable(costs); count++) {
    const reading = createReading();
    for await (const rows of readPages(service, doubt, reading, costs)) {
      const added = rows.filter(({ id }) => !shown.has(id));
      if (added.length > 0) yield added;
    }
    if (isWhole(reading) || (before && findsAgain(reading, before))) return;
    for (const id of reading.ids) shown.add(id);
    before = reading;
  }
  const { ids, total } = before ?? createReading();
  throw new UnprovenError(
    `the list of codes could not be verified as complete: received ${countOf(ids.size, 'code')}, but the service reports ${formatCount(total)} (${MOST_READINGS} passes)`,
    { hint: 'Run the command again. Codes may have been created or deleted during the run.' },
  );
}

export function everyCode(service: Lister, doubt?: Doubt): Promise<QrCode[]> {
  return collectPages(listAllCodes(service, doubt));
}

type Reading = ReturnType<typeof createReading>;

const createReading = () => ({
  ids: new Set<string>(),
  total: 0,
  steady: true,
  existed: (_code: QrCode) => false,
  allExisted: true,
  /** Whether a page before the last was short. If so, new codes could hide missing ones. */
  gap: false,
});

function isWhole({ ids, total, steady, allExisted }: Reading): boolean {
  return steady && allExisted && ids.size === total;
}

function findsAgain(reading: Reading, before: Reading): boolean {
  if (reading.gap || reading.ids.size < reading.total) return false;
  for (const id of before.ids) if (!reading.ids.has(id)) return false;
  return true;
}

function begin(reading: Reading, { rows, total, serviceTimeMs }: Page<QrCode>): void {
  let newest = Number.NEGATIVE_INFINITY;
  for (const { created_at } of rows) newest = Math.max(newest, parseScanTime(created_at) ?? newest);
  const startMs = serviceTimeMs ?? Number.NEGATIVE_INFINITY;
  // Ignores a newest creation time in the future, because later codes would look older. Date has whole
  // seconds.
  if (serviceTimeMs !== undefined && newest > serviceTimeMs + 1000) newest = Number.NEGATIVE_INFINITY;
  reading.total = total;
  reading.existed = ({ created_at }) => {
    const created = parseScanTime(created_at) ?? Number.POSITIVE_INFINITY;
    return created < newest || created < startMs - (hasZone(created_at) ? CLOCK_MARGIN_MS : ZONE_MARGIN_MS);
  };
}

function hasZone(time: string): boolean {
  return /(?:[zZ]|[+-]\d\d:?\d\d)$/.test(time);
}

function add(reading: Reading, { rows, total }: Page<QrCode>): QrCode[] {
  const existed = rows.every(reading.existed);
  const added = addNew(reading.ids, rows);
  if (added.length === 0) return added;
  reading.allExisted &&= existed;
  reading.steady &&= total === reading.total && added.length === rows.length;
  return added;
}

export function addNew(ids: Set<string>, rows: readonly QrCode[]): QrCode[] {
  const added: QrCode[] = [];
  for (const row of rows) {
    if (ids.has(row.id)) continue;
    ids.add(row.id);
    added.push(row);
  }
  return added;
}

interface Costs {
  requests: number;
  pages: number;
}

function isAffordable({ requests, pages }: Costs): boolean {
  return requests < MOST_READINGS * pages + SPARE_REQUESTS;
}

/**
 * Yields, for each page, the codes that earlier pages lack. Ends at a page without such codes, even before
 * the total.
 */
async function* readPages(service: Lister, doubt: Doubt, reading: Reading, costs: Costs) {
  const request = (page: number, limit: number) => {
    costs.requests += 1;
    return service.listCodes({ page, limit });
  };
  const first = await request(1, MAX_CODES_PAGE);
  begin(reading, first);
  const firstRows = addNew(reading.ids, first.rows);
  reading.steady = firstRows.length === first.rows.length;
  if (first.rows.length === 0) return;
  yield firstRows;

  // The first page has the service's page size, unless it has all codes.
  const limit =
    first.total === first.rows.length ? MAX_CODES_PAGE : Math.min(MAX_CODES_PAGE, first.rows.length);
  let last = first;
  let { total } = first;
  let page = 1;
  let shown = 1;
  const take = (next: Page<QrCode>): QrCode[] => {
    const added = add(reading, next);
    if (added.length === 0) return added;
    reading.gap ||= last.rows.length < limit;
    shown += 1;
    costs.pages = Math.max(costs.pages, shown);
    ({ total } = next);
    last = next;
    return added;
  };
  // Not a generator: `next()` may return more pages after `done`, because each response may raise the number
  // of affordable requests.
  const pages: Iterator<number> & Iterable<number> = {
    [Symbol.iterator]: () => pages,
    next() {
      if (page * limit >= total || reading.ids.size >= total || !isAffordable(costs))
        return { done: true, value: undefined };
      page += 1;
      return { done: false, value: page };
    },
  };
  const requestMore = (next: number) => request(next, limit).catch(asEmpty);
  for await (const next of fetchInOrder(pages, requestMore, service.concurrency)) {
    const added = take(next);
    if (added.length === 0) return;
    yield added;
  }
  let mayHaveMore = mayBeCutOff(total, last.rows.length >= limit, doubt);
  while (mayHaveMore && isAffordable(costs)) {
    page += 1;
    const next = await requestMore(page);
    const added = take(next);
    if (added.length === 0) return;
    yield added;
    mayHaveMore = next.rows.length >= limit;
  }
}

/** Treats a refused page as empty, because a service may refuse pages after the last one. */
function asEmpty(error: unknown): Page<QrCode> {
  if (error instanceof RejectedError || error instanceof NotFoundError)
    return { rows: [], total: 0, serviceTimeMs: undefined };
  throw error;
}
