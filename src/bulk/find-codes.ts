/** The codes that rows name, read with as few requests as it takes. */
import { NotFoundError } from '../errors.ts';
import { groupBy } from '../group-by.ts';
import { inParallel } from '../in-parallel.ts';
import { quote } from '../quote.ts';
import { getIfThere, getRemembered, isCheaperEach } from '../service/find-code.ts';
import type { Service } from '../service/service.ts';
import { MAX_CODES_PAGE, type QrCode } from '../service/shapes.ts';
import type { TargetRow } from './check-rows.ts';
import type { Fault } from './input.ts';

export interface Reader {
  service: Pick<Service, 'listCodes' | 'getCode' | 'slugs'>;
  /** Every code of the workspace, proven complete. */
  listCodes: () => Promise<QrCode[]>;
  concurrency: number;
}

/** Looks up the code of a row; undefined where the service has none. */
export type Lookup = (row: Pick<TargetRow, 'id' | 'slug'>) => QrCode | undefined;

/** Reads the code of every row: by the listing where a row has only a slug never seen or that costs less, else one by one. */
export async function findCodes(rows: readonly TargetRow[], reader: Reader): Promise<Lookup> {
  const ids = new Set(rows.flatMap(({ id }) => id ?? []));
  const slugs = [...new Set(rows.flatMap(({ id, slug }) => (id === undefined ? (slug ?? []) : [])))];
  const codes = (await getAll(ids, slugs, reader)) ?? (await reader.listCodes());
  const byId = new Map(codes.map((code) => [code.id.toLowerCase(), code]));
  const bySlug = new Map(codes.map((code) => [code.slug, code]));
  return ({ id, slug }) => (id === undefined ? bySlug.get(slug ?? '') : byId.get(id));
}

/** The codes with these ids and slugs, one by one; undefined where that costs more than the listing, or a slug is not what it was. */
async function getAll(ids: ReadonlySet<string>, slugs: readonly string[], reader: Reader): Promise<QrCode[] | undefined> {
  const { service, concurrency } = reader;
  if (slugs.length === 0) return (await listingIsCheaper(ids.size, reader)) ? undefined : getEach(ids, reader);
  if (!(await isCheaperEach(service, slugs, ids.size))) return undefined;
  const found = await getEach(ids, reader);
  let isStale = false;
  await inParallel(slugs, concurrency, async (slug) => {
    const code = isStale ? undefined : await getRemembered(service, slug);
    if (code) found.push(code);
    else isStale = true;
  });
  return isStale ? undefined : found;
}

/**
 * Rows whose id is of one code and whose slug is of another: somebody sorted a column without the rest, and all else in the row may be of
 * either. A slug that is of no code is nothing of the kind: a spreadsheet makes 7 of 007.
 */
export function faultsOfTwoNames(rows: readonly TargetRow[], lookup: Lookup): Fault[] {
  return rows.flatMap(({ id, slug, line }) => {
    const [ofId, ofSlug] = id && slug ? [lookup({ id, slug }), lookup({ id: undefined, slug })] : [];
    if (!ofId || !ofSlug || ofId.id === ofSlug.id) return [];
    return [{ line, message: `the id is that of ${quote(ofId.slug)}, and the slug is ${quote(ofSlug.slug)}: which is meant?` }];
  });
}

/** The code a row names. Throws NotFoundError where the service has none. */
export function requireCode(row: TargetRow, lookup: Lookup): QrCode {
  const code = lookup(row);
  if (code) return code;
  throw new NotFoundError(`no code has the ${row.id === undefined ? `slug ${quote(row.slug ?? '')}` : `id ${row.id}`}`);
}

/** Rows about the same code together, in their order. */
export function groupByCode<R extends TargetRow>(rows: readonly R[], lookup: Lookup): R[][] {
  return [...groupBy(rows, (row) => lookup(row)?.id ?? row.id ?? `slug ${row.slug}`).values()];
}

/** For a handful asking the size first costs more than it saves. */
const HANDFUL = 3;

async function listingIsCheaper(ids: number, { service }: Reader): Promise<boolean> {
  if (ids <= HANDFUL) return false;
  const { total } = await service.listCodes({ page: 1, limit: 1 });
  return Math.ceil(total / MAX_CODES_PAGE) <= ids;
}

async function getEach(ids: ReadonlySet<string>, { service, concurrency }: Reader): Promise<QrCode[]> {
  const found: QrCode[] = [];
  await inParallel(ids, concurrency, async (id) => {
    const code = await getIfThere(service, id);
    if (code) found.push(code);
  });
  return found;
}
