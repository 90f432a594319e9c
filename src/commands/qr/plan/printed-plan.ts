/** What is printed of a plan, before a run or after it. */
import { exitCodeOf, Failure, messageOf } from '../../../base/errors.ts';
import type { RowEnd } from '../../../codes/engine/executor/job.ts';
import type { Plan } from '../../../codes/engine/plan/model.ts';
import { reasonOfPlan } from '../../../codes/engine/results/plan-exit.ts';
import type { PlanRow, Verb } from '../../../codes/engine/results/questions.ts';

/** Sentence above a plan: why it ends as it does. */
interface Reason {
  readonly title: string;
  readonly message: string;
}

export interface PrintedPlan {
  /** Name of the file. */
  readonly name: string;
  readonly verb: Verb;
  readonly rows: readonly PlanRow[];
  readonly unmanaged: number;
  readonly absent: Plan['absent'];
  readonly reasons: readonly Reason[];
}

const TITLES = { 0: 'No changes', 8: 'Changes', 9: 'Needs your decision' } as const;

/** Returns what a dry run prints, also of a run that a brake stopped before anything was sent. */
export function plannedRun(plan: Plan, { name, verb }: Pick<PrintedPlan, 'name' | 'verb'>): PrintedPlan {
  const { exit, message, hint } = reasonOfPlan(plan, verb);
  const title = plan.brakes.length > 0 ? 'Nothing would be sent' : TITLES[exit];
  const reasons = [{ title: `${title} (exit code ${exit} with --exit-code)`, message }];
  if (hint !== undefined) reasons.push({ title: 'Next step', message: hint });
  const rows = plan.items.map((item): PlanRow => ({ item }));
  return { name, verb, rows, unmanaged: plan.unmanaged, absent: plan.absent, reasons };
}

/** Returns what is printed after a run. `failure`: error at its end, as of `failureOfRun`. */
export function endedRun(
  plan: Plan,
  ends: readonly RowEnd[],
  { name, verb, failure }: Pick<PrintedPlan, 'name' | 'verb'> & { failure: unknown },
): PrintedPlan {
  const rows = ends.map((end): PlanRow => ({ item: end.item, end }));
  return { name, verb, rows, unmanaged: plan.unmanaged, absent: plan.absent, reasons: reasonsOf(failure) };
}

function reasonsOf(failure: unknown): Reason[] {
  if (failure === undefined) return [];
  const [message = ''] = messageOf(failure).split('\n');
  const reasons = [{ title: `Not finished (exit code ${exitCodeOf(failure)})`, message }];
  if (failure instanceof Failure && failure.hint !== undefined)
    reasons.push({ title: 'Next step', message: failure.hint });
  return reasons;
}
