/** `qr update --from`: what a file of rows changes. */
import { changeRows, createUpdater, differences } from '../../../bulk/change-rows.ts';
import { checkUpdate, type UpdateRow } from '../../../bulk/check-rows.ts';
import { findCodes, groupByCode, type Lookup } from '../../../bulk/find-codes.ts';
import { changeFailure, changeResults, isDone } from '../../../bulk/results.ts';
import type { Context } from '../../../context.ts';
import type { OutputFlags } from '../../../output/plan-output.ts';
import { everyCode } from '../../../service/codes.ts';
import type { QrCode } from '../../../service/shapes.ts';
import { printRecords } from '../../output-options.ts';
import { openBulkOutput, readInput, tellWarnings } from '../bulk-files.ts';
import { type BulkFlags, resultsPathOf } from '../bulk-flags.ts';
import { showRowProgress, tellCost, tellSummary } from '../bulk-progress.ts';

/** Checks everything, changes what is not so yet, and writes the results. Throws what errors.ts lists, after the results are written. */
export async function updateFromFile(context: Context, from: string, flags: BulkFlags): Promise<void> {
  const input = await readInput(context, from);
  const { rows, warnings } = checkUpdate(input);
  const resultsPath = resultsPathOf(from, flags);
  tellWarnings(context, warnings);
  if (flags.dryRun) return printPlan(context, rows, flags);

  const { signal } = context;
  const { concurrency } = await context.settings();
  const service = await context.service();
  const output = await openBulkOutput(context, input, resultsPath, flags);
  const progress = showRowProgress(context, service, rows.length, 'done');
  try {
    const lookup = await lookUp(context, rows);
    const end = await changeRows({
      groups: groupByCode(rows, lookup),
      apply: createUpdater(service, lookup),
      ...{ concurrency, signal, failFast: flags.failFast ?? false },
      onEvent: (result) => progress.count(isDone(result)),
    });
    progress.stop();
    signal.throwIfAborted();
    const results = changeResults(rows, end);
    await output.commit(results);
    await tellSummary(context, results, resultsPath);
    const failure = changeFailure(end, results, resultsPath);
    if (failure !== undefined) throw failure;
  } finally {
    progress.stop();
    await output.discard();
  }
}

async function lookUp(context: Context, rows: readonly UpdateRow[]): Promise<Lookup> {
  const { concurrency } = await context.settings();
  const service = await context.service();
  return findCodes(rows, { service, listCodes: () => everyCode(service, concurrency), concurrency });
}

const PLAN_COLUMNS = ['row', 'id', 'slug', 'action', 'field', 'old', 'new'].map((name) => ({ name }));

/** One record for each value that would change, and for each row that would change nothing. */
async function printPlan(context: Context, rows: readonly UpdateRow[], flags: OutputFlags): Promise<void> {
  const lookup = await lookUp(context, rows);
  const plan = rows.flatMap((row) => planOf(row, lookup(row)));
  await printRecords(context, plan, PLAN_COLUMNS, flags, 'no rows');
  const changed = new Set(plan.filter(({ action }) => action === 'update').map(({ row }) => row)).size;
  tellCost(context, await context.service(), `${changed} of ${rows.length} rows would be changed`, changed);
}

function planOf({ row, id, slug, changes }: UpdateRow, code: QrCode | undefined) {
  if (!code) return [{ row, id, slug, action: 'not found' }];
  const found = { row, id: code.id, slug: code.slug };
  const fields = Object.entries(differences(code, changes));
  if (fields.length === 0) return [{ ...found, action: 'unchanged' }];
  const old: Readonly<Record<string, unknown>> = { ...code };
  return fields.map(([field, value]) => ({ ...found, action: 'update', field, old: old[field] ?? null, new: value }));
}
