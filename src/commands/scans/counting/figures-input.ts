/** Turns a count into the input of its figures. */
import type { FiguresOptions } from '../../../stats/figures.ts';
import type { CountedCodes } from './count-scans.ts';
import type { CountPlan } from './plan-count.ts';

/** Returns the input, with the codes that could be counted; `top` as in FiguresOptions. */
export function figuresInput({ local }: CountPlan, counted: CountedCodes, top: number | undefined): FiguresOptions {
  const { current, span, before, data, names, codeGroups, nowMs } = counted;
  const failed = new Set(counted.failures.map(({ code }) => code.id));
  return {
    ...{ current, span, before, data, names, codeGroups, nowMs, top },
    codes: counted.codes?.filter(({ id }) => !failed.has(id)).map(({ id, slug }) => slug ?? id),
    ...{ timezone: local.zone, offsetAt: local.offsetMs },
  };
}
