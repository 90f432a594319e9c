/** Which codes are to be drawn, and in which order. */
import type { TargetRow } from '../../../bulk/check-rows.ts';
import { requireCode } from '../../../bulk/find-codes.ts';
import type { Context } from '../../../context.ts';
import { UsageError } from '../../../errors.ts';
import { isUuid } from '../../../service/checks.ts';
import { everyCode } from '../../../service/codes.ts';
import { findCode } from '../../../service/find-code.ts';
import type { QrCode } from '../../../service/shapes.ts';
import { lookUp } from '../bulk-progress.ts';
import { createFilter, type Filters } from '../code-filters.ts';
import { readCodesOfFile } from '../codes-of-file.ts';

export interface Choice extends Filters {
  all?: true | undefined;
  from?: string | undefined;
}

/** Throws UsageError unless codes are named in exactly one way; before anything is read or sent. */
export function checkChoice(names: readonly string[], { all, from, status, type, name }: Choice): void {
  const ways = [names.length > 0 && 'CODE', all && '--all', from !== undefined && '--from'].filter((way) => way);
  if (ways.length === 0) throw new UsageError('which codes?', { hint: 'qrctl qr image CODE…, --all, or --from FILE' });
  if (ways.length > 1) throw new UsageError(`${ways[0]} and ${ways[1]} do not go together`, { hint: 'leave out one of them' });
  const filter = (status && '--status') || (type && '--type') || (name && '--name');
  if (filter && !all) throw new UsageError(`${filter} goes with --all`, { hint: `add --all, or leave out ${filter}` });
}

/**
 * The codes: as they were named, as the rows of the file have them, or oldest first, so that new ones come behind those that were printed
 * before. A row that comes twice is two labels. Throws UsageError with every fault of the file, NotFoundError for the first that is not there.
 */
export async function chooseCodes(context: Context, names: readonly string[], choice: Choice): Promise<QrCode[]> {
  if (choice.from !== undefined) return readCodesOfFile(context, choice.from);
  const service = await context.service();
  if (choice.all) {
    const { concurrency } = await context.settings();
    const codes = (await everyCode(service, concurrency)).filter(createFilter(choice));
    return codes.sort((a, b) => order(a.created_at, b.created_at) || order(a.id, b.id));
  }
  const [only = ''] = names;
  if (names.length === 1) return [await findCode(service, only)];
  const rows = names.map((name, index): TargetRow => {
    const target = isUuid(name) ? { id: name.toLowerCase(), slug: undefined } : { id: undefined, slug: name };
    return { row: index + 1, line: index + 1, values: new Map(), ...target };
  });
  return codesOfRows(context, rows);
}

async function codesOfRows(context: Context, rows: readonly TargetRow[]): Promise<QrCode[]> {
  const lookup = await lookUp(context, rows);
  return rows.map((row) => requireCode(row, lookup));
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
