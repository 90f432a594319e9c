/** `qr update CODE…`: the same changes of one or several codes. */
import { changesFor, createUpdater } from '../../../codes/engine/change-rows.ts';
import type { UpdateRow } from '../../../codes/input/check-rows.ts';
import type { RowResult } from '../../../codes/input/outcomes.ts';
import { findCode } from '../../../codes/listing/find-code.ts';
import type { Context } from '../../../context.ts';
import type { OutputFlags } from '../../../files/formats/plan-output.ts';
import { isUuid } from '../../../service/checks.ts';
import { planOutput, printRecord } from '../../output-options.ts';
import { changeCodes, lookUp } from '../bulk-progress.ts';
import { mustKnowType, refuseDestination, warnOfDestination } from '../check-destination.ts';
import { codeOutput } from '../code-columns.ts';
import { countOne } from '../count-one.ts';
import { NAMED_COLUMNS, printNamed, rowsOf } from '../named-codes.ts';

type Asked = Pick<UpdateRow, 'changes' | 'utm'>;
type Forced = { force?: true | undefined };

/** Returns whether codes must be read before they get these changes, and whether to judge their destination. */
function readingFor({ changes, utm }: Asked, { force }: Forced): { isDoubtful: boolean; mustRead: boolean } {
  const isDoubtful = mustKnowType(changes, force);
  // Tags without a destination go onto the one there is.
  return { isDoubtful, mustRead: isDoubtful || (utm !== undefined && changes.destination === undefined) };
}

/** Changes one code and prints it as it is then. One request for an ID; a slug takes one more, or the listing that finds it. */
export async function updateOne(context: Context, wanted: string, asked: Asked, flags: OutputFlags & Forced): Promise<void> {
  const { columns, toRecord } = await codeOutput(context, flags, 'record');
  const service = await context.service();
  const { isDoubtful, mustRead } = readingFor(asked, flags);
  const found = mustRead || !isUuid(wanted) ? await findCode(service, wanted) : undefined;
  if (found && isDoubtful) refuseDestination([found], asked.changes.destination);
  const changes = asked.utm ? changesFor(asked, found ?? { slug: wanted, destination: null }) : asked.changes;
  const id = found?.id ?? wanted.toLowerCase();
  const code = await countOne(context.facts, 'updated', () => service.updateCode(id, changes));
  if (changes.destination !== undefined) warnOfDestination(context, code);
  await printRecord(context, toRecord(code), columns, flags);
}

/**
 * Changes each code, and prints the outcomes. One request per ID; slugs are looked up first, and a code that has the values already costs
 * no other request. A missing code fails alone. Throws as listed in errors.ts, at the end.
 */
export async function updateSeveral(
  context: Context,
  names: readonly string[],
  asked: Asked,
  flags: OutputFlags & Forced,
): Promise<void> {
  const { isDoubtful, mustRead } = readingFor(asked, flags);
  await planOutput(context, flags, NAMED_COLUMNS, 'list');
  const rows = rowsOf(names).map((row): UpdateRow => ({ ...row, ...asked }));
  const done = await changeCodes(context, rows, { verb: 'done', failFast: false, named: true }, async (service) => {
    const lookup = await lookUp(
      context,
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
