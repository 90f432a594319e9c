import { expect, it } from 'vitest';
import { codeOf, newRow, planOf } from './make.ts';

it('the plan does not repeat a warning about the row of a new code', () => {
  const odd = newRow(2, 'Call', 'tel:1');
  expect(planOf([odd]).warnings).toEqual([]);
  expect(planOf([{ ...odd, key: '1' }], { policy: { verb: 'apply' } }).warnings).toHaveLength(1);
});

it.each(['update', 'delete'] as const)('a row that specifies no code never creates one (%s)', (verb) => {
  const { items, faults } = planOf([newRow(2, 'Menu', 'https://x.de/')], { policy: { verb } });
  expect([items.map(({ action, reason }) => [action, reason]), faults]).toEqual([
    [['unchanged', 'an earlier run created no code for it']],
    [],
  ]);
});

it('a renamed row counts as edited even if all other rows of a copied sheet were edited too (E4)', () => {
  const codes = [codeOf(1), codeOf(2)];
  const rows = [
    newRow(2, 'Code 1', 'https://example.com/new'),
    newRow(3, 'Renamed', 'https://example.com/2'),
  ];
  expect(planOf(rows, { codes }).items).toMatchObject([
    { action: 'edited', code: { id: codes[0]?.id } },
    { action: 'edited', code: { id: codes[1]?.id } },
  ]);
});
