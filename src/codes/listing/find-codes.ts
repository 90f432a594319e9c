import { ifNotFound, NotFoundError } from '#base/errors';
import { inParallel } from '#base/parallel';
import { nearest } from '#base/text/nearest';
import { inShellOr, quote } from '#base/text/quote';
import type { TargetRow } from '#codes/input/check-rows';
import type { Fault } from '#files/formats/read/input';
import { isUuid } from '#service/checks';
import type { Service } from '#service/service';
import { MAX_CODES_PAGE, type QrCode } from '#service/shapes';
import { showingAgain } from '#service/showing-again';
import { type Lister, listAllCodes } from './codes.ts';

export type Finder = Lister & Pick<Service, 'getCode' | 'slugs'>;

export type Target = Pick<TargetRow, 'id' | 'slug'>;

export type Lookup = (target: Target) => QrCode | undefined;

export function targetOf(idOrSlug: string): Target {
  return isUuid(idOrSlug) ? { id: idOrSlug.toLowerCase() } : { slug: idOrSlug };
}

/** Finds a code by ID or slug. Throws NotFoundError if there is none. */
export async function findCode(service: Finder, idOrSlug: string): Promise<QrCode> {
  const target = targetOf(idOrSlug);
  if (target.id !== undefined) return service.getCode(target.id);
  return (await findCodes([target], service, true))(target) as QrCode;
}

/** Maximum number of IDs that are requested one by one, whatever the listing costs. */
const HANDFUL = 3;

/**
 * Finds codes by individual requests if that is cheap, else in the listing. Also reads the listing if a
 * target has a different slug than its code, because another code may have this slug. With `needsSlugs`,
 * throws NotFoundError for the unknown slug of a target without an ID.
 */
export async function findCodes(
  targets: readonly Target[],
  service: Finder,
  needsSlugs = false,
): Promise<Lookup> {
  const ids = new Set(targets.flatMap(({ id }) => id ?? []));
  const slugs = [...new Set(targets.flatMap(({ id, slug }) => (id === undefined ? (slug ?? []) : [])))];
  const names = { ids, slugs: targets.flatMap(({ slug }) => slug ?? []) };
  const each = await getAll(names, slugs, service);
  const codes = each && !haveOtherSlugs(targets, each) ? each : await list(names, service, HANDFUL);
  const byId = new Map(codes.map((code) => [code.id.toLowerCase(), code]));
  const bySlug = new Map(codes.map((code) => [code.slug, code]));
  const missing = needsSlugs ? slugs.find((slug) => !bySlug.has(slug)) : undefined;
  if (missing !== undefined) throw noSuchCode(missing, codes);
  return ({ id, slug }) => (id === undefined ? bySlug.get(slug ?? '') : byId.get(id));
}

function haveOtherSlugs(targets: readonly Target[], codes: readonly QrCode[]): boolean {
  const slugs = new Map(codes.map((code) => [code.id.toLowerCase(), code.slug]));
  return targets.some(({ id = '', slug }) => slug !== undefined && slugs.has(id) && slugs.get(id) !== slug);
}

interface Names {
  ids: ReadonlySet<string>;
  slugs: readonly string[];
}

async function getAll(
  names: Names,
  slugs: readonly string[],
  service: Finder,
): Promise<QrCode[] | undefined> {
  const { ids } = names;
  if (slugs.length === 0) return ids.size <= HANDFUL ? getEach(ids, service) : getOrList(names, service);
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

async function isCheaperEach({ slugs }: Finder, wanted: readonly string[], others: number): Promise<boolean> {
  const ids = await Promise.all(wanted.map((slug) => slugs.idOf(slug)));
  if (ids.includes(undefined)) return false;
  const requests = wanted.length + others;
  return requests <= 1 || requests <= Math.ceil((await slugs.size()) / MAX_CODES_PAGE);
}

async function getRemembered({ slugs, getCode }: Finder, slug: string): Promise<QrCode | undefined> {
  const id = await slugs.idOf(slug);
  if (id === undefined) return undefined;
  const code = await getIfThere({ getCode }, id);
  if (code?.slug === slug) return code;
  slugs.forget(slug);
  return undefined;
}

export function getIfThere({ getCode }: Pick<Service, 'getCode'>, id: string): Promise<QrCode | undefined> {
  return getCode(id).catch(ifNotFound(undefined));
}

async function getOrList(names: Names, service: Finder): Promise<QrCode[]> {
  const first = await service.listCodes({ page: 1, limit: MAX_CODES_PAGE });
  const shown = new Set(first.rows.map(({ id }) => id.toLowerCase()));
  const others = [...names.ids].filter((id) => !shown.has(id));
  const morePages = Math.ceil(first.total / Math.max(1, first.rows.length)) - 1;
  if (others.length > 0 && others.length >= morePages) {
    const listCodes = showingAgain(service.listCodes, first, ({ page }) => page === 1);
    return list(names, { ...service, listCodes });
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

/** Number of codes above which pages are requested in parallel, although some may be unnecessary. */
const MOST_IN_TURN = 3 * MAX_CODES_PAGE;

async function list(names: Names, service: Finder, handful = 0): Promise<QrCode[]> {
  const [ids, slugs] = [new Set(names.ids), new Set(names.slugs)];
  const listed: QrCode[] = [];
  const concurrency = ids.size + slugs.size > MOST_IN_TURN ? service.concurrency : 1;
  for await (const codes of listAllCodes({ ...service, concurrency })) {
    for (const code of codes) {
      listed.push(code);
      ids.delete(code.id.toLowerCase());
      slugs.delete(code.slug);
    }
    if (slugs.size === 0 && ids.size <= handful) return [...listed, ...(await getEach(ids, service))];
  }
  return listed;
}

/**
 * Finds rows whose ID and slug belong to two codes. Unknown slugs are valid, because spreadsheets turn 007
 * into 7.
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

export function describeMissing({ id, slug }: Target): string {
  return `no code has the ${id === undefined ? `slug ${quote(slug ?? '')}` : `ID ${id}`}`;
}

export function missingCode(target: Target) {
  const hint = 'Run `qrctl qr list` to see all codes.';
  return { id: target.id ?? '', missing: new NotFoundError(describeMissing(target), { hint }) };
}

export function noSuchCode(idOrSlug: string, codes: readonly Pick<QrCode, 'slug' | 'name'>[]): NotFoundError {
  return new NotFoundError(`no code has the ID or slug ${quote(idOrSlug)}`, {
    hint: hintForName(idOrSlug, codes) ?? hintForSlug(idOrSlug, codes),
  });
}

function hintForName(name: string, codes: readonly Pick<QrCode, 'slug' | 'name'>[]): string | undefined {
  const fold = (text: string) => text.normalize('NFC').trim().toLowerCase();
  const wanted = fold(name);
  const [first, ...others] = codes.filter((code) => fold(code.name) === wanted);
  if (!first) return undefined;
  return others.length > 0
    ? `${others.length + 1} codes have this name. Run \`qrctl qr list --name ${inShellOr('TEXT', name)}\` to list them.`
    : `Specify a code by slug. The code with this name has the slug ${quote(first.slug)}.`;
}

function hintForSlug(slug: string, codes: readonly Pick<QrCode, 'slug'>[]): string {
  const known = codes.map((code) => code.slug);
  const guess = nearest(slug, known);
  if (guess !== undefined) return `Did you mean ${quote(guess)}?`;
  return /\s/.test(slug)
    ? 'Run `qrctl qr list --name TEXT` to search by name.'
    : 'Run `qrctl qr list` to see all slugs.';
}
