import { expect, it } from 'vitest';
import { newRow, planOf } from './make.ts';

it('what is odd about the row of a new code is not said twice', () => {
  const odd = newRow(2, 'Call', 'tel:1');
  expect(planOf([odd]).warnings).toEqual([]);
  expect(planOf([{ ...odd, key: '1' }], { policy: { verb: 'apply' } }).warnings).toHaveLength(1);
});

it.each(['update', 'delete'] as const)('a row that specifies no code never makes one (%s)', (verb) => {
  const { items, faults } = planOf([newRow(2, 'Menu', 'https://x.de/')], { policy: { verb } });
  expect([items.map(({ action, reason }) => [action, reason]), faults]).toEqual([
    [['unchanged', 'an earlier run created no code for it']],
    [],
  ]);
});
