import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Mishap } from '../../../support/model-service/codes.ts';
import { runs, SOAK } from '../../../support/property-runs.ts';
import { createTally, playHistory, type Run, type Step } from './history-model.ts';

const small = fc.nat({ max: 30 });
const few = fc.nat({ max: 5 });
const maybe = fc.option(few, { nil: undefined });
const edits: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('insert' as const), at: small, name: few, destination: few, own: small }) },
  {
    weight: 5,
    arbitrary: fc
      .record({
        do: fc.constant('edit' as const),
        at: small,
        name: maybe,
        destination: maybe,
        type: fc.constant(undefined),
        own: maybe,
      })
      .map((step) => JSON.parse(JSON.stringify(step))),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('edit' as const), at: small, type: few }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('delete' as const, 'duplicate' as const, 'restore' as const),
      at: small,
      to: small,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('sort' as const), by: few }) },
  { weight: 1, arbitrary: fc.constant({ do: 're-save' as const }) },
);
const mishaps = fc.array(fc.constantFrom<Mishap>('none', 'none', 'none', 'drop', 'applied', 'limited', 'refused', 'rejected'), {
  maxLength: 6,
});
const kill = fc.record(
  {
    step: fc.integer({ min: 0, max: 25 }),
    fault: fc.constantFrom('end-before' as const, 'end-within' as const, 'end-after' as const),
    keep: fc.constantFrom(0, 0.5, 1),
  },
  { requiredKeys: ['step', 'fault'] },
);
const run: fc.Arbitrary<Run> = fc
  .record(
    {
      do: fc.constant('run' as const),
      machine: fc.constantFrom(0 as const, 0 as const, 0 as const, 0 as const, 1 as const),
      fresh: fc.oneof(
        { weight: 12, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: fc.constantFrom('with results' as const, 'without results' as const) },
      ),
      word: fc.constantFrom(undefined, undefined, 'apply' as const, 'truth' as const),
      dry: fc.oneof({ weight: 8, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
      kill: fc.option(kill, { freq: 4, nil: undefined }),
      cut: fc.option(fc.record({ request: fc.integer({ min: 1, max: 6 }), answered: fc.boolean() }), { freq: 3, nil: undefined }),
      mishaps,
    },
    { requiredKeys: ['do', 'machine'] },
  )
  .map((step) => JSON.parse(JSON.stringify(step)));
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof<fc.WeightedArbitrary<Step>[]>(
    { weight: 6, arbitrary: edits },
    { weight: 4, arbitrary: run },
    { weight: 1, arbitrary: fc.constantFrom<Step>({ do: 'rotate key' }, { do: 'other workspace' }) },
  ),
  { minLength: 4, maxLength: 40 },
);

/** Mostly there is one machine, which keeps its journal. */
function onOne(step: Step): Step {
  return step.do === 'run' ? { ...step, machine: 0, fresh: undefined } : step;
}

describe('whatever people do to a spreadsheet, and wherever it is killed', () => {
  it('no code is made twice, no edit is lost without a word, and 0 means that file and service agree (O14, O31, O34, O35)', async () => {
    const tally = createTally();
    await fc.assert(
      fc.asyncProperty(fc.boolean(), steps, (isAlone, history) => playHistory(isAlone ? history.map(onOne) : history, tally)),
      runs(100, 10_000),
    );
    if (SOAK) console.log('rows', Object.fromEntries(tally.outcomes), 'runs', Object.fromEntries(tally.exits));
    // What is not tried proves nothing.
    for (const outcome of ['created', 'adopted', 'exists', 'updated', 'edited']) expect(tally.outcomes.has(outcome)).toBe(true);
  }, 7_200_000);

  it('a row that was sent, removed and restored before its outcome was known is no edit (O34)', async () => {
    const insert: Step = { do: 'insert', at: 0, name: 0, destination: 0, own: 0 };
    const kill: Run = { do: 'run', machine: 0, kill: { step: 7, fault: 'end-before' } };
    const run: Run = { do: 'run', machine: 0 };
    await playHistory([run, insert, kill, { do: 'delete', at: 0, to: 0 }, run, { do: 'restore', at: 0, to: 0 }], createTally());
  });
});
