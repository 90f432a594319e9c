/** Ends a dry run of any verb: prints the plan, what there is to say about it, and its cost. */
import { countOf, joinSome, quote } from '../../../base/text/quote.ts';
import { formatDuration } from '../../../base/time/time.ts';
import type { Plan } from '../../../codes/engine/plan/model.ts';
import type { Verb } from '../../../codes/engine/results/explain.ts';
import { countRequests, describeExisting, failureOfPlan } from '../../../codes/engine/results/run-failure.ts';
import type { Context } from '../../../context.ts';
import type { Fault, Source } from '../../../files/formats/read/input.ts';
import { costOf } from '../../../service/rate-limit/rate-limit.ts';
import { noteWarnings } from '../checked-notes.ts';
import { countRows } from './arrange-rows.ts';
import type { PlanPrinter } from './print-plan.ts';
import { plannedRun } from './print-plan.ts';

/** Dry run of a file. */
export interface DryRun {
  readonly plan: Plan;
  readonly verb: Verb;
  readonly file: Source;
  /** Warnings about the rows, besides those of the plan. */
  readonly warnings: readonly Fault[];
  /** Requests of this dry run, which a run sends as well. */
  readonly spent: number;
  /** Of `--exit-code`. */
  readonly exitCode: boolean;
}

/** Prints a dry run. Throws UnprovenError (9) or PartialError (8) only with `--exit-code`. */
export async function endDryRun(context: Context, printer: PlanPrinter, run: DryRun): Promise<void> {
  const { plan, verb, file, warnings, spent, exitCode } = run;
  const printed = plannedRun(plan, { name: file.name, verb });
  await printer.print(printed);
  noteWarnings(context, file, [...warnings, ...plan.warnings]);
  notePlan(context, plan, verb);
  if (!printer.hasReasons)
    for (const { message, hint } of plan.brakes)
      context.console.warn(`a run would send nothing: ${message}. ${hint}`);
  const requests =
    spent + (plan.brakes.length > 0 ? 0 : countRequests(plan)) + (printer.moreRequests?.() ?? 0);
  const { waitMs } = costOf(requests, (await context.service()).rateLimit());
  const wait = waitMs > 0 ? ` in ${formatDuration(waitMs)}` : '';
  context.console.note(
    `${countRows(printed.rows, printed.unmanaged)} (about ${countOf(requests, 'request')}${wait}). No changes were made`,
  );
  if (!exitCode) return;
  const failure = failureOfPlan(plan, verb);
  if (failure !== undefined) throw failure;
}

/** Number of codes that are named in a note. */
const MOST_NAMED = 5;

/** Notes which rows exist already, and the codes whose rows are no longer in the file; in dry runs and in runs. */
export function notePlan({ console }: Context, { items, absent }: Plan, verb: Verb): void {
  const existing = verb === 'create' ? items.filter(({ action }) => action === 'exists').length : 0;
  const note = describeExisting(existing);
  if (note !== undefined) console.note(note);
  const gone = items.filter(({ action }) => action === 'deleted').length;
  if (gone > 0) console.note(`No code exists for ${countOf(gone, 'row')}: deleted before, or never created`);
  if (absent.length === 0) return;
  const slugs = absent.map(({ slug }) => quote(slug));
  console.note(
    `Rows of these codes were removed from the file: ${joinSome(slugs, { most: MOST_NAMED, separator: ', ' })}`,
  );
}
