/** Which codes a check is about: those that are named, those of a file, or every one. */
import type { Context } from '../../../context.ts';
import { isUuid } from '../../../service/checks.ts';
import { everyCode } from '../../../service/codes.ts';
import { fetchInOrder } from '../../../service/fetch-in-order.ts';
import { findCodesBySlug } from '../../../service/find-code.ts';
import type { QrCode } from '../../../service/shapes.ts';
import { refuseTogether } from '../bulk-flags.ts';
import { readCodesOfFile } from '../codes-of-file.ts';
import type { CheckFlags } from './check.ts';

/** Each code once, in the order given, or the service's. Throws UsageError for a file whose rows name no code, NotFoundError for a CODE. */
export async function chooseCodes(context: Context, names: readonly string[], flags: CheckFlags): Promise<QrCode[]> {
  const { from, status } = flags;
  const { concurrency } = await context.settings();
  if (from !== undefined) refuseTogether('--from', { 'a CODE': names[0] });
  const found =
    from !== undefined
      ? await readCodesOfFile(context, from)
      : names.length > 0
        ? await namedCodes(context, names, concurrency)
        : await everyCode(await context.service(), concurrency);
  const codes = [...new Map(found.map((code) => [code.id, code])).values()];
  return status ? codes.filter((code) => (status as readonly string[]).includes(code.status)) : codes;
}

async function namedCodes(context: Context, names: readonly string[], width: number): Promise<QrCode[]> {
  const service = await context.service();
  const ids = [...new Set(names.filter(isUuid).map((id) => id.toLowerCase()))];
  const slugs = names.filter((name) => !isUuid(name));
  const found = slugs.length === 0 ? [] : await findCodesBySlug(service, slugs, width, ids);
  const bySlug = new Map(found.map((code) => [code.slug, code]));
  const byId = new Map(found.map((code) => [code.id.toLowerCase(), code]));
  const others = ids.filter((id) => !byId.has(id));
  for await (const code of fetchInOrder(others, (id) => service.getCode(id), width)) byId.set(code.id.toLowerCase(), code);
  return names.flatMap((name) => bySlug.get(name) ?? byId.get(name.toLowerCase()) ?? []);
}
