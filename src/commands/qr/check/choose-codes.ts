/** Which codes a check is about: those that are named, those of a file, or every one. */
import { checkDelete } from '../../../bulk/check-rows.ts';
import { refuseFaults } from '../../../bulk/input.ts';
import type { Context } from '../../../context.ts';
import { quote } from '../../../quote.ts';
import { isUuid } from '../../../service/checks.ts';
import { everyCode } from '../../../service/codes.ts';
import { fetchInOrder } from '../../../service/fetch-in-order.ts';
import { findCodesBySlug } from '../../../service/find-code.ts';
import type { QrCode } from '../../../service/shapes.ts';
import { refuseTogether } from '../bulk-flags.ts';
import { readInput } from '../bulk-input.ts';
import { lookUp } from '../bulk-progress.ts';
import type { CheckFlags } from './check.ts';

/** Each code once, in the order given, or the service's. Throws UsageError for a file whose rows name no code, NotFoundError for a CODE. */
export async function chooseCodes(context: Context, names: readonly string[], flags: CheckFlags): Promise<QrCode[]> {
  const { from, status } = flags;
  const { concurrency } = await context.settings();
  if (from !== undefined) refuseTogether('--from', { 'a CODE': names[0] });
  const found =
    from !== undefined
      ? await codesOfFile(context, from)
      : names.length > 0
        ? await namedCodes(context, names, concurrency)
        : await everyCode(await context.service(), concurrency);
  const codes = [...new Map(found.map((code) => [code.id, code])).values()];
  return status ? codes.filter((code) => (status as readonly string[]).includes(code.status)) : codes;
}

async function codesOfFile(context: Context, from: string): Promise<QrCode[]> {
  const input = await readInput(context, from, {});
  const { rows } = checkDelete(input);
  const lookup = await lookUp(context, rows);
  const missing = rows.filter((row) => lookup(row) === undefined);
  refuseFaults(
    input.name,
    missing.map(({ line, id, slug }) => ({
      line,
      message: `no code has the ${id === undefined ? `slug ${quote(slug ?? '')}` : `id ${id}`}`,
    })),
  );
  return rows.flatMap((row) => lookup(row) ?? []);
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
