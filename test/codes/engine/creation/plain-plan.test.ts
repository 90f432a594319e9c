import fc from 'fast-check';
import { expect, it } from 'vitest';
import { planInput } from '../../../../src/codes/engine/creation/input-plan.ts';
import type { JournalRecord } from '../../../../src/codes/engine/creation/journal-records.ts';
import type { NewRow } from '../../../../src/codes/engine/creation/new-row.ts';
import { planPlainly } from '../../../../src/codes/engine/creation/plain-plan.ts';
import { type RowStates, replay } from '../../../../src/codes/engine/creation/row-states.ts';
import { runs } from '../../../support/property-runs.ts';

/** A row for each letter; alike where letters are, but for the user's own column where they are of other case. */
function rowsOf(letters: readonly string[]): NewRow[] {
  return letters.map((letter, place) => ({
    ...{ row: place + 1, line: place + 2, values: new Map([['name', letter]]), own: ['name'] },
    code: { name: letter.toLowerCase(), destination: 'https://example.com' },
  }));
}

const stamp = { t: 1, w: 2, b: 3 };

/** What may become of an entry. */
const outcomesOf = (row: number, id: string): Readonly<Record<string, JournalRecord[]>> => ({
  none: [],
  created: [{ is: 'created', row, id, slug: id, at: 'soon', ...stamp }],
  lost: [{ is: 'intent', row, ...stamp }],
  rejected: [{ is: 'rejected', row, error: 'no', ...stamp }],
});

function learn(states: RowStates, records: readonly JournalRecord[]): void {
  for (const record of records) states.take(record);
}

const letter = fc.constantFrom('a', 'A', 'b', 'B', 'c');
const step = fc.record({
  letters: fc.option(fc.array(letter, { maxLength: 5 }), { nil: undefined }),
  outcomes: fc.array(fc.constantFrom('none', 'created', 'lost', 'rejected'), { minLength: 5, maxLength: 5 }),
});

it('is the plan that recognizing makes, wherever it is one', () => {
  let plain = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 2, maxLength: 5 }), (steps) => {
      const states = replay([{ is: 'session', ...stamp }]);
      let rows = rowsOf([]);
      for (const [run, { letters, outcomes }] of steps.entries()) {
        if (letters) rows = rowsOf(letters);
        const recognized = planInput(rows, states);
        const plan = planPlainly(rows, states);
        if (plan) expect({ ...plan, rows: [...plan.rows] }).toEqual({ ...recognized, rows: [...recognized.rows] });
        if (plan) plain += 1;
        learn(states, recognized.records);
        for (const [at, { row, id }] of states.all().entries())
          if (id === undefined) learn(states, outcomesOf(row, `${run}-${row}`)[outcomes[at] ?? 'none'] ?? []);
      }
    }),
    runs(300),
  );
  expect(plain).toBeGreaterThan(300);
});

it('is that of a run that goes on, also where the journal knows nothing yet', () => {
  const states = replay([{ is: 'session', ...stamp }]);
  const rows = rowsOf(['b', 'a', 'B']);
  const first = planPlainly(rows, states);
  expect(first?.records).toMatchObject([{ is: 'entries', first: 1, seen: [{ name: 'b' }, { name: 'a' }, { name: 'b' }] }]);
  learn(states, first?.records ?? []);
  const again = planPlainly(rows, states);
  expect(Array.from(again?.rows ?? [], ({ entry }) => entry)).toEqual([1, 2, 3]);
  expect(again?.records).toEqual([]);
  for (const others of [
    ['a', 'b', 'B'],
    ['b', 'a'],
    ['b', 'a', 'B', 'c'],
    ['b', 'a', 'b'],
  ])
    expect(planPlainly(rowsOf(others), states)).toBeUndefined();
  const [seen] = first?.records.flatMap((record) => (record.is === 'entries' ? record.seen : [])) ?? [];
  if (seen) learn(states, [{ is: 'entries', first: 1, seen: [{ ...seen, name: 'its code has another' }] }]);
  expect(planPlainly(rows, states)).toBeUndefined();
});

it('takes recognizing if an earlier input had no rows, or if a row is gone that may have a code', () => {
  const empty = replay([
    { is: 'session', ...stamp },
    { is: 'order', runs: [] },
  ]);
  expect(planPlainly(rowsOf(['a']), empty)).toBeUndefined();
  for (const [outcome, isPlain] of [
    ['created', false],
    ['lost', false],
    ['none', true],
    ['rejected', true],
  ] as const) {
    const states = replay([{ is: 'session', ...stamp }]);
    learn(states, planPlainly(rowsOf(['a', 'b']), states)?.records ?? []);
    learn(states, outcomesOf(2, 'x')[outcome] ?? []);
    learn(states, [{ is: 'order', runs: [1, 1] }]);
    expect(planPlainly(rowsOf(['a']), states) !== undefined, outcome).toBe(isPlain);
    expect(planPlainly(rowsOf(['b']), states), outcome).toBeUndefined();
  }
});
