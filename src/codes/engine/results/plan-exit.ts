/** Exit code of a dry run, with its reason. Pure. */
import { PartialError, UnprovenError } from '../../../base/errors.ts';
import { countOf } from '../../../base/text/quote.ts';
import type { Plan, PlanAction, PlanItem } from '../plan/model.ts';
import { countQuestions, groupQuestions, needsDecision, type Verb, waysToDecide } from './questions.ts';

/** Why a dry run with `--exit-code` ends as it does. */
export interface PlanReason {
  readonly exit: 0 | 8 | 9;
  readonly message: string;
  readonly hint: string | undefined;
}

/** Actions that send a request, or change the lock file. */
const ACTING: ReadonlySet<PlanAction> = new Set<PlanAction>([
  'create',
  'update',
  'delete',
  'adopt',
  'removed',
]);

const FAILING: ReadonlySet<PlanAction> = new Set<PlanAction>(['edited', 'gone', 'failed']);

/** Returns the exit code of a dry run: 9 if a decision is needed or a brake stops the plan, 8 if a run would change something, 0 if not. */
export function exitOfPlan(plan: Plan, verb: Verb): PlanReason['exit'] {
  return reasonOfPlan(plan, verb).exit;
}

/** Returns the exit code of a dry run and the reason, as the plan itself states it. */
export function reasonOfPlan({ items, brakes }: Plan, verb: Verb): PlanReason {
  const [brake] = brakes;
  if (brake) return { exit: 9, message: brakes.map(({ message }) => message).join('; '), hint: brake.hint };
  const asked = items.filter(({ action }) => needsDecision(action, verb));
  if (asked.length > 0) return { exit: 9, ...tellRows(asked, verb) };
  const failing = items.filter(({ action }) => FAILING.has(action));
  if (failing.length > 0) return { exit: 8, ...tellRows(failing, verb) };
  const changed = new Set(items.filter(changesAnything).map((item) => item.code?.id ?? item)).size;
  if (changed === 0) return { exit: 0, message: 'a run would change nothing', hint: undefined };
  return { exit: 8, message: `a run would change ${countOf(changed, 'code')}`, hint: undefined };
}

/** Returns what a dry run with `--exit-code` throws; undefined for 0. */
export function failureOfPlan(plan: Plan, verb: Verb): UnprovenError | PartialError | undefined {
  const { exit, message, hint } = reasonOfPlan(plan, verb);
  if (exit === 0) return undefined;
  const Kind = exit === 9 ? UnprovenError : PartialError;
  return new Kind(message, { hint: hint ?? 'See the plan for the changes.' });
}

/** Returns the number of requests that a plan sends besides those of the listing. */
export function countRequests({ items }: Pick<Plan, 'items'>): number {
  let count = 0;
  for (const { action, send } of items) {
    if (action === 'create' || action === 'delete') count += 1;
    if (ACTING.has(action) && Object.keys(send).length > 0) count += 1;
  }
  return count;
}

function changesAnything({ action, send, isNews }: PlanItem): boolean {
  return ACTING.has(action) && (action !== 'removed' || isNews || Object.keys(send).length > 0);
}

function tellRows(items: readonly PlanItem[], verb: Verb): Pick<PlanReason, 'message' | 'hint'> {
  const groups = groupQuestions(items.map((item) => ({ item })));
  const failed = items.filter(({ action }) => action === 'failed').length;
  const counts = groups.map(({ question, rows }) => countQuestions(question, rows.length));
  if (failed > 0) counts.push(`${countOf(failed, 'row')} would fail`);
  const ways = groups.map(({ question, rows }) => waysToDecide(question, rows, verb));
  return { message: counts.join(', '), hint: ways.join(' ') || undefined };
}
