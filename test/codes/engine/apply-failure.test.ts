import { expect, it } from 'vitest';
import { PartialError, UnprovenError } from '../../../src/base/errors.ts';
import { applyFailure } from '../../../src/codes/engine/apply-failure.ts';
import type { EndedItem } from '../../../src/codes/engine/lock-entries.ts';
import type { Action, PlanItem } from '../../../src/codes/engine/plan.ts';
import { planOf } from './plan-world.ts';

function endOf(key: string, action: Action, outcome: EndedItem['outcome'], more: Partial<EndedItem> & Partial<PlanItem> = {}) {
  const { error, changes = [] } = more;
  const item = { key, action, changes, row: undefined, entry: undefined, code: undefined, candidates: [], isNews: false };
  return { item, outcome, error, candidates: [], code: undefined };
}

/** Class, message and hint of the failure of a run that ended so. */
function failureOf(ended: EndedItem[], stop?: unknown) {
  const items = ended.map(({ item }) => item);
  const failure = applyFailure({ ended, stop, plan: { ...planOf([], [], []), items } });
  if (!(failure instanceof PartialError || failure instanceof UnprovenError)) return failure;
  return [failure.constructor, failure.message, failure.hint];
}

const change = { field: 'name' as const, old: 'old', new: 'new', isEdited: true, isKept: false };

it('is none if nothing failed, nothing was left to the user, and no edit was kept (Y23)', () => {
  expect(failureOf([])).toBeUndefined();
  expect(failureOf([endOf('a', 'create', 'created'), endOf('b', 'edited', 'updated', { changes: [change] })])).toBeUndefined();
});

it('is the reason why the run stopped, whatever else happened', () => {
  const stop = new Error('stopped');
  expect(failureOf([endOf('a', 'gone', 'undecided'), endOf('b', 'create', 'failed')], stop)).toBe(stop);
});

it('names the key that needs a decision, and the decisions that are possible', () => {
  const gone = endOf('a', 'gone', 'undecided');
  const asked = endOf('b', 'undecided', 'undecided');
  const recreated = endOf('c', 'gone', 'created');
  expect(failureOf([recreated, endOf('d', 'create', 'failed'), asked])).toEqual([
    UnprovenError,
    'the key "b" needs your decision',
    'If the code already exists, add --adopt KEY=CODE. To create a new code, add --recreate KEY.',
  ]);
  expect(failureOf([asked, gone])).toEqual([
    UnprovenError,
    '2 keys need your decision',
    'If the code already exists, add --adopt KEY=CODE. To create a new code, add --recreate KEY. If you deleted the code on purpose, remove its row.',
  ]);
});

it('counts the keys that failed or were not attempted, and names the first with its reason', () => {
  const hint = 'Run the same command again to retry. The output lists the reasons.';
  const [done, failed] = [endOf('a', 'create', 'created'), endOf('b', 'update', 'failed', { error: 'bad name' })];
  const left = endOf('c', 'create', 'not-attempted');
  expect(failureOf([done, failed, left])).toEqual([PartialError, '2 of 3 keys failed: "b": bad name', hint]);
  expect(failureOf([done, left])).toEqual([PartialError, '1 of 2 keys failed: "c": not attempted', hint]);
});

it('counts the keys whose edits were kept', () => {
  const kept = endOf('a', 'edited', 'edited', { changes: [change, { ...change, isKept: true }] });
  expect(failureOf([kept, endOf('b', 'edited', 'updated', { changes: [change] })])).toEqual([
    PartialError,
    "kept another client's edits to 1 key",
    'Copy the edits to the file, or omit --keep-edits to overwrite them.',
  ]);
});
