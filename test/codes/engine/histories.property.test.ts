import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Mishap } from '../../support/model-service/codes.ts';
import { runs, SOAK } from '../../support/property-runs.ts';
import { createTally, playHistory, type Run, type Step } from './history-model.ts';

const small = fc.nat({ max: 12 });
const field = fc.constantFrom('name' as const, 'destination' as const, 'status' as const);
const of = <const D extends string>(...names: D[]) => fc.constantFrom(...names);
const optional = <T>(arbitrary: fc.Arbitrary<T>, freq: number) => fc.option(arbitrary, { freq, nil: undefined });

const edits: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: of('add'), at: small, name: small, place: small }) },
  { weight: 6, arbitrary: fc.record({ do: of('edit'), at: small, field, value: small }) },
  { weight: 1, arbitrary: fc.record({ do: of('clear'), at: small, field: of('destination', 'status') }) },
  { weight: 4, arbitrary: fc.record({ do: of('remove', 'restore', 'rename'), at: small }) },
  { weight: 1, arbitrary: fc.record({ do: of('sort'), by: small }) },
  { weight: 1, arbitrary: fc.record({ do: of('re-save') }) },
  { weight: 3, arbitrary: fc.record({ do: of('by hand'), at: small, field, value: small }) },
  { weight: 1, arbitrary: fc.record({ do: of('delete by hand'), at: small }) },
  { weight: 2, arbitrary: fc.record({ do: of('create by hand'), at: small, name: small, place: small, alike: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: of('lose lock', 'lose journal', 'old lock') }) },
  { weight: 5, arbitrary: fc.record({ do: of('branch', 'switch') }) },
  { weight: 3, arbitrary: fc.record({ do: of('merge'), lines: of('ours', 'theirs', 'both') }) },
);
const mishaps = fc.array(of<Mishap>('none', 'none', 'none', 'drop', 'applied', 'late', 'limited', 'refused', 'rejected'), {
  maxLength: 6,
});
const kill = fc.record(
  {
    step: fc.integer({ min: 0, max: 30 }),
    fault: of('end-before', 'end-within', 'end-after'),
    keep: fc.constantFrom(0, 0.5, 1),
  },
  { requiredKeys: ['step', 'fault'] },
);
const run: fc.Arbitrary<Run> = fc
  .record({
    do: of('run'),
    kill: optional(kill, 4),
    cut: optional(fc.record({ request: fc.integer({ min: 1, max: 8 }), answered: fc.boolean() }), 3),
    mishaps,
    keepEdits: optional(fc.constant(true), 5),
    pause: optional(fc.constant(true), 2),
    most: optional(fc.nat({ max: 2 }), 8),
    decides: fc.boolean(),
  })
  .map((step) => JSON.parse(JSON.stringify(step)));
/** Two branches that add rows which say the same under two keys, and a merge that keeps the lines of both. */
const branched: Step[] = [
  { do: 'add', at: 0, name: 0, place: 0 },
  { do: 'run' },
  { do: 'branch' },
  { do: 'edit', at: 0, field: 'name', value: 2 },
  { do: 'add', at: 0, name: 1, place: 1 },
  { do: 'run' },
  { do: 'switch' },
  { do: 'edit', at: 0, field: 'name', value: 3 },
  { do: 'add', at: 0, name: 1, place: 1 },
  { do: 'run' },
  { do: 'merge', lines: 'both' },
];
const free = fc.array(fc.oneof<fc.WeightedArbitrary<Step>[]>({ weight: 5, arbitrary: edits }, { weight: 4, arbitrary: run }), {
  minLength: 4,
  maxLength: 40,
});
const steps = fc.tuple(free, fc.nat({ max: 9 })).map(([all, n]) => (n === 0 ? [...branched, ...all] : all));

describe('whatever people do to a file, its lock file and its codes, and wherever it is killed', () => {
  it('no key gets a second code, nothing unmanaged is touched, and 0 means that all agree (Y6, Y7, Y8, Y13, Y22)', async () => {
    const tally = createTally();
    await fc.assert(
      fc.asyncProperty(steps, (history) => playHistory(history, tally)),
      runs(120, 20_000),
    );
    if (SOAK) console.log(Object.fromEntries(tally.steps), Object.fromEntries(tally.outcomes), Object.fromEntries(tally.exits));
    // What is not tried proves nothing.
    for (const exit of ['0', '7', '8', '9', 'killed', 'contradicting lock']) expect(tally.exits.has(exit), exit).toBe(true);
  }, 7_200_000);
});
