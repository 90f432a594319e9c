/**
 * All codes of a workspace. Page numbers shift when codes come and go, so what the pages bring is held against what would have to
 * be true of it. A list is whole
 *
 * - at one reading, where every answer names the same total, as many distinct codes came, and each of them stood there when the first
 *   answer was made: then they are all there were at that instant. A code that takes the place of a deleted one is younger than that
 *   answer, and shows it: a code of a later page has to be older than some code of the first page, or than that answer by a margin;
 * - else at two readings of which the second finds every code of the first again, on pages that are full but for the last: nothing was
 *   taken from what had been read, so nothing slid over the edge of a page into one already read.
 *
 * Assumed: new codes get a `created_at` that is not behind the service's Date by more than the margin, and an answer from a replica is not older
 * than that either; `created_at` is of one clock, so that of two codes the later is not dated earlier, and a code dated in the future is
 * known by Date; a total is cut off only where `Doubt` has it; where codes are created and deleted during the readings, or come in the middle
 * of the list, a later answer is not of an older state than one before; a total that is just what the first page shows is the total, and a
 * service whose total lies does not list codes twice as well. Where times cannot be read it takes the second reading.
 */
import { NotFoundError, RejectedError, UnprovenError } from '../errors.ts';
import { fetchInOrder } from '../parallel/fetch-in-order.ts';
import { parseScanTime } from '../service/scan-times.ts';
import type { Service } from '../service/service.ts';
import { MAX_CODES_PAGE, type Page, type QrCode } from '../service/shapes.ts';
import { countOf, formatCount } from '../text/quote.ts';

export type Lister = Pick<Service, 'listCodes'>;

/** A workspace that changes during this many readings in a row cannot be pinned down. */
const MOST_READINGS = 3;
/** Requests beyond three times what the shown codes fill: what a service can cost that claims more than it shows. */
const SPARE_REQUESTS = 20;

/** How far `created_at` may be behind Date: as clocks are, and as far as zones are where it names none. */
const CLOCK_MARGIN_MS = 10 * 60_000;
const ZONE_MARGIN_MS = 15 * 3_600_000;

/**
 * Which totals may be cut off, so that the page behind the last is asked for: at numbers where that is usual (some hundreds, one or five with
 * noughts), at every round number and full last page (where a code that is missed would be created twice), or at any.
 */
export type Doubt = 'usual' | 'round' | 'any';

const ROUND = 100;
const isUsualCap = (total: number) => total <= 1000 || /^[15]0*$/.test(String(total));

function mayBeCutOff(total: number, isFull: boolean, doubt: Doubt): boolean {
  if (doubt === 'any') return true;
  return (isFull || (total > 0 && total % ROUND === 0)) && (doubt === 'round' || isUsualCap(total));
}

/** Requests that a list of so many codes takes while the service holds still. */
export function requestsToList(codes: number, doubt: Doubt): number {
  if (codes === 0) return 1;
  return Math.ceil(codes / MAX_CODES_PAGE) + (mayBeCutOff(codes, codes % MAX_CODES_PAGE === 0, doubt) ? 1 : 0);
}

/**
 * Every code of the workspace once, in the service's order, a page at a time: in as many requests as the codes fill pages, one more where
 * the total may be cut off, and in the same again where codes came and went meanwhile. Never more than three times that and twenty,
 * whatever total the service claims. Throws UnprovenError where the list does not add up.
 */
export async function* listAllCodes(
  service: Lister,
  concurrency: number,
  doubt: Doubt = 'usual',
): AsyncGenerator<QrCode[], void, undefined> {
  const seen = new Set<string>();
  const costs = { asked: 0, pages: 1 };
  let before: Reading | undefined;
  for (let count = 0; count < MOST_READINGS && isAffordable(costs); count++) {
    const reading = createReading();
    for await (const rows of readPages(service, { concurrency, doubt }, reading, costs)) {
      const added = rows.filter(({ id }) => !seen.has(id) && seen.add(id));
      if (added.length > 0) yield added;
    }
    if (isWhole(reading) || (before && findsAgain(reading, before))) return;
    before = reading;
  }
  const { ids, total } = before ?? createReading();
  throw new UnprovenError(
    `the list of codes could not be verified as complete: received ${countOf(ids.size, 'code')}, but the service reports ${formatCount(total)} (${MOST_READINGS} passes)`,
    { hint: 'Run this again. Codes may have been created or deleted during the run.' },
  );
}

/** As `listAllCodes`, in one list. */
export async function everyCode(service: Lister, concurrency: number, doubt?: Doubt): Promise<QrCode[]> {
  const codes: QrCode[] = [];
  for await (const page of listAllCodes(service, concurrency, doubt)) for (const code of page) codes.push(code);
  return codes;
}

/** What one reading of all pages has found out. */
interface Reading {
  ids: Set<string>;
  /** The total of its first answer. */
  total: number;
  /** Every answer named that total, and no code came twice. */
  steady: boolean;
  /** Whether a code of a later page stood there at the first answer. */
  stoodThere: (code: QrCode) => boolean;
  allStood: boolean;
  /** A page had fewer rows than fit, and another followed: what it lacks, codes that came meanwhile would make up for. */
  gap: boolean;
}

