/** Which codes an export is about. */

import type { CodeLabel } from '../../../complete/export-codes.ts';
import { NotFoundError } from '../../../errors.ts';
import { isUuid } from '../../../service/checks.ts';
import { type Doubt, everyCode } from '../../../service/codes.ts';
import { fetchInOrder } from '../../../service/fetch-in-order.ts';
import { findCodesBySlug, requestsToFindAgain } from '../../../service/find-code.ts';
import type { Service } from '../../../service/service.ts';
import type { QrCode } from '../../../service/shapes.ts';

/** Every code of the workspace, oldest first. */
export async function allCodes(service: Service, width: number, doubt?: Doubt): Promise<QrCode[]> {
  const codes = await everyCode(service, width, doubt);
  return codes.sort((a, b) => order(a.created_at, b.created_at) || order(a.id, b.id));
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * The codes named by ids or slugs, in the order given, each once. An id alone costs nothing; where slugs and names are `wanted`
 * it costs a request, and a slug one, too, if it was seen before, or the listing up to its code, which may show ids as well. Throws NotFoundError
 * for a slug that no code has.
 */
export async function namedCodes(
  service: Service,
  names: readonly string[],
  wanted: boolean,
  width: number,
): Promise<CodeLabel[]> {
  const wished = [...new Set(names.map((name) => (isUuid(name) ? name.toLowerCase() : name)))];
  const codes = wished.every(isUuid) ? await byId(service, wished, wanted, width) : await bySlug(service, wished, wanted, width);
  return [...new Map(codes.map((code) => [code.id, code])).values()];
}

/** What `namedCodes` costs the next run, when this one has sent no other requests: slugs that were seen now are asked for by their ids. */
export function requestsToName(service: Service, names: readonly string[], wanted: boolean): Promise<number> {
  const slugs = [...new Set(names.filter((name) => !isUuid(name)))];
  const ids = new Set(names.filter(isUuid).map((name) => name.toLowerCase())).size;
  return requestsToFindAgain(service, slugs, { others: wanted ? ids : 0, spent: service.stats().requests });
}

async function byId(service: Service, ids: readonly string[], wanted: boolean, width: number): Promise<CodeLabel[]> {
  if (!wanted) return ids.map((id) => ({ id }));
  const codes: CodeLabel[] = [];
  // An id that is not there fails in its turn, and alone.
  const fetch = (id: string): Promise<CodeLabel> =>
    service.getCode(id).catch((error) => {
      if (error instanceof NotFoundError) return { id, missing: error };
      throw error;
    });
  for await (const code of fetchInOrder(ids, fetch, width)) codes.push(code);
  return codes;
}

async function bySlug(service: Service, names: readonly string[], wanted: boolean, width: number): Promise<CodeLabel[]> {
  const ids = names.filter(isUuid);
  const slugs = names.filter((name) => !isUuid(name));
  const codes = await findCodesBySlug(service, slugs, width, wanted ? ids : []);
  const withSlug = new Map<string, CodeLabel>(codes.map((code) => [code.slug, code]));
  const withId = new Map<string, CodeLabel>(codes.map((code) => [code.id.toLowerCase(), code]));
  const others = ids.filter((id) => !withId.has(id));
  for (const label of await byId(service, others, wanted, width)) withId.set(label.id.toLowerCase(), label);
  return names.flatMap((name) => (isUuid(name) ? withId : withSlug).get(name) ?? []);
}
