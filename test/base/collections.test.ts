import fc from 'fast-check';
import { expect, it } from 'vitest';
import { partitionPoint } from '../../src/base/collections.ts';

it('finds the first that is not before, as one look after the other does', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 20 })),
      fc.integer({ min: -1, max: 21 }),
      (numbers, line) => {
        const items = numbers.sort((a, b) => a - b).map((value) => ({ value }));
        const first = items.findIndex(({ value }) => value >= line);
        expect(partitionPoint(items, ({ value }) => value < line)).toBe(first === -1 ? items.length : first);
      },
    ),
    { seed: 5 },
  );
});
