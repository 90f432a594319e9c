import { expect, it } from 'vitest';
import { checkCreate } from '../../src/bulk/check-rows.ts';
import { parseInput } from '../../src/bulk/read-input.ts';
import { createFailure, createResults, tabulate } from '../../src/bulk/results.ts';
import { done, run, worldOf } from '../once/world.ts';

/** More than a call takes arguments. */
const MANY = 140_000;

it('140,000 rows are read, checked, found, recorded and told like 140', async () => {
  const lines = Array.from({ length: MANY }, (_, n) => `Code ${n},https://example.com/${n}`);
  const input = await parseInput(Buffer.from(`name,destination\n${lines.join('\n')}\n`), 'codes.csv');
  const { rows } = checkCreate(input);
  const world = worldOf();
  for (const { code } of rows) world.service.add(code, 0);
  const first = await run(world, rows, { skipExisting: true });
  expect(first).toMatchObject(done);
  const again = await run(world, rows, { skipExisting: true });
  const results = createResults(again);
  expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(['exists']));
  expect(createFailure(again, results, rows, 'codes.results.csv')).toBeUndefined();
  expect(tabulate(input, results).rows).toHaveLength(MANY);
  expect([world.service.posts(), world.service.lists()]).toEqual([0, 1]);
});
