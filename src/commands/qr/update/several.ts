/** `qr update CODE…`: the same thing changed in several codes. */
import { changesFor, createUpdater } from '../../../bulk/change-rows.ts';
import type { UpdateRow } from '../../../bulk/check-rows.ts';
import type { RowResult } from '../../../bulk/outcomes.ts';
import type { Context } from '../../../context.ts';
import type { OutputFlags } from '../../../rows/plan-output.ts';
import { planOutput } from '../../output-options.ts';
import { changeCodes, lookUp } from '../bulk-progress.ts';
import { mustKnowType, refuseDestination, warnOfDestination } from '../check-destination.ts';
import { NAMED_COLUMNS, printNamed, rowsOf } from '../named-codes.ts';

/**
 * Changes each code, and prints the outcomes. One request per ID; slugs are looked up first, and a code that has the values already costs
 * no other request. A missing code fails alone. Throws as listed in errors.ts, at the end.
 */
export async function updateSeveral(
  context: Context,
  names: readonly string[],
  asked: Pick<UpdateRow, 'changes' | 'utm'>,
  flags: OutputFlags & { force?: true | undefined },
): Promise<void> {
  const isDoubtful = mustKnowType(asked.changes, flags.force);
  const mustRead = isDoubtful || (asked.utm !== undefined && asked.changes.destination === undefined);
  await planOutput(context, flags, NAMED_COLUMNS, 'list');
  const rows = rowsOf(names).map((row): UpdateRow => ({ ...row, ...asked }));
  const done = await changeCodes(context, rows, { verb: 'done', failFast: false, named: true }, async (service) => {
    const lookup = await lookUp(
      context,
      // Tags without a destination go onto the one there is.
      rows.filter(({ id }) => id === undefined || mustRead),
    );
    if (isDoubtful)
      refuseDestination(
        rows.flatMap((row) => lookup(row) ?? []),
        asked.changes.destination,
      );
    const update = createUpdater(service, lookup);
    const apply = async (row: UpdateRow): Promise<RowResult> => {
      if (row.id === undefined || mustRead) return update(row);
      const changes = changesFor(asked, { slug: row.id, destination: null });
      const code = await service.updateCode(row.id, changes);
      if (changes.destination !== undefined) warnOfDestination(context, code);
      return { id: code.id, slug: code.slug, outcome: 'updated' };
    };
    return { lookup, apply };
  });
  await printNamed(context, rows, done, flags);
}
