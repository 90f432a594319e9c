import { describe, expect, it } from 'vitest';
import { createPageMerger, InconsistentPagesError, oldestFirst } from '#scans/export/paginate';
import { idsOf, page, START } from './reading.ts';

describe('a page merger', () => {
  it('releases rows once a row with a later time arrives, and keeps rows with the newest time pending (C4)', () => {
    const merger = createPageMerger();
    const { rows, times } = merger.add(page([1, 2, 4], { times: [1, 2, 2] }), 0);
    expect({ ids: idsOf({ rows }), times }).toEqual({ ids: [1], times: [START + 1000] });
    // One of the pending rows is repeated, and one of their instant is new: it takes its place by its id.
    expect(idsOf(merger.add(page([4, 3, 5], { times: [2, 2, 3] }), 2))).toEqual([2, 3, 4]);
    expect(merger.count()).toBe(5);
    expect(merger.rest().times).toEqual([START + 3000]);
    expect(idsOf(merger.rest())).toEqual([5]);
  });

  it('keeps rows with the same time pending over several pages, and releases them sorted by ID (C4)', () => {
    const merger = createPageMerger();
    const at = (ids: number[], times: number[]) => page(ids, { times });
    merger.add(at([1, 9], [1, 2]), 0);
    expect(merger.add(at([5, 3], [2, 2]), 2)).toEqual({ rows: [], times: [] });
    // A page that repeats what is pending, and brings nothing.
    expect(merger.add(at([5, 3], [2, 2]), 2)).toEqual({ rows: [], times: [] });
    expect(idsOf(merger.add(at([4, 8], [2, 3]), 4))).toEqual([3, 4, 5, 9]);
    expect(idsOf(merger.rest())).toEqual([8]);
  });

  it('keeps rows with the newest time pending if they arrive one by one, and releases each of them once (C4)', () => {
    const at = (ids: number[], times: number[]) => page(ids, { times });
    const merger = createPageMerger();
    merger.add(at([1, 2], [1, 1]), 0);
    expect(idsOf(merger.add(at([2, 3], [1, 1]), 1))).toEqual([]);
    expect(idsOf(merger.add(at([2, 3, 4], [1, 1, 1]), 1))).toEqual([]);
    expect(idsOf(merger.rest())).toEqual([1, 2, 3, 4]);
  });

  it('counts released rows on later pages as merged, and does not release them again', () => {
    const merger = createPageMerger();
    merger.add(page([1, 2, 3]), 0);
    expect(idsOf(merger.add(page([2, 3, 4]), 1))).toEqual([3]);
    expect(idsOf(merger.rest())).toEqual([4]);
  });

  it('accepts pages whose rows are in either order', () => {
    const merger = createPageMerger();
    expect(idsOf(merger.add(page([3, 2, 1]), 0))).toEqual([1, 2]);
    expect(idsOf(merger.add(page([5, 4]), 3))).toEqual([3, 4]);
    expect(idsOf(merger.rest())).toEqual([5]);
  });

  it('reports how many rows are missing before a page', () => {
    const merger = createPageMerger();
    merger.add(page([1]), 0);
    expect(() => merger.add(page([4]), 3)).toThrow(
      new InconsistentPagesError('2 rows missing between two pages'),
    );
  });

  it.each([
    ['repeats fewer rows than its offset implies', [3, 4], 1],
    ['repeats more rows than its offset implies', [1, 2, 3], 1],
    ['repeats rows although its offset implies none', [2, 3], 2],
  ])('refuses a page that %s, because rows moved between two pages (C3)', (_, ids, rank) => {
    const merger = createPageMerger();
    merger.add(page([1, 2]), 0);
    expect(() => merger.add(page(ids), rank)).toThrow(
      new InconsistentPagesError('rows moved between two pages'),
    );
  });

  it('refuses a page with a repeated row (C5)', () => {
    expect(() => createPageMerger().add(page([1, 2, 2, 3]), 0)).toThrow(
      new InconsistentPagesError('a page contains the same row twice'),
    );
    expect(() => createPageMerger().add(page([3, 1, 2, 3, 4]), 0)).toThrow(
      new InconsistentPagesError('a page contains the same row twice'),
    );
  });
});

describe('oldestFirst', () => {
  it('sorts rows by time, and rows with the same time by ID, even IDs beyond 2^53', () => {
    const ids = [5n, 3, 9_007_199_254_740_993n, 9_007_199_254_740_992n];
    const rows = ids.map((id, i) => ({ ...page([1]).rows[0], id, ts: String(i) })) as ReturnType<
      typeof page
    >['rows'];
    const expected = [9_007_199_254_740_992n, 9_007_199_254_740_993n, 3, 5n];
    expect(oldestFirst({ rows, times: [2, 2, 1, 1] }).rows.map(({ id }) => id)).toEqual(expected);
  });

  it('returns the same array if its rows are sorted', () => {
    const ordered = page([1, 2, 3]);
    expect(oldestFirst(ordered).rows).toBe(ordered.rows);
  });
});
