/** The codes that `qr list` prints, in batches as they come, with no more requests than it takes. */
import { listAllCodes } from '../../service/codes.ts';
import { fetchInOrder } from '../../service/pages.ts';
import type { Service } from '../../service/service.ts';
import { MAX_CODES_PAGE, type QrCode } from '../../service/shapes.ts';
import { createFilter, type Filters, type Sort, sortCodes } from './list-filters.ts';

export interface Wish extends Filters {
  limit?: number | undefined;
  sort?: Sort | undefined;
}

type Lister = Pick<Service, 'listCodes'>;

/** Only sorting waits for the last page. */
export async function* listCodes(service: Lister, wish: Wish, concurrency: number): AsyncGenerator<QrCode[]> {
  const { limit, sort } = wish;
  const chosen = wish.status || wish.type || wish.name;
  if (limit !== undefined && !chosen && !sort) return yield* firstCodes(service, limit, concurrency);
  const filtered = filter(listAllCodes(service, { concurrency }), createFilter(wish));
  if (sort) yield sortCodes(await collect(filtered), sort).slice(0, limit);
  else yield* take(filtered, limit);
}

async function* filter(batches: AsyncIterable<QrCode[]>, passes: (code: QrCode) => boolean): AsyncGenerator<QrCode[]> {
  for await (const batch of batches) {
    const left = batch.filter(passes);
    if (left.length) yield left;
  }
}

async function* take(batches: AsyncIterable<QrCode[]>, limit = Number.POSITIVE_INFINITY): AsyncGenerator<QrCode[]> {
  let left = limit;
  for await (const batch of batches) {
    yield batch.slice(0, left);
    left -= batch.length;
    if (left <= 0) return;
  }
}

async function collect(batches: AsyncIterable<QrCode[]>): Promise<QrCode[]> {
  const all: QrCode[] = [];
  for await (const batch of batches) all.push(...batch);
  return all;
}

/** The first codes in the service's order: only the pages that hold them. The service may serve smaller pages than asked. */
async function* firstCodes(service: Lister, limit: number, concurrency: number): AsyncGenerator<QrCode[]> {
  const first = await service.listCodes({ page: 1, limit: Math.min(limit, MAX_CODES_PAGE) });
  const size = first.rows.length;
  const wanted = Math.min(limit, first.total);
  const seen = new Set<string>();
  const fresh = (codes: QrCode[]) => codes.filter(({ id }) => !seen.has(id) && seen.add(id)).slice(0, limit);
  yield fresh(first.rows);
  function* pages() {
    for (let page = 2; size > 0 && (page - 1) * size < wanted; page++) yield page;
  }
  let left = limit - size;
  for await (const { rows } of fetchInOrder(pages(), (page) => service.listCodes({ page, limit: size }), concurrency)) {
    yield fresh(rows).slice(0, left);
    left -= rows.length;
  }
}
