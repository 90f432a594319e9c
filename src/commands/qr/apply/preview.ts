/** Shows what a run would do (`--dry-run`), or checks the file alone (`--offline`). */
import { PartialError, UnprovenError } from '../../../base/errors.ts';
import { countOf, formatCount } from '../../../base/text/quote.ts';
import { checkOffline, previewRows } from '../../../codes/engine/apply-rows.ts';
import { readLock } from '../../../codes/engine/lock-store.ts';
import { changesAnything, openItems } from '../../../codes/engine/plan.ts';
import type { Context } from '../../../context.ts';
import { nodeDisk } from '../../../files/durable/node-disk.ts';
import { refuseFaults } from '../../../files/formats/read/input.ts';
import { tellCost } from '../bulk-progress.ts';
import { tellWarnings } from '../tell-checked.ts';
import { countRequests, createJob, type GivenFile } from './create-job.ts';
import { openPlanOutput } from './plan-output.ts';
import { PLAN_COLUMNS } from './plan-records.ts';

/** `--dry-run`: throws only with `--exit-code`, and for a file that can't be applied. */
export async function previewFile(context: Context, given: GivenFile): Promise<void> {
  const { console } = context;
  const { input, checked, flags } = given;
  const printer = await openPlanOutput(context, flags, PLAN_COLUMNS, input.name);
  const { plan, open } = await previewRows(await createJob(context, given, {}));
  await printer.print(plan.items, plan.unmanaged);
  const warnings = [...checked.warnings, ...plan.warnings];
  tellWarnings(context, input, warnings);
  if (open > 0) console.warn(`an earlier run was interrupted: the codes of ${countOf(open, 'row')} are looked up first`);
  const isTooMuch = plan.surprises > plan.allowed;
  if (isTooMuch)
    console.warn(
      `without --dry-run, this plan fails: it changes or removes ${plan.surprises} keys, but --max-changes allows ${plan.allowed}`,
    );
  const requests = (await context.service()).stats().requests + countRequests(plan);
  const what = changesAnything(plan) ? 'A run would apply the plan' : 'A run would change nothing';
  tellCost(context, await context.service(), what, requests, warnings.length);
  if (!flags.exitCode) return;
  const decisions = openItems(plan).length;
  if (isTooMuch || decisions > 0 || open > 0)
    throw new UnprovenError(isTooMuch ? 'the plan exceeds --max-changes' : `${countOf(decisions, 'key')} to decide`, {
      hint: 'See the plan for the keys.',
    });
  if (changesAnything(plan)) throw new PartialError('a run would make changes', { hint: 'See the plan for the changes.' });
}

/** `--offline`: the file and its lock file have no faults that can be found without the service. */
export async function checkFile(context: Context, { input, checked, lockPath, flags }: GivenFile): Promise<void> {
  const { rows, warnings } = checked;
  const found = checkOffline(rows, await readLock(nodeDisk, lockPath, context.signal), flags.force ?? false);
  const odd = [...warnings, ...found.warnings];
  refuseFaults(input, flags.strict ? [...found.faults, ...odd] : found.faults);
  tellWarnings(context, input, odd);
  const counts = [
    countOf(rows.length, 'row'),
    `${formatCount(found.known)} in the lock file`,
    `${formatCount(found.fresh)} new`,
    `${formatCount(found.removed)} removed`,
  ];
  context.console.note(`${input.name}: ${counts.join(', ')}, no faults (no request was sent)`);
}
