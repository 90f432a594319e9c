/** Makes the items of a plan. */
import type { CodeChanges } from '../../../service/shapes.ts';
import type { PlanAction, PlanItem, Row } from './model.ts';

/** Body of a PATCH that is not sent. */
export const NOTHING: CodeChanges = {};

/** Returns an item with these properties; all others are empty. */
export function itemOf(row: Row | undefined, action: PlanAction, rest: Partial<PlanItem> = {}): PlanItem {
  return {
    row,
    key: row?.key,
    action,
    how: 'none',
    code: undefined,
    goneId: undefined,
    goneSlug: undefined,
    changes: [],
    values: undefined,
    send: NOTHING,
    pause: undefined,
    isNews: false,
    repeats: undefined,
    isWaiting: false,
    isDecided: false,
    replaces: undefined,
    candidates: [],
    reason: undefined,
    learned: [],
    ...rest,
  };
}
