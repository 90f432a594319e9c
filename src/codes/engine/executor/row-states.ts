import type { Plan, PlanAction, PlanItem, Row } from '#codes/engine/plan/model';
import { hasChanges } from '#codes/engine/plan/values';
import type { RowOutcome } from '#codes/input/outcomes';
import type { QrCode } from '#service/shapes';
import type { Altered, RowEnd } from './job.ts';

export interface RowState {
  item: PlanItem;
  outcome?: RowOutcome;
  error?: string;
  code?: QrCode;
  altered: Altered[];
  isPosted: boolean;
  isUnclear: boolean;
}

export type RowStates = ReturnType<typeof createRowStates>;

const FOUND: ReadonlySet<PlanAction> = new Set(['unchanged', 'adopt', 'exists']);

export function createRowStates() {
  const states = new Map<number | string, RowState>();
  const keyOf = ({ row, key }: PlanItem) => row?.row ?? key ?? '';
  const stateOf = (item: PlanItem) => states.get(keyOf(item));
  return {
    of(item: PlanItem): RowState {
      const fresh = { item, code: item.code, altered: [], isPosted: false, isUnclear: false };
      const state: RowState = stateOf(item) ?? fresh;
      states.set(keyOf(item), state);
      state.item = item;
      return state;
    },
    due: ({ items }: Plan) =>
      items.filter((item) => isWork(item) && !item.isWaiting && stateOf(item)?.outcome === undefined),
    /** Adds ID and slug of a row's code, so that no equal row gets it. Marks failed rows without a code. */
    named: (rows: readonly Row[]): Row[] =>
      rows.map((row) => {
        const { code, isPosted, outcome } = states.get(row.row) ?? {};
        if (!code) return outcome === 'failed' ? { ...row, inRun: 'failed' } : row;
        const own = isPosted ? { base: undefined, decision: undefined } : {};
        return { ...row, ...own, id: code.id.toLowerCase(), slug: code.slug, inRun: 'named' };
      }),
    recognize({ items }: Plan): PlanItem[] {
      const found: PlanItem[] = [];
      for (const item of items) {
        const state = stateOf(item);
        if (!state?.isUnclear || item.action === 'create') continue;
        Object.assign(state, { isUnclear: false, error: undefined, code: item.code });
        if (!FOUND.has(item.action)) continue;
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

export function isWork({ action, send }: PlanItem): boolean {
  return action === 'create' || action === 'delete' || hasChanges(send);
}

/** Returns a row's result: `undecided` if the last plan says so, even if its request succeeded. */
function endOf(item: PlanItem, state: RowState | undefined): RowEnd {
  const { action, candidates } = item;
  const code = state?.code ?? item.code;
  const { altered = [], error } = state ?? {};
  if (action === 'undecided') return { item, outcome: 'undecided', code, candidates, altered };
  if (state?.outcome !== undefined)
    return { item: state.item, outcome: state.outcome, error, code, candidates: [], altered };
  const outcome = state?.isUnclear ? 'failed' : OUTCOME_OF[action];
  return { item, outcome, error, code, candidates, altered };
}

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
