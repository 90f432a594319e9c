/** Which codes an export is about. */

import type { CodeLabel } from '../../../complete/export-codes.ts';
import { isUuid } from '../../../service/checks.ts';
import { type Doubt, everyCode } from '../../../service/codes.ts';
import { fetchInOrder } from '../../../service/fetch-in-order.ts';
import { findCodesBySlug, getIfThere } from '../../../service/find-code.ts';
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
 * it costs a request, and a slug one, too, if it was seen before, or the listing up to its code. Throws NotFoundError for a slug that no code has.
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

async function byId(service: Service, ids: readonly string[], wanted: boolean, width: number): Promise<CodeLabel[]> {
  if (!wanted) return ids.map((id) => ({ id }));
  const codes: CodeLabel[] = [];
  // An id that is not there fails in its turn, and alone.
  const fetch = async (id: string) => (await getIfThere(service, id)) ?? { id };
  for await (const code of fetchInOrder(ids, fetch, width)) codes.push(code);
  return codes;
}

async function bySlug(service: Service, names: readonly string[], wanted: boolean, width: number): Promise<CodeLabel[]> {
  const ids = names.filter(isUuid);
  const slugs = names.filter((name) => !isUuid(name));
  const codes = await findCodesBySlug(service, slugs, width);
  const found = new Map<string, CodeLabel>(codes.map((code) => [code.slug, code]));
  const labels = await byId(service, ids, wanted, width);
  return names.flatMap((name) => found.get(name) ?? labels[ids.indexOf(name)] ?? []);
}
