/** The codes that somebody means by ids or slugs, in as few requests as it takes. */
import { NotFoundError } from '../errors.ts';
import { quote } from '../quote.ts';
import { isUuid } from './checks.ts';
import { listAllCodes } from './codes.ts';
import type { Service } from './service.ts';
import type { QrCode } from './shapes.ts';

type Finder = Pick<Service, 'listCodes' | 'getCode'>;

/**
 * The code with this id (a uuid in either case) or slug. A slug costs the listing up to the code that has it: pages are read one after
 * the other, because a page too many is a request too many. Throws NotFoundError, naming the nearest slug.
 */
export async function findCode(service: Finder, idOrSlug: string): Promise<QrCode> {
  if (isUuid(idOrSlug)) return service.getCode(idOrSlug.toLowerCase());
  const slugs: string[] = [];
  for await (const codes of listAllCodes(service, 1)) {
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
  return new NotFoundError(`no code has the id or slug ${quote(idOrSlug)}`, {
    hint: guess === undefined ? 'see the slugs there are: qrctl qr list' : `did you mean ${quote(guess)}?`,
  });
}
