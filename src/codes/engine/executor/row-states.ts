/** States of the rows of one run: what was done for each, and how it ended. */
import type { QrCode } from '../../../service/shapes.ts';
import type { RowOutcome } from '../../input/outcomes.ts';
import type { Plan, PlanAction, PlanItem, Row } from '../plan/model.ts';
import { hasChanges } from '../plan/values.ts';
import type { Altered, RowEnd } from './job.ts';

/** Row for which something was sent in this run. */
export interface RowState {
  item: PlanItem;
  /** Undefined while it may be sent again. */
  outcome: RowOutcome | undefined;
  error: string | undefined;
  code: QrCode | undefined;
  altered: Altered[];
  isPosted: boolean;
  /** The response to its newest POST was lost, and its code was not found yet. */
  isUnclear: boolean;
}

export type RowStates = ReturnType<typeof createRowStates>;

/** Outcomes of rows whose code was found after the response to their POST was lost, and has their values. */
const FOUND: ReadonlySet<PlanAction> = new Set(['unchanged', 'adopt', 'exists']);

export function createRowStates() {
  /** By the number of the row, or by the key that was removed. */
  const states = new Map<number | string, RowState>();
  const keyOf = ({ row, key }: PlanItem) => row?.row ?? key ?? '';
  const stateOf = (item: PlanItem) => states.get(keyOf(item));
  return {
    of(item: PlanItem): RowState {
      const fresh = { item, outcome: undefined, error: undefined, code: item.code };
      const state = stateOf(item) ?? { ...fresh, altered: [], isPosted: false, isUnclear: false };
      states.set(keyOf(item), state);
      state.item = item;
      return state;
    },
    due: ({ items }: Plan) =>
      items.filter((item) => isWork(item) && !item.isWaiting && stateOf(item)?.outcome === undefined),
    /** Returns the rows for another plan: those that were sent and have a code name it, so that no row with equal values is taken for them. */
    named: (rows: readonly Row[]): Row[] =>
      rows.map((row) => {
        const { code, isPosted } = states.get(row.row) ?? {};
        if (!code) return row;
        // What a row says of another code does not hold for its new one.
        const own = isPosted ? { base: undefined, decision: undefined } : {};
        return { ...row, ...own, id: code.id.toLowerCase(), slug: code.slug };
      }),
    /** Ends the unclear rows that have their code according to a plan made after the visibility delay; returns them. */
    recognize({ items }: Plan): PlanItem[] {
      const found: PlanItem[] = [];
      for (const item of items) {
        const state = stateOf(item);
        if (!state?.isUnclear || item.action === 'create') continue;
        Object.assign(state, { isUnclear: false, error: undefined, code: item.code });
        if (!item.code || !FOUND.has(item.action)) continue;
        state.outcome = 'created';
        found.push(item);
      }
      return found;
    },
    areUnclear: () =>
      [...states.values()].some(({ isUnclear, outcome }) => isUnclear && outcome === undefined),
    ended: () => [...states.values()].filter(({ outcome }) => outcome !== undefined).length,
    ends: ({ items }: Plan) => items.map((item) => endOf(item, stateOf(item))),
  };
}

/** Returns whether a request is sent for an item. */
export function isWork({ action, code, values, send }: PlanItem): boolean {
  if (action === 'create') return values !== undefined;
  if (action === 'delete') return code !== undefined;
  return (
    code !== undefined &&
    (action === 'update' || action === 'adopt' || action === 'removed') &&
    hasChanges(send)
  );
}

/** A duplicate that appeared later counts more than what was done before. */
function endOf(item: PlanItem, state: RowState | undefined): RowEnd {
  const { action, candidates } = item;
  const code = state?.code ?? item.code;
  const { altered = [], error } = state ?? {};
  if (action === 'undecided' && candidates.length > 0)
    return { item, outcome: 'undecided', error: undefined, code, candidates, altered };
  if (state?.outcome !== undefined)
    return { item: state.item, outcome: state.outcome, error, code, candidates: [], altered };
  const outcome = state?.isUnclear ? 'failed' : OUTCOME_OF[action];
  return { item, outcome, error, code, candidates, altered };
}

/** Outcomes of rows for which nothing was sent. */
const OUTCOME_OF: Readonly<Record<PlanAction, RowOutcome>> = {
  create: 'not-attempted',
  update: 'not-attempted',
  delete: 'not-attempted',
  adopt: 'adopted',
  unchanged: 'unchanged',
  deleted: 'deleted',
  exists: 'exists',
  edited: 'edited',
  conflict: 'conflict',
  gone: 'gone',
  undecided: 'undecided',
  failed: 'failed',
  later: 'later',
  removed: 'unchanged',
};
