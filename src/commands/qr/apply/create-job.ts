/** Makes the job of an apply run from its flags, and shows what happens meanwhile. */
import { quote } from '../../../base/text/quote.ts';
import type { ApplyEvent, ApplyJob } from '../../../codes/engine/apply-job.ts';
import type { KeyedRow } from '../../../codes/engine/keyed-rows.ts';
import { type Plan, sentChanges } from '../../../codes/engine/plan.ts';
import { everyCode } from '../../../codes/listing/codes.ts';
import type { Context } from '../../../context.ts';
import { nodeDisk } from '../../../files/durable/node-disk.ts';
import type { Checked, Input } from '../../../files/formats/read/input.ts';
import { type RowProgress, showRowProgress, tellWaiting } from '../bulk-progress.ts';
import { creatingJob } from '../creating-job.ts';
import { tellWarnings } from '../tell-checked.ts';
import type { ApplyFlags } from './flags.ts';

/** File of codes that was read and checked. */
export interface GivenFile {
  input: Input;
  checked: Checked<KeyedRow>;
  lockPath: string;
  flags: ApplyFlags;
}

/** Returns the job of a run; the progress bar is put into `progress` when there is something to do. */
export async function createJob(context: Context, given: GivenFile, progress: { shown?: RowProgress }): Promise<ApplyJob> {
  const { input, checked, lockPath, flags } = given;
  const service = await context.service();
  const surroundings = await creatingJob(context, flags);
  return {
    ...{ ...surroundings, rows: checked.rows, file: input, lockPath, disk: nodeDisk, processes: context.processes },
    listCodes: () => everyCode(service, surroundings.concurrency, 'round'),
    options: {
      removed: flags.removed ?? 'report',
      keepEdits: flags.keepEdits ?? false,
      maxChanges: flags.maxChanges,
      force: flags.force ?? false,
    },
    adopt: new Map(flags.adopt ?? []),
    recreate: new Set(flags.recreate ?? []),
    onPlan(plan) {
      tellWarnings(context, input, plan.warnings);
      const rows = countRequests(plan);
      if (plan.faults.length === 0 && rows > 0) progress.shown = showRowProgress(context, service, { rows, verb: 'applied' });
    },
    onEvent: (event) => tellEvent(context, event, progress),
  };
}

function tellEvent(context: Context, event: ApplyEvent, { shown }: { shown?: RowProgress }): void {
  const { console } = context;
  if (event.is === 'warning') console.warn(event.text);
  else if (event.is === 'waiting') tellWaiting(context, event, shown);
  else if (event.is === 'finishing') console.note('An earlier run was interrupted. Finishing it first');
  else if (event.is === 'replanned')
    console.note(`The code of ${quote(event.item.key)} changed during the run. Planning its row again`);
  else if (event.is === 'done' || event.is === 'failed') shown?.count(event.is === 'done');
}

/** One for each code that is created or changed, and one for the status of each new code that is to have another. */
export function countRequests({ items }: Plan): number {
  const isSent = (item: Plan['items'][number]) => item.action === 'create' || Object.keys(sentChanges(item)).length > 0;
  return items.filter(isSent).length;
}
