import { expect, it } from 'vitest';
import type { RowEnd } from '#codes/engine/executor/job';
import { resultOf } from '#commands/qr/rows/notes';
import { codeOf, newRow, planOf } from '../../../codes/engine/plan/make.ts';

it('the error for a row mentions a field that was kept and a field that the service stored differently', () => {
  const code = codeOf(1, { name: 'Table 4', destination: 'https://example.com/theirs' });
  const [item] = planOf([newRow(2, 'Table 4', 'https://example.com/theirs')], { codes: [code] }).items;
  if (!item) throw new Error('no item');
  const kept = {
    field: 'destination',
    old: code.destination ?? '',
    new: 'https://example.com/ours',
  } as const;
  const end: RowEnd = {
    item: { ...item, action: 'update', changes: [{ ...kept, base: undefined, what: 'keep' }] },
    outcome: 'updated',
    code,
    candidates: [],
    altered: [{ field: 'name', sent: ' Table  4', stored: 'Table 4' }],
  };
  const { error } = resultOf(end, 'create');
  expect(error).toContain('destination: the service has');
  expect(error).toContain('name: the service stored "Table 4"');
});