const createReading = (): Reading => ({
  ids: new Set(),
  total: 0,
  steady: true,
  stoodThere: () => false,
  allStood: true,
  gap: false,
});

/** As many codes as there were at its first answer, and all of them were there: they are those there were. */
function isWhole({ ids, total, steady, allStood }: Reading): boolean {
  return steady && allStood && ids.size === total;
}

/** Nothing that the reading before brought has gone, and no fewer came than there were. */
function findsAgain(reading: Reading, before: Reading): boolean {
  if (reading.gap || reading.ids.size < reading.total) return false;
  for (const id of before.ids) if (!reading.ids.has(id)) return false;
  return true;
}

/** Takes in the first answer. */
function begin(reading: Reading, { rows, total, serviceTimeMs }: Page<QrCode>): void {
  let newest = Number.NEGATIVE_INFINITY;
  for (const { created_at } of rows) newest = Math.max(newest, parseScanTime(created_at) ?? newest);
  const answered = serviceTimeMs ?? Number.NEGATIVE_INFINITY;
  // Dated in the future (Date has whole seconds): what is created from now on would look older than that.
  if (serviceTimeMs !== undefined && newest > serviceTimeMs + 1000) newest = Number.NEGATIVE_INFINITY;
  reading.total = total;
  reading.stoodThere = ({ created_at }) => {
    const created = parseScanTime(created_at) ?? Number.POSITIVE_INFINITY;
    return created < newest || created < answered - (hasZone(created_at) ? CLOCK_MARGIN_MS : ZONE_MARGIN_MS);
  };
}

function hasZone(time: string): boolean {
  return /(?:[zZ]|[+-]\d\d:?\d\d)$/.test(time);
}

/** Adds a page after the first. Gives whether it brought anything new. */
function add(reading: Reading, { rows, total }: Page<QrCode>): boolean {
  const { ids } = reading;
  const had = ids.size;
  let stood = true;
  for (const code of rows) {
    ids.add(code.id);
    stood &&= reading.stoodThere(code);
  }
  if (ids.size === had) return false;
  reading.allStood &&= stood;
  reading.steady &&= total === reading.total && ids.size === had + rows.length;
  return true;
}

/** Requests made for this list, and pages that brought something in one reading. */
interface Costs {
  asked: number;
  pages: number;
}

function isAffordable({ asked, pages }: Costs): boolean {
  return asked < MOST_READINGS * pages + SPARE_REQUESTS;
}

/**
 * One reading, in the service's order. A service that serves smaller pages than asked is asked for that size from then on. A page
 * that brings nothing new is the end, whatever the total says; and where the total may be cut off, the one behind the last is read too.
 */
async function* readPages(
  service: Lister,
  { concurrency, doubt }: { concurrency: number; doubt: Doubt },
  reading: Reading,
  costs: Costs,
): AsyncGenerator<QrCode[], void, undefined> {
  const ask = (page: number, limit: number) => {
    costs.asked += 1;
    return service.listCodes({ page, limit });
  };
  const first = await ask(1, MAX_CODES_PAGE);
  begin(reading, first);
  for (const { id } of first.rows) reading.ids.add(id);
  reading.steady = reading.ids.size === first.rows.length;
  if (first.rows.length === 0) return;
  yield first.rows;

  // A total below what came is no total: the page may be smaller than asked then, too.
  const limit = first.total === first.rows.length ? MAX_CODES_PAGE : Math.min(MAX_CODES_PAGE, first.rows.length);
  let last = first;
  let { total } = first;
  let page = 1;
  let shown = 1;
  const isEnd = (next: Page<QrCode>) => {
    if (!add(reading, next)) return true;
    reading.gap ||= last.rows.length < limit;
    shown += 1;
    costs.pages = Math.max(costs.pages, shown);
    ({ total } = next);
    last = next;
    return false;
  };
  // No generator: what is not affordable now may be after the next page.
  const pages: Iterator<number> & Iterable<number> = {
    [Symbol.iterator]: () => pages,
    next() {
      if (page * limit >= total || reading.ids.size >= total || !isAffordable(costs)) return { done: true, value: undefined };
      page += 1;
      return { done: false, value: page };
    },
  };
  const askBehind = (next: number) => ask(next, limit).catch(asEmpty);
  for await (const next of fetchInOrder(pages, askBehind, concurrency)) {
    if (isEnd(next)) return;
    yield next.rows;
  }
  let mayGoOn = mayBeCutOff(total, last.rows.length >= limit, doubt);
  while (mayGoOn && isAffordable(costs)) {
    page += 1;
    const next = await askBehind(page);
    if (isEnd(next)) return;
    yield next.rows;
    mayGoOn = next.rows.length >= limit;
  }
}

/** A service may refuse a page after the last instead of leaving it empty. */
function asEmpty(error: unknown): Page<QrCode> {
  if (error instanceof RejectedError || error instanceof NotFoundError) return { rows: [], total: 0, serviceTimeMs: undefined };
  throw error;
}
