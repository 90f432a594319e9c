/** Items of a plan, as the judge of the model takes them. */
import type { PlanItem, Sending } from '#codes/engine/plan/model';
import type { PostRecord } from './memory-file.ts';

/** Stands for the request that a POST repeats, if the ledger has closed it. */
export function sendingOf(
  { n, run, values, key, replaces, again, status, decided }: PostRecord,
  firstIds: ReadonlySet<string>,
): Sending {
  return {
    n,
    run,
    values,
    key,
    replaces,
    again,
    status,
    decided: decided === true,
    firstIds,
    rowCode: undefined,
  };
}

/** Returns an item as a plan has it. */
export function itemOf(some: Partial<PlanItem>): PlanItem {
  return {
    changes: [],
    send: {},
    candidates: [],
    learned: [],
    isDecided: false,
    isWaiting: false,
    how: 'none',
    ...some,
  } as PlanItem;
}
