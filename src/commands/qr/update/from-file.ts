/** `qr update --from`: what a file of rows changes. */
import { changesFor, createUpdater, differences } from '../../../bulk/change-rows.ts';
import { type CommonChanges, checkUpdate, type UpdateRow } from '../../../bulk/check-rows.ts';
import { changeFailure } from '../../../bulk/results.ts';
import type { Context } from '../../../context.ts';
import { RejectedError } from '../../../errors.ts';
import type { OutputFlags } from '../../../output/plan-output.ts';
import type { CodeChanges, QrCode } from '../../../service/shapes.ts';
import { printRecords } from '../../output-options.ts';
import { runBulk } from '../bulk-files.ts';
import type { BulkFlags } from '../bulk-flags.ts';
import { changeCodes, lookUp, requestsToLookUp, tellCost } from '../bulk-progress.ts';

/** Changes what is not so yet; `common` is what rows that do not say otherwise change. See `runBulk` for what it throws. */
export async function updateFromFile(context: Context, from: string, common: CommonChanges, flags: BulkFlags): Promise<void> {
  const { failFast } = flags;
  await runBulk<UpdateRow>(context, from, flags, {
    check: (input) => checkUpdate(input, common),
    preview: (rows) => printPlan(context, rows, flags),
    async send(rows, path) {
      const { end, results } = await changeCodes(context, rows, { verb: 'done', failFast }, async (service) => {
        const lookup = await lookUp(context, rows);
        return { lookup, apply: createUpdater(service, lookup) };
      });
      return { results, failure: changeFailure(end, results, path) };
    },
  });
}

const PLAN_COLUMNS = ['row', 'id', 'slug', 'action', 'field', 'old', 'new'].map((name) => ({ name }));

/** One record for each value that would change, and for each row that would change nothing. */
async function printPlan(context: Context, rows: readonly UpdateRow[], flags: OutputFlags): Promise<void> {
  const lookup = await lookUp(context, rows);
  const service = await context.service();
  const reading = await requestsToLookUp(service, rows);
  const changed = new Map<string, QrCode>();
  const plan = rows.flatMap((row) => {
    const found = lookup(row);
    const code = found && (changed.get(found.id) ?? found);
    if (!code) return [{ row: row.row, id: row.id, slug: row.slug, action: 'not found' }];
    const changes = wanted(row, code);
    // What an earlier row of the file changes is so already when this one comes.
    changed.set(code.id, { ...code, ...changes });
    return changes
      ? planOf(row, code, changes)
      : [{ row: row.row, id: code.id, slug: code.slug, action: 'fails: no web address for UTM tags' }];
  });
  await printRecords(context, plan, PLAN_COLUMNS, flags, { none: 'no rows' });
  const updates = new Set(plan.filter(({ action }) => action === 'update').map(({ row }) => row)).size;
  tellCost(context, service, `${updates} of ${rows.length} rows would be changed`, reading + updates);
}

/** Undefined where the row will fail, for want of an address that takes tags. */
function wanted(row: UpdateRow, code: QrCode): CodeChanges | undefined {
  try {
    return differences(code, changesFor(row, code), row.through);
  } catch (error) {
    if (error instanceof RejectedError) return undefined;
    throw error;
  }
}

function planOf({ row }: UpdateRow, code: QrCode, changes: CodeChanges) {
  const found = { row, id: code.id, slug: code.slug };
  const fields = Object.entries(changes);
  if (fields.length === 0) return [{ ...found, action: 'unchanged' }];
  const old: Readonly<Record<string, unknown>> = { ...code };
  return fields.map(([field, value]) => ({ ...found, action: 'update', field, old: old[field] ?? null, new: value }));
}
