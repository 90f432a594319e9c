import { ifNotFound, NotFoundError } from '#base/errors';
import { fetchInOrder } from '#base/parallel';
import { nearest } from '#base/text/nearest';
import { inShellOr, quote } from '#base/text/quote';
import { isUuid } from '#service/checks';
import type { Service } from '#service/service';
import { MAX_CODES_PAGE, type QrCode } from '#service/shapes';
import { type Lister, listAllCodes } from './codes.ts';

export type Finder = Lister & Pick<Service, 'getCode' | 'slugs'>;

/** Finds a code: one request for an ID or cached slug, otherwise the listing up to the code. */
export async function findCode(service: Finder, idOrSlug: string): Promise<QrCode> {
  if (isUuid(idOrSlug)) return service.getCode(idOrSlug.toLowerCase());
  const remembered = await getRemembered(service, idOrSlug);
  if (remembered) return remembered;
  const [code] = await findListed(service, [idOrSlug]);
  return code as QrCode;
}

/**
 * Finds codes by slug: one request each if all are cached and the listing costs more, otherwise the listing
 * up to the last. Appends codes with these `ids` (in lower case) seen on the way.
 */
export async function findCodesBySlug(
  service: Finder,
  slugs: readonly string[],
  ids: readonly string[] = [],
): Promise<QrCode[]> {
  if (!(await isCheaperEach(service, slugs, ids.length))) return findListed(service, slugs, ids);
  const found: (QrCode | undefined)[] = [];
  for await (const code of fetchInOrder(slugs, (slug) => getRemembered(service, slug), service.concurrency))
    found.push(code);
  const missing = slugs.filter((_, at) => found[at] === undefined);
  const listed = new Map(
    (missing.length > 0 ? await findListed(service, missing) : []).map((code) => [code.slug, code]),
  );
  return slugs.flatMap((slug, at) => found[at] ?? listed.get(slug) ?? []);
}

/**
 * Returns whether all slugs are cached, and a request for each and for `others` costs at most the listing.
 */
export async function isCheaperEach(
  { slugs }: Pick<Service, 'slugs'>,
  wanted: readonly string[],
  others: number,
): Promise<boolean> {
  const ids = await Promise.all(wanted.map((slug) => slugs.idOf(slug)));
  if (ids.includes(undefined)) return false;
  const requests = wanted.length + others;
  return requests <= 1 || requests <= Math.ceil((await slugs.size()) / MAX_CODES_PAGE);
}

/** Returns the cached code of a slug, if it still has the slug. */
export async function getRemembered(
  { slugs, getCode }: Pick<Service, 'getCode' | 'slugs'>,
  slug: string,
): Promise<QrCode | undefined> {
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

async function findListed(
  service: Finder,
  slugs: readonly string[],
  ids: readonly string[] = [],
): Promise<QrCode[]> {
  const codes = await listUntilFound({ ...service, concurrency: 1 }, { ids: [], slugs });
  const found = new Map(codes.map((code) => [code.slug, code]));
  const missing = slugs.find((slug) => !found.has(slug));
  if (missing !== undefined) throw await noSuchCode(missing, codes);
  const beside = new Set(ids);
  return [
    ...slugs.flatMap((slug) => found.get(slug) ?? []),
    ...codes.filter(({ id }) => beside.has(id.toLowerCase())),
  ];
}

/** Codes above which pages are requested in parallel, though the last ones may be unnecessary. */
const MOST_IN_TURN = 3 * MAX_CODES_PAGE;

/** Lists codes until all are found; completely if one does not exist. IDs are in lower case. */
export async function listUntilFound(
  service: Lister,
  names: { ids: Iterable<string>; slugs: Iterable<string> },
): Promise<QrCode[]> {
  const [ids, slugs] = [new Set(names.ids), new Set(names.slugs)];
  const listed: QrCode[] = [];
  const concurrency = ids.size + slugs.size > MOST_IN_TURN ? service.concurrency : 1;
  for await (const codes of listAllCodes({ ...service, concurrency })) {
    for (const code of codes) {
      listed.push(code);
      ids.delete(code.id.toLowerCase());
      slugs.delete(code.slug);
    }
    if (ids.size + slugs.size === 0) break;
  }
  return listed;
}

export async function noSuchCode(
  idOrSlug: string,
  codes: readonly Pick<QrCode, 'slug' | 'name'>[],
): Promise<NotFoundError> {
  const error = (hint: string) =>
    new NotFoundError(`no code has the ID or slug ${quote(idOrSlug)}`, { hint });
  const byName = hintForName(idOrSlug, codes);
  if (byName !== undefined) return error(byName);
  const guess = nearest(
    idOrSlug,
    codes.map(({ slug }) => slug),
  );
  if (guess !== undefined) return error(`Did you mean ${quote(guess)}?`);
  return error(
    /\s/.test(idOrSlug)
      ? 'Run `qrctl qr list --name TEXT` to search by name.'
      : 'Run `qrctl qr list` to see all slugs.',
  );
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
