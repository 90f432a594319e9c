import fc from 'fast-check';
import { expect, it } from 'vitest';
import { firstIndex } from '#base/collections';

it('firstIndex finds the same index as a linear search', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 20 })),
      fc.integer({ min: -1, max: 21 }),
      (numbers, line) => {
        const sorted = numbers.sort((a, b) => a - b);
        const first = sorted.findIndex((value) => value >= line);
        const found = firstIndex(sorted.length, (at) => Number(sorted[at]) >= line);
        expect(found).toBe(first === -1 ? sorted.length : first);
      },
    ),
    { seed: 5 },
  );
});
