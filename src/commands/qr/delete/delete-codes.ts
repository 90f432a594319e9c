/** `qr delete`: named codes, or those of a file. */
import { type ChangeEnd, changeRows } from '../../../bulk/change-rows.ts';
import { checkDelete, type TargetRow } from '../../../bulk/check-rows.ts';
import { createDeleter, type DeleteJournal, openDeleteJournal } from '../../../bulk/delete-rows.ts';
import { findCodes, groupByCode, type Lookup } from '../../../bulk/find-codes.ts';
import type { Input } from '../../../bulk/input.ts';
import { changeFailure, changeResults, isDone, RESULT_COLUMNS, tabulate } from '../../../bulk/results.ts';
import type { Context } from '../../../context.ts';
import { UsageError } from '../../../errors.ts';
import { isUuid } from '../../../service/checks.ts';
import { everyCode, findCode } from '../../../service/codes.ts';
import type { QrCode } from '../../../service/shapes.ts';
import { planOutput, printRecord, printRecords } from '../../output-options.ts';
import { openBulkOutput, readInput, tellWarnings, withLock } from '../bulk-files.ts';
import { bulkOptions, requireFrom, resultsPathOf } from '../bulk-flags.ts';
import { showRowProgress, tellSummary } from '../bulk-progress.ts';
import { confirm, printLosses, requireConsent } from './confirm.ts';
import type { DeleteFlags } from './delete.ts';

const COLUMNS = ['code', ...RESULT_COLUMNS].map((name) => ({ name }));

/** Deletes the codes named by ids or slugs, and prints what became of each. Throws what errors.ts lists. */
export async function deleteCodes(context: Context, names: readonly string[], flags: DeleteFlags): Promise<void> {
  // What naming codes would lose can be shown as well.
  requireFrom(bulkOptions, { ...flags, dryRun: undefined });
  if (names.length === 0) throw new UsageError('which codes?', { hint: 'qrctl qr delete CODE…, or --from FILE' });
  requireConsent(context, flags);
  const rows = [...new Set(names)].map((name, index): TargetRow => {
    const target = isUuid(name) ? { id: name.toLowerCase(), slug: undefined } : { id: undefined, slug: name };
    return { row: index + 1, line: index + 1, values: new Map([['code', name]]), ...target };
  });
  const [only] = rows;
  if (only && rows.length === 1) return deleteOne(context, only, flags);

  await planOutput(context, flags, COLUMNS, 'list');
  const lookup = await lookUp(context, rows, flags);
  if (flags.dryRun) return printLosses(context, rows, lookup, flags);
  await confirm(context, codesOf(rows, lookup), flags);
  const end = await deleteAll(context, rows, lookup, flags);
  context.signal.throwIfAborted();
  const results = changeResults(rows, end);
  const input: Input = { name: 'arguments', columns: ['code'], headerLine: undefined, rows };
  await printRecords(context, tabulate(input, results).rows, COLUMNS, flags);
  const failure = results.some(isDone) ? changeFailure(end, results) : (end.stop ?? end.firstError);
  if (failure !== undefined) throw failure;
}

async function deleteOne(context: Context, row: TargetRow, flags: DeleteFlags): Promise<void> {
  await planOutput(context, flags, COLUMNS, flags.dryRun ? 'list' : 'record');
  const { concurrency } = await context.settings();
  const service = await context.service();
  const needsLook = row.id === undefined || !flags.yes || flags.dryRun;
  const found = needsLook ? await findCode(service, row.id ?? row.slug ?? '', concurrency) : undefined;
  const lookup = () => found;
  if (flags.dryRun) return printLosses(context, [row], lookup, flags);
  await confirm(context, codesOf([row], lookup), flags);
  const result = await createDeleter(service, lookup)(row);
  await printRecord(context, { code: row.values.get('code'), ...result, error: null }, COLUMNS, flags);
}

/** Deletes the codes that rows of a file name, and writes the results. Throws what errors.ts lists, after the results are written. */
export async function deleteFromFile(context: Context, from: string, flags: DeleteFlags): Promise<void> {
  requireConsent(context, flags, from);
  const input = await readInput(context, from);
  const { rows, warnings } = checkDelete(input);
  const resultsPath = resultsPathOf(from, flags);
  tellWarnings(context, warnings);
  if (flags.dryRun) return printLosses(context, rows, await lookUp(context, rows, flags), flags);

  const { baseUrl } = await context.service();
  const output = await openBulkOutput(context, input, resultsPath, flags);
  try {
    const lookup = await lookUp(context, rows, flags);
    await confirm(context, codesOf(rows, lookup), flags);
    const journalPath = `${resultsPath}.journal`;
    const end = await withLock(context, journalPath, async () => {
      const journal = await openDeleteJournal(journalPath, baseUrl);
      return deleteAll(context, rows, lookup, flags, journal).finally(() => journal.close());
    });
    context.signal.throwIfAborted();
    const results = changeResults(rows, end);
    await output.commit(results);
    await tellSummary(context, results, resultsPath);
    const failure = changeFailure(end, results, resultsPath);
    if (failure !== undefined) throw failure;
  } finally {
    await output.discard();
  }
}

/** Slugs have to be looked up, and so has what a person is shown; an id that nobody asks about is simply deleted. */
async function lookUp(context: Context, rows: readonly TargetRow[], { yes, dryRun }: DeleteFlags): Promise<Lookup> {
  const { concurrency } = await context.settings();
  const service = await context.service();
  const wanted = yes && !dryRun ? rows.filter(({ id }) => id === undefined) : rows;
  if (wanted.length === 0) return () => undefined;
  return findCodes(wanted, { service, listCodes: () => everyCode(service, concurrency), concurrency });
}

function codesOf(rows: readonly TargetRow[], lookup: Lookup): QrCode[] {
  return [...new Set(rows.flatMap((row) => lookup(row) ?? []))];
}

async function deleteAll(
  context: Context,
  rows: readonly TargetRow[],
  lookup: Lookup,
  { failFast }: DeleteFlags,
  journal?: DeleteJournal,
): Promise<ChangeEnd> {
  const { concurrency } = await context.settings();
  const service = await context.service();
  const progress = showRowProgress(context, service, rows.length, 'deleted');
  try {
    return await changeRows({
      groups: groupByCode(rows, lookup),
      apply: createDeleter(service, lookup, journal),
      ...{ concurrency, signal: context.signal, failFast: failFast === true },
      onEvent: (result) => progress.count(isDone(result)),
    });
  } finally {
    progress.stop();
  }
}
