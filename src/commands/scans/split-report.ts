import { groupBy } from '#base/collections';
import { UsageError } from '#base/errors';
import { countOf, quote, shown } from '#base/text/quote';
import { isDeviceName } from '#codes/listing/file-names';
import type { Context } from '#context';
import { codeOfScans } from '#scans/stats/count-scans';
import { type Filter, folded } from '#scans/stats/filters';
import { type CountPlan, codesOf } from './count.ts';

export interface PartOfReport {
  plan: CountPlan;
  value?: string;
}

/** Plans a report per value of a column, ignoring case. Throws UsageError if no code has a value. */
export async function splitReport(
  context: Context,
  plan: CountPlan,
  column: string,
): Promise<PartOfReport[]> {
  const { table, filters, logs } = plan;
  const chosen = logs ? undefined : await codesOf(context, plan);
  const ofCodes = chosen?.map((code) => table?.valueOf(codeOfScans(code), column) ?? null);
  const wanted = filters.find(({ group }) => group.kind === 'column' && group.by === column)?.values;
  const all = (ofCodes ?? wanted ?? table?.valuesIn(column) ?? []).filter((value) => value !== null);
  const without = (ofCodes?.length ?? all.length) - all.length;
  if (without > 0)
    context.console.note(
      `${countOf(without, 'code')} without a value in column ${quote(column)} ${without === 1 ? 'is' : 'are'} in no report`,
    );
  const parts = [...groupBy([...new Set(all)].sort(), folded).values()].map((values): PartOfReport => {
    const filter: Filter = { group: { kind: 'column', by: column }, values };
    return { plan: { ...plan, filters: [...filters, filter], chosen }, value: values[0] };
  });
  if (parts.length > 0) return parts;
  throw new UsageError(`no code has a value in column ${quote(column)} of ${shown(table?.name ?? '')}`, {
    hint: 'Choose a different column with --split-by, or complete the file of --join.',
  });
}

const LONGEST = 60;

/** Returns file names for values, distinct even if case is ignored. */
export function namesOfFiles(values: readonly string[]): string[] {
  const used = new Set<string>();
  return values.map((value) => {
    const plain = value
      .normalize('NFC')
      .replace(/[^\p{L}\p{M}\p{N}._ -]+/gu, '-')
      .replace(/^[. -]+/, '');
    const short = [...plain]
      .slice(0, LONGEST)
      .join('')
      .replace(/[. -]+$/, '');
    const base = isDeviceName(short) ? `${short.replace('.', '-')}-` : short || 'value';
    let name = base;
    for (let number = 2; used.has(name.toLowerCase()); number++) name = `${base}-${number}`;
    used.add(name.toLowerCase());
    return name;
  });
}
