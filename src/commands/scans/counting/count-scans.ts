/** Counts the scans of a plan, from files or from the service. */
import type { CodeFailure } from '../../../complete/export-codes.ts';
import type { Context } from '../../../context.ts';
import type { Counted } from '../../../stats/counted.ts';
import { type ChosenCodes, chooseLabels } from '../../choose-codes.ts';
import type { CountPlan } from './plan-count.ts';

export type CountedCodes = Counted & { failures: CodeFailure[] };

/** Throws if all codes fail; the result contains the failures of some. */
export async function countScans(context: Context, plan: CountPlan): Promise<CountedCodes> {
  const counted = await count(context, plan);
  const { span, nowMs, codes, failures } = counted;
  context.facts.range = { sinceMs: span.sinceMs, untilMs: span.untilMs ?? nowMs };
  if (plan.table) (await import('./tell-join.ts')).tellJoin(context, plan.table);
  if (codes) context.facts.codes = codes.length - failures.length;
  return counted;
}

async function count(context: Context, plan: CountPlan): Promise<CountedCodes> {
  if (plan.logs) {
    const { countFiles } = await import('./count-files.ts');
    return { ...(await countFiles(context, plan, plan.logs)), failures: [] };
  }
  const [{ countService }, { codes }] = await Promise.all([import('./count-service.ts'), codesOf(context, plan)]);
  const counted = await countService(context, plan, codes);
  const [failure] = counted.failures;
  if (failure && counted.failures.length === codes.length) throw failure.error;
  return counted;
}

/** Codes of a plan; with their slugs, which identify them in the result. */
export function codesOf(context: Context, { choice, names }: CountPlan): Promise<ChosenCodes> {
  return chooseLabels(context, names, choice, { isWanted: true });
}
