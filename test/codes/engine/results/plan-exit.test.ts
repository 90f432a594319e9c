/** Exit code, message and hint of a dry run. */
import { describe, expect, it } from 'vitest';
import { exitCodeOf } from '#base/errors';
import { baseOf } from '#codes/engine/plan/base';
import { groupQuestions, waysOf } from '#codes/engine/results/explain';
import { countRequests, failureOfPlan, reasonOfPlan } from '#codes/engine/results/run-failure';
import { newRow, codeOf as numbered, planOf as planRows, rowOf } from '../plan/make.ts';
import { codeOf, creation, itemOf, planOf, update } from './plan-builder.ts';

const exitOfPlan = (...plan: Parameters<typeof reasonOfPlan>) => reasonOfPlan(...plan).exit;

const menu = codeOf('menu');
const gone = itemOf(2, 'gone', { goneId: 'id-1' });
const exists = itemOf(2, 'exists', { code: menu });
const brake = {
  is: 'max-changes',
  message: 'the plan changes 12 codes, but only 11 are allowed',
  flag: '--max-changes 12',
} as const;

describe('the exit code of a dry run', () => {
  it('is 0 if nothing would change', () => {
    expect(exitOfPlan(planOf([]), 'apply')).toBe(0);
    expect(exitOfPlan(planOf([itemOf(2, 'unchanged', { code: menu })]), 'apply')).toBe(0);
    expect(exitOfPlan(planOf([exists]), 'create')).toBe(0);
    expect(exitOfPlan(planOf([itemOf(0, 'removed', { key: 'menu', code: menu })]), 'apply')).toBe(0);
    expect(failureOfPlan(planOf([exists]), 'create')).toBeUndefined();
  });

  it('is 8 if a run would change something', () => {
    for (const item of [
      creation(2),
      update(2, 'menu', 'new'),
      itemOf(2, 'delete', { code: menu }),
      itemOf(2, 'adopt', { code: menu }),
    ])
      expect(exitOfPlan(planOf([item]), 'apply')).toBe(8);
    expect(
      exitOfPlan(planOf([itemOf(0, 'removed', { key: 'menu', code: menu, isNews: true })]), 'apply'),
    ).toBe(8);
  });

  it('is 8 if `qr update` has a row whose code does not exist, or `qr create` has an edited row', () => {
    expect(exitOfPlan(planOf([gone]), 'update')).toBe(8);
    expect(exitOfPlan(planOf([itemOf(2, 'edited', { code: menu })]), 'create')).toBe(8);
  });

  it('is 9 if rows need decisions, even if other rows would change', () => {
    for (const item of [gone, exists, itemOf(2, 'undecided'), itemOf(2, 'conflict', { code: menu })])
      expect(exitOfPlan(planOf([creation(3), item]), 'apply')).toBe(9);
  });

  it("is 9 for a brake, and the error has the brake's message and hint", () => {
    const failure = failureOfPlan(planOf([update(2, 'menu', 'new')], { brakes: [brake] }), 'apply');
    expect(exitCodeOf(failure)).toBe(9);
    expect(failure).toMatchObject({
      message: brake.message,
      hint: 'If the plan is correct, add --max-changes 12.',
    });
  });

  it('comes with a single hint that has the flags for all brakes', () => {
    const shifted = {
      is: 'shifted',
      message: 'sorted',
      advice: 'Sort whole rows.',
      flag: '--force',
    } as const;
    expect(reasonOfPlan(planOf([], { brakes: [shifted, brake] }), 'apply')).toMatchObject({
      hint: 'Sort whole rows. If the plan is correct, add --force --max-changes 12.',
    });
  });

  it('comes with a message that counts the rows by problem, and a hint for each kind of decision', () => {
    const two = [itemOf(2, 'conflict', { code: menu }), itemOf(3, 'conflict', { code: menu })];
    expect(reasonOfPlan(planOf([{ ...gone, key: "o'hara" }, ...two]), 'apply')).toEqual({
      exit: 9,
      message: 'the code of 1 row does not exist, 2 rows conflict with changes on the service',
      hint:
        String.raw`To create a new code, add --as-new 'o'\''hara'. Otherwise, remove the row from the file. ` +
        'To send the values of the file, add --conflicts file. To keep the values of the service, add --conflicts service. For one row, enter mine or theirs in the column decision.',
    });
  });

  it('is 8 if rows would fail, and the message has their number', () => {
    const failing = [itemOf(2, 'failed'), itemOf(3, 'failed')];
    expect(reasonOfPlan(planOf([...failing, creation(4)]), 'create')).toMatchObject({
      exit: 8,
      message: '2 rows would fail',
    });
  });

  it.each([
    ['12', 'key:12'],
    ['2-5', 'key:2-5'],
    ['all', 'key:all'],
    ['key:a', 'key:key:a'],
    ['line:2', 'key:line:2'],
    ['12a', '12a'],
    ['a12', 'a12'],
    ['2-', '2-'],
    ['hall', 'hall'],
    ['alley', 'alley'],
    ['my-key:a', 'my-key:a'],
    ['two\nlines', 'KEY'],
  ])('comes with a hint that passes the key %j to --as-new as %s', (key, row) => {
    const { hint } = reasonOfPlan(planOf([{ ...exists, key }]), 'apply');
    expect(hint).toBe(
      `To assign the existing code, add --adopt-existing. To create a new code, add --as-new ${row}.`,
    );
  });

  it('comes with a hint that has the placeholder ROW for several rows or a duplicate', () => {
    const two = [exists, itemOf(3, 'exists', { code: codeOf('other') })];
    expect(reasonOfPlan(planOf(two), 'apply').hint).toBe(
      'To assign the existing codes, add --adopt-existing. To create a new code, add --as-new ROW.',
    );
    const uncertain = [itemOf(2, 'undecided'), itemOf(3, 'undecided')];
    expect(reasonOfPlan(planOf(uncertain), 'update').hint).toBe('To assign a code, add --adopt ROW=CODE.');
    const duplicate = itemOf(0, 'undecided', { candidates: [menu, codeOf('other')] });
    expect(reasonOfPlan(planOf([duplicate]), 'update').hint).toBe('To assign a code, add --adopt ROW=CODE.');
  });

  it('comes with one hint for uncertain and guessed rows, and with another hint for edited rows', () => {
    const guess = itemOf(3, 'edited', { code: menu, isForeign: true });
    const own = itemOf(4, 'edited', { code: menu });
    const uncertain = itemOf(2, 'undecided');
    const decided = 'To assign a code, add --adopt ROW=CODE. To create a new code, add --as-new ROW.';
    const hintOf = (...items: (typeof own)[]) =>
      waysOf(groupQuestions(items.map((item) => ({ item }))), 'create');
    expect(hintOf(uncertain, guess)).toEqual([decided]);
    const applied = 'To change the existing code, add --apply-edits. To create a new code, add --as-new 4.';
    for (const edited of [
      [guess, own],
      [own, guess],
    ])
      expect(hintOf(uncertain, ...edited)).toEqual([decided, applied]);
    expect(hintOf(own, itemOf(5, 'edited', { code: menu }))).toEqual([
      'To change the existing codes, add --apply-edits. To create a new code, add --as-new ROW.',
    ]);
  });

  it('comes with the hint --apply-edits for an edited row with an ID, and --adopt for a row without an ID', () => {
    const rows = [
      newRow(2, 'Code 2', 'https://new.example/'),
      rowOf(3, { of: numbered(1), base: baseOf(numbered(1)), wish: { name: 'New name' } }),
    ];
    const plan = planRows(rows, { codes: [numbered(1), numbered(2)] });
    expect(plan.items.map(({ action }) => action)).toEqual(['edited', 'edited']);
    expect(reasonOfPlan(plan, 'create')).toMatchObject({
      exit: 8,
      hint: 'To assign a code, add --adopt 2=CODE. To create a new code, add --as-new 2. To change the existing code, add --apply-edits. To create a new code, add --as-new 3.',
    });
  });

  it('comes with a hint that has only the next step if a code to delete was changed', () => {
    const nextStep = 'To delete a changed code, enter mine in the column decision, or save a new list.';
    const changed = itemOf(2, 'conflict', { code: menu, nextStep });
    expect(reasonOfPlan(planOf([changed]), 'delete').hint).toBe(nextStep);
  });

  it('is 8 if the code of a removed key must still be paused, and only such keys count as requests', () => {
    const removed = itemOf(0, 'removed', { key: 'menu', code: menu });
    const paused = { ...removed, send: { status: 'paused' } } as const;
    expect(exitOfPlan(planOf([paused]), 'apply')).toBe(8);
    expect(countRequests({ items: [removed, { ...removed, isNews: true }, paused] })).toBe(1);
  });

  it('comes with a message that counts a code with several rows once', () => {
    const rows = [update(2, 'menu', 'a'), update(3, 'menu', 'b'), update(4, 'other', 'c')];
    expect(reasonOfPlan(planOf(rows), 'update').message).toBe('a run would change 2 codes');
    expect(reasonOfPlan(planOf([]), 'update')).toEqual({ exit: 0, message: 'a run would change nothing' });
  });

  it('comes with an error that refers to the plan, unless there is a more specific hint', () => {
    const failure = failureOfPlan(planOf([creation(2)]), 'create');
    expect(exitCodeOf(failure)).toBe(8);
    expect(failure).toMatchObject({
      message: 'a run would change 1 code',
      hint: 'See the plan for the changes.',
    });
    expect(failureOfPlan(planOf([itemOf(2, 'failed')]), 'create')?.hint).toBe(
      'See the plan for the changes.',
    );
    expect(failureOfPlan(planOf([gone]), 'update')?.hint).toBe('Remove the row from the file.');
  });

  it('comes with a message that has the number of codes that a run would change', () => {
    expect(reasonOfPlan(planOf([creation(2), creation(3)]), 'create').message).toBe(
      'a run would change 2 codes',
    );
  });
});

describe('the number of requests in a plan', () => {
  it('is one per creation, change or deletion, and one more for the status of a new code', () => {
    const paused = { ...creation(4), send: { status: 'paused' } };
    const items = [
      creation(2),
      update(3, 'menu', 'new'),
      paused,
      itemOf(5, 'delete', { code: menu }),
      exists,
      gone,
    ];
    expect(countRequests({ items })).toBe(5);
  });
});
