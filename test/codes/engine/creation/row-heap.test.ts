import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createRowHeap } from '../../../../src/codes/engine/creation/row-heap.ts';

it('gives rows back by the end of their time, then by their number', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 9 })), (ends) => {
      const heap = createRowHeap<{ row: number; bounds: { toMs: number } }>();
      const rows = ends.map((toMs, row) => ({ row, bounds: { toMs } }));
      for (const row of rows.toReversed()) heap.push(row);
      for (const row of rows.sort((a, b) => a.bounds.toMs - b.bounds.toMs || a.row - b.row)) {
        expect(heap.endMs()).toBe(row.bounds.toMs);
        expect(heap.pop()).toBe(row);
      }
      expect([heap.endMs(), heap.pop()]).toEqual([Number.POSITIVE_INFINITY, undefined]);
    }),
    { seed: 5 },
  );
});
