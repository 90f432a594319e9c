/** Applies the changes of a file of rows (`qr update --from`). */
import { messageOf, NotFoundError, RejectedError } from '../../../base/errors.ts';
import { countOf } from '../../../base/text/quote.ts';
import { createUpdatePlan, createUpdater } from '../../../codes/engine/change-rows.ts';
import type { Lookup } from '../../../codes/engine/find-codes.ts';
import { judgeRows } from '../../../codes/engine/judge-rows.ts';
import { changeFailure } from '../../../codes/engine/results.ts';
import { type CommonChanges, checkUpdate, type UpdateRow } from '../../../codes/input/check-rows.ts';
import type { Context } from '../../../context.ts';
import type { Column } from '../../../files/formats/columns.ts';
import { planOutput } from '../../output-options.ts';
import { type BulkRun, runBulk } from '../bulk-files.ts';
import type { BulkFlags } from '../bulk-flags.ts';
import { changeCodes, lookUp, requestsToLookUp } from '../bulk-progress.ts';
import { ERROR } from '../code-columns.ts';
import { changedFields, type PlannedRow, printDryRun, tellFailing } from '../dry-run.ts';
import { tellWarnings } from '../tell-checked.ts';

/** Applies the changes that are still missing; `common` has the values for rows without their own. See `runBulk` for its errors. */
export async function updateFromFile(context: Context, from: string, common: CommonChanges, flags: BulkFlags): Promise<void> {
  const { failFast } = flags;
  await runBulk<UpdateRow>(context, from, flags, {
    command: 'qr update',
    bareNames: true,
    check: (input, signal) => checkUpdate(input, { ...common, signal }),
    preview: (run) => printPlan(context, run, flags),
    async send(run) {
      const { rows, path, input, warnings } = run;
      const { end, results } = await changeCodes(context, rows, { verb: 'done', failFast }, async (service) => {
        const told = warnings.length;
        const lookup = await lookUpRows(context, run, flags);
        tellWarnings(context, input, warnings.slice(told));
        return { lookup, apply: createUpdater(service, lookup) };
      });
      return { results, failure: changeFailure(end, results, path) };
    },
  });
}

/**
 * Looks the codes up, and checks everything that requires them: if there are faults, nothing is changed. Adds to the warnings of the run.
 */
function lookUpRows(context: Context, { rows, input, warnings }: BulkRun<UpdateRow>, { strict }: BulkFlags): Promise<Lookup> {
  return lookUp(context, rows, input, (lookup) => {
    const judged = judgeRows(rows, lookup);
    for (const warning of judged.warnings) warnings.push(warning);
    return strict ? [...judged.faults, ...judged.warnings] : judged.faults;
  });
}

/** The old and the new value matter most; a slug identifies the code in less room than an ID. */
export const PLAN_COLUMNS: readonly Column[] = [
  { name: 'line', importance: 5, keepWhole: true },
  { name: 'id', importance: 1, keepWhole: true },
  { name: 'slug', importance: 4, keepWhole: true },
  { name: 'action', importance: 3, keepWhole: true },
  { name: 'field', importance: 6, keepWhole: true },
  { name: 'old', importance: 6, wishedWidth: 24 },
  { name: 'new', importance: 6, wishedWidth: 24 },
  ERROR,
];

/** One record for each value that would change, and for each row that would change nothing; those a table leaves out. */
async function printPlan(context: Context, run: BulkRun<UpdateRow>, flags: BulkFlags): Promise<void> {
  const { rows } = run;
  const lookup = await lookUpRows(context, run, flags);
  const service = await context.service();
  const reading = await requestsToLookUp(service, rows);
  const { plan, changed } = createUpdatePlan(lookup);
  const records = rows.flatMap((row): PlannedRow[] => {
    const { line } = row;
    try {
      const { code, changes } = plan(row);
      changed({ ...code, ...changes });
      const found = { line, id: code.id, slug: code.slug };
      const fields = changedFields(code, changes);
      return fields.length === 0
        ? [{ ...found, action: 'unchanged', error: null }]
        : fields.map((field) => ({ ...found, ...field }));
    } catch (error) {
      const { id, slug } = lookup(row) ?? row;
      if (!(error instanceof NotFoundError || error instanceof RejectedError)) throw error;
      return [{ line, id, slug, action: 'failed', error: messageOf(error) }];
    }
  });
  const { format } = await planOutput(context, flags, PLAN_COLUMNS, 'list');
  const shown = format === 'table' ? records.filter(({ action }) => action !== 'unchanged') : records;
  const none = rows.length === 0 ? 'no rows' : 'nothing to update';
  const updates = new Set(records.filter(({ action }) => action === 'update').map(({ line }) => line)).size;
  const failing = records.filter(({ action }) => action === 'failed').length;
  const what = `${updates} of ${countOf(rows.length, 'row')} would be updated${tellFailing(failing)}`;
  const requests = reading + updates;
  await printDryRun(context, { records: shown, columns: PLAN_COLUMNS, none, checked: run, what, requests }, flags);
}
