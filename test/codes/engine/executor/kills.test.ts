import { describe, expect, it } from 'vitest';
import { firstRows } from '../../../support/property-runs.ts';
import { newRow, rowOf } from '../plan/make.ts';
import { createWorld, type Mishap, namesOf, outcomesOf, type WorldOptions, writesOf } from './world.ts';

const ROWS = [
  newRow(2, 'Menu', 'https://example.com/menu'),
  newRow(3, 'Table', 'https://example.com/table'),
  newRow(4, 'Table', 'https://example.com/table'),
  rowOf(5, { wish: { name: 'Bar', destination: 'https://example.com/bar', status: 'paused' } }),
  newRow(6, 'Door', 'https://example.com/door'),
];

const NAMES = ['Bar', 'Door', 'Menu', 'Table', 'Table'];

const MISHAPS: readonly (readonly [string, readonly Mishap[]])[] = [
  ['every response arrives', []],
  ['a response is lost after the code was created', ['none', 'applied']],
  ['a request is lost', ['none', 'drop']],
  ['a code appears later than its lost response', ['late', 'none', 'applied']],
  ['the first five requests or responses are lost', ['drop', 'applied', 'late', 'late', 'drop']],
];

/** Kills a first run at each of its steps, completes the work with further runs, and compares. */
async function killEverywhere(options: WorldOptions, concurrency: number): Promise<number> {
  for (let killAt = 0; ; killAt++) {
    const world = createWorld(options);
    const first = await world.run(ROWS, { concurrency }, killAt);
    await world.time.advance(6000);
    const second = await world.run(ROWS, { concurrency });
    expect(second?.stop, `killed at ${killAt}`).toBeUndefined();
    expect(namesOf(world).sort(), `killed at ${killAt}`).toEqual(NAMES);
    expect(world.codes().flatMap(({ name, status }) => (status === 'paused' ? name : []))).toEqual(['Bar']);
    const last = await world.run(ROWS, { concurrency });
    expect(writesOf(world), `killed at ${killAt}`).toEqual([]);
    expect(new Set(outcomesOf(last)), `killed at ${killAt}`).toEqual(new Set(['unchanged']));
    if (first) return killAt;
  }
}

describe.each(MISHAPS)('if %s', (_name, mishaps) => {
  const post = (n: number) => mishaps[n] ?? 'none';

  it.each(firstRows(1, [3, 1]))(
    'with %i requests in flight, a run killed at any step leaves one code per row after the next run',
    async (width) => {
      expect(await killEverywhere({ post }, width)).toBeGreaterThan(20);
    },
  );

  it('a run killed at any step leaves one code per row after the next run, even if a power cut removes the last outcomes from the ledger', async () => {
    expect(await killEverywhere({ post, losesNotes: true }, 2)).toBeGreaterThan(20);
  });
});
