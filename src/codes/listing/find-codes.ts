import { NotFoundError } from '#base/errors';
import { inParallel } from '#base/parallel';
import { quote } from '#base/text/quote';
import type { TargetRow } from '#codes/input/check-rows';
import type { Fault } from '#files/formats/read/input';
import { MAX_CODES_PAGE, type QrCode } from '#service/shapes';
import { showingAgain } from '#service/showing-again';
import type { Lister } from './codes.ts';
import { type Finder, getIfThere, getRemembered, isCheaperEach, listUntilFound } from './find-code.ts';

export type Lookup = (row: Pick<TargetRow, 'id' | 'slug'>) => QrCode | undefined;

/**
 * Finds the codes of rows. Reads the listing for uncached slugs, if that costs less, or for slugs next to
 * IDs, because a slug may belong to another code.
 */
export async function findCodes(
  rows: readonly Pick<TargetRow, 'id' | 'slug'>[],
  service: Finder,
): Promise<Lookup> {
  const ids = new Set(rows.flatMap(({ id }) => id ?? []));
  const slugs = [...new Set(rows.flatMap(({ id, slug }) => (id === undefined ? (slug ?? []) : [])))];
  const names = { ids, slugs: rows.flatMap(({ slug }) => slug ?? []) };
  const listFor: ListFor = (lister) => listUntilFound(lister, names);
  const each = await getAll(ids, slugs, service, listFor);
  const isDoubtful = each !== undefined && haveOtherSlugs(rows, each);
  const codes = each === undefined || isDoubtful ? await listFor(service) : each;
  const byId = new Map(codes.map((code) => [code.id.toLowerCase(), code]));
  const bySlug = new Map(codes.map((code) => [code.slug, code]));
  return ({ id, slug }) => (id === undefined ? bySlug.get(slug ?? '') : byId.get(id));
}

function haveOtherSlugs(rows: readonly Pick<TargetRow, 'id' | 'slug'>[], codes: readonly QrCode[]): boolean {
  const slugs = new Map(codes.map((code) => [code.id.toLowerCase(), code.slug]));
  return rows.some(({ id = '', slug }) => slug !== undefined && slugs.has(id) && slugs.get(id) !== slug);
}

async function getAll(
  ids: ReadonlySet<string>,
  slugs: readonly string[],
  service: Finder,
  listFor: ListFor,
): Promise<QrCode[] | undefined> {
  if (slugs.length === 0)
    return ids.size <= HANDFUL ? getEach(ids, service) : getOrList(ids, service, listFor);
  if (!(await isCheaperEach(service, slugs, ids.size))) return undefined;
  const found = await getEach(ids, service);
  let isStale = false;
  await inParallel(slugs, service.concurrency, async (slug) => {
    const code = isStale ? undefined : await getRemembered(service, slug);
    if (code) found.push(code);
    else isStale = true;
  });
  return isStale ? undefined : found;
}

/**
 * Finds IDs next to slugs of other codes. A slug without a code is no fault: spreadsheets turn 007 into 7.
 */
export function faultsOfTwoNames(rows: readonly TargetRow[], lookup: Lookup): Fault[] {
  return rows.flatMap(({ id, slug, line }) => {
    const [ofId, ofSlug] = id && slug ? [lookup({ id, slug }), lookup({ slug })] : [];
    if (!ofId || !ofSlug || ofId.id === ofSlug.id) return [];
    return [faultOfTwoNames(line, ofId.slug, ofSlug.slug)];
  });
}

export function faultOfTwoNames(line: number, ofId: string, ofSlug: string): Fault {
  const message = `the ID belongs to ${quote(ofId)}, but the slug is ${quote(ofSlug)}: correct one of them`;
  return { line, message, isSorted: true };
}

export function describeMissing({ id, slug }: Pick<TargetRow, 'id' | 'slug'>): string {
  return `no code has the ${id === undefined ? `slug ${quote(slug ?? '')}` : `ID ${id}`}`;
}

export function missingCode(target: Pick<TargetRow, 'id' | 'slug'>): { id: string; missing: NotFoundError } {
  return { id: target.id ?? '', missing: new NotFoundError(describeMissing(target)) };
}

const HANDFUL = 3;

type ListFor = (service: Lister) => Promise<QrCode[]>;

/** Requests page 1, and then the cheaper of the other pages or the missing codes one by one. */
async function getOrList(ids: ReadonlySet<string>, service: Finder, listFor: ListFor): Promise<QrCode[]> {
  const first = await service.listCodes({ page: 1, limit: MAX_CODES_PAGE });
  const shown = new Set(first.rows.map(({ id }) => id.toLowerCase()));
  const others = [...ids].filter((id) => !shown.has(id));
  const morePages = Math.ceil(first.total / Math.max(1, first.rows.length)) - 1;
  if (others.length > 0 && others.length >= morePages) {
    const listCodes = showingAgain(service.listCodes, first, ({ page }) => page === 1);
    return listFor({ ...service, listCodes });
  }
  return [...first.rows, ...(await getEach(others, service))];
}

async function getEach(ids: Iterable<string>, service: Finder): Promise<QrCode[]> {
  const found: QrCode[] = [];
  await inParallel(ids, service.concurrency, async (id) => {
    const code = await getIfThere(service, id);
    if (code) found.push(code);
  });
  return found;
}
