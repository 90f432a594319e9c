/** All codes of a workspace, and the one that somebody means. */
import { NotFoundError, RejectedError, UnprovenError } from '../errors.ts';
import { isUuid } from './checks.ts';
import { fetchInOrder } from './fetch-in-order.ts';
import type { Service } from './service.ts';
import { MAX_CODES_PAGE, type Page, type QrCode } from './shapes.ts';

type Lister = Pick<Service, 'listCodes'>;

/** A workspace that changes during this many readings in a row cannot be pinned down. */
const MOST_PASSES = 3;

/**
 * Every code of the workspace once, in the service's order, a page at a time. Page numbers shift when codes come and go, so a
 * reading counts only when it found as many distinct codes as the newest answer says there are, and that number never fell
 * meanwhile; otherwise it is repeated, and only codes not seen yet are added. Throws UnprovenError after three readings.
 */
export async function* listAllCodes(service: Lister, concurrency: number): AsyncGenerator<QrCode[], void, undefined> {
  const seen = new Set<string>();
  let last = { distinct: 0, total: 0 };
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    const found = new Set<string>();
    let total = 0;
    let fell = false;
    for await (const page of readAllPages(service, concurrency)) {
      fell ||= page.total < total;
      total = page.total;
      for (const { id } of page.rows) found.add(id);
      const added = page.rows.filter(({ id }) => !seen.has(id) && seen.add(id));
      if (added.length > 0) yield added;
    }
    if (!fell && found.size === total) return;
    last = { distinct: found.size, total };
  }
  throw new UnprovenError(
    `the list of codes does not add up: ${last.distinct} codes came, and the service speaks of ${last.total}, in ${MOST_PASSES} readings`,
    { hint: 'codes may be changing just now: run it again' },
  );
}

/** As `listAllCodes`, in one list. */
export async function everyCode(service: Lister, concurrency: number): Promise<QrCode[]> {
  const codes: QrCode[] = [];
  for await (const page of listAllCodes(service, concurrency)) codes.push(...page);
  return codes;
}

/**
 * One reading, in the service's order. A service that serves smaller pages than asked is asked for that size from then on. After
 * a full last page the one behind it is read too: a total may be truncated.
 */
async function* readAllPages(service: Lister, concurrency: number): AsyncGenerator<Page<QrCode>, void, undefined> {
  const first = await service.listCodes({ page: 1, limit: MAX_CODES_PAGE });
  yield first;
  const limit = Math.min(MAX_CODES_PAGE, first.rows.length);
  if (limit === 0) return;
  let { total } = first;
  let last = first;
  function* rest() {
    for (let page = 2; (page - 1) * limit < total; page++) yield page;
  }
  for await (const page of fetchInOrder(rest(), (number) => service.listCodes({ page: number, limit }), concurrency)) {
    ({ total } = page);
    last = page;
    yield page;
  }
  for (let page = Math.ceil(total / limit) + 1; last.rows.length === MAX_CODES_PAGE; page++) {
    const next = await service.listCodes({ page, limit }).catch(asEmpty);
    if (next.rows.length === 0 || isSamePage(next, last) || isSamePage(next, first)) return;
    last = next;
    yield next;
  }
}

/** A service may show its last or first page again instead of an empty one. */
function isSamePage(a: Page<QrCode>, b: Page<QrCode>): boolean {
  return a.rows[0]?.id === b.rows[0]?.id;
}

/** A service may refuse a page after the last instead of leaving it empty. */
function asEmpty(error: unknown): Page<QrCode> {
  if (error instanceof RejectedError || error instanceof NotFoundError) return { rows: [], total: 0, serviceTimeMs: undefined };
  throw error;
}

/**
 * The code with this id (a uuid in either case) or slug. A slug costs the listing up to the code that has it. Throws
 * NotFoundError, naming the nearest slug.
 */
export async function findCode(
  service: Pick<Service, 'listCodes' | 'getCode'>,
  idOrSlug: string,
  concurrency: number,
): Promise<QrCode> {
  if (isUuid(idOrSlug)) return service.getCode(idOrSlug.toLowerCase());
  const slugs: string[] = [];
  for await (const codes of listAllCodes(service, concurrency)) {
    const code = codes.find(({ slug }) => slug === idOrSlug);
    if (code) return code;
    for (const { slug } of codes) slugs.push(slug);
  }
  throw await noSuchCode(idOrSlug, slugs);
}

/** That no code is called so, with the nearest of the slugs there are. */
export async function noSuchCode(idOrSlug: string, slugs: readonly string[]): Promise<NotFoundError> {
  const { nearest } = await import('../nearest.ts');
  const guess = nearest(idOrSlug, slugs);
  return new NotFoundError(`no code has the id or slug ${idOrSlug}`, {
    hint: guess === undefined ? 'see the slugs there are: qrctl qr list' : `did you mean ${guess}?`,
  });
}
