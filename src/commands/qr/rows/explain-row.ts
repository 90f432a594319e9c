import { UsageError } from '../../../base/errors.ts';
import { inQuotes } from '../../../base/text/quote.ts';
import { explainLine } from '../../../codes/engine/results/explain-line.ts';
import type { Context } from '../../../context.ts';
import { planFirst } from './carry-out.ts';
import type { RowsFlags } from './flags.ts';
import { readRowsFile } from './run-file.ts';
import type { RowsVerb } from './verb.ts';

/**
 * Prints what is known about a row, and what a run would do. Throws UsageError if no row has the line or key.
 */
export async function explainRow(
  context: Context,
  from: string,
  flags: RowsFlags & { explain: string },
  verb: RowsVerb,
): Promise<void> {
  const file = await readRowsFile(context, from, flags, verb);
  const wanted = flags.explain;
  const isWanted = ({ line, key }: { line: number; key?: string }) => key === wanted || `${line}` === wanted;
  if (!file.checked.rows.some(isWanted))
    throw new UsageError(`no row of ${file.input.name} has the line or key ${inQuotes(wanted)}`, {
      hint: 'Specify a line as in the messages of qrctl: the header is line 1.',
    });
  const { plan, listing, ledger } = await planFirst(context, { file, flags, verb });
  const lines = plan.items
    .filter(({ row }) => row && isWanted(row))
    .flatMap((item) => explainLine(item, file.input, { listing, ledger, verb: verb.policy.verb }));
  await context.console.write(context.console.harmless(`${lines.join('\n')}\n`));
}
