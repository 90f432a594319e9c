import { describe, expect, it } from 'vitest';
import { MovedError } from '../../src/complete/assembly.ts';
import { walk } from '../../src/complete/walk.ts';
import type { ScanPage } from '../../src/service/shapes.ts';
import { answers, collect, page, reading } from './reading.ts';

/** Walks pages of two rows: `first` is page 1, `script` answers what is asked for next. */
function walked(first: ScanPage, script: (ScanPage | Error)[], { order = 'ascending' as const, width = 1 } = {}) {
  const { read, asked } = answers(...script);
  return { ids: collect(walk(reading(read, { width }), first, order)), asked };
}

const p = (ids: number[], total: number) => page(ids, { total });

describe('a walk', () => {
  it('asks for each page once, and for one after the last', async () => {
    const { ids, asked } = walked(p([1, 2], 5), [p([3, 4], 5), p([5], 5), p([], 5)]);
    expect(await ids).toEqual([1, 2, 3, 4, 5]);
    expect(asked).toEqual([2, 3, 4]);
  });

  it('begins with the last page of a service that shows the newest first', async () => {
    const { read, asked } = answers(p([1], 5), p([3, 2], 5), p([], 5));
    expect(await collect(walk(reading(read), p([5, 4], 5), 'descending'))).toEqual([1, 2, 3, 4, 5]);
    expect(asked).toEqual([3, 2, 4]);
  });

  it('takes the first or the last page again for an end', async () => {
    expect(await walked(p([1, 2], 5), [p([3, 4], 5), p([5], 5), p([5], 5)]).ids).toEqual([1, 2, 3, 4, 5]);
    expect(await walked(p([1, 2], 5), [p([3, 4], 5), p([5], 5), p([1, 2], 5)]).ids).toEqual([1, 2, 3, 4, 5]);
  });

  it('throws away what was asked for before the range grew, and asks anew (C7)', async () => {
    // Row 6, of the instant of row 3, came after page 3 had been answered and before page 2 was.
    const grown = page([3, 6], { total: 6, times: [3, 3] });
    const script = [grown, p([5], 5), p([], 6), grown, p([4, 5], 6), p([], 6)];
    const { ids, asked } = walked(p([1, 2], 5), script, { width: 3 });
    expect(await ids).toEqual([1, 2, 3, 6, 4, 5]);
    expect(asked).toEqual([2, 3, 4, 2, 3, 4]);
  });

  it('goes on where the range grew at its end (C7)', async () => {
    const { ids, asked } = walked(p([1, 2], 3), [p([3, 4], 4), p([3, 4], 4), p([], 4)]);
    expect(await ids).toEqual([1, 2, 3, 4]);
    expect(asked).toEqual([2, 2, 3]);
  });

  it('does not end before all that the newest total counts is collected (C9)', async () => {
    const { ids, asked } = walked(p([1], 2), [p([2], 3), p([2], 5), p([3], 5), p([4], 5), p([5], 5), p([], 5)]);
    expect(await ids).toEqual([1, 2, 3, 4, 5]);
    expect(asked).toEqual([2, 2, 3, 4, 5, 6]);
  });

  it('asks for fewer pages at once where the range grew, and for more again where it did not', async () => {
    const grown = [p([2], 3), p([], 3)];
    const grewBehindTheLast = [p([2], 4), p([3], 4), p([4], 4), p([], 5)];
    const job = reading(answers(...grown, ...grewBehindTheLast, p([5], 5), p([], 5)).read, { width: 8 });
    const widths: number[] = [];
    const fetchInOrder: typeof job.fetchInOrder = (pages, fetch, width) => {
      widths.push(width);
      return job.fetchInOrder(pages, fetch, width);
    };
    expect(await collect(walk({ ...job, fetchInOrder }, p([1], 2), 'ascending'))).toEqual([1, 2, 3, 4, 5]);
    expect(widths).toEqual([8, 4, 8]);
  });

  it.each<[string, ScanPage, ScanPage[]]>([
    ['and stays so', p([1, 2], 4), [p([4], 3), p([4], 3)]],
    ['after it had grown: row 2 made place for row 5, and row 3 would be missing', p([1, 2], 4), [p([3, 4], 5), p([4, 5], 4)]],
    ['behind the last page', p(ids(500), 1000), [p(ids(1000).slice(500), 1000), p([], 1000), p([], 999)]],
  ])('refuses a total that falls %s: rows vanished from the range (C8)', async (_, first, script) => {
    await expect(walked(first, script).ids).rejects.toThrow(new MovedError('rows vanished from the range'));
  });

  it.each<[string, ScanPage]>([
    ['is cut short', p([3], 5)],
    ['is too long', p([3, 4, 5], 5)],
  ])('refuses a page that %s: it has not as many rows as it should (C6)', async (_, second) => {
    const { ids, asked } = walked(p([1, 2], 5), [second]);
    await expect(ids).rejects.toThrow(new MovedError('a page has not as many rows as it should'));
    expect(asked).toEqual([2]);
  });

  it.each<[string, ScanPage, ScanPage[]]>([
    ['', p([1, 2], 4), [p([3, 4], 4), p([5], 4)]],
    [', though the total says that there are none at all', p([1, 2], 0), []],
  ])('refuses rows that follow after the last page%s (C9)', async (_, first, script) => {
    await expect(walked(first, script).ids).rejects.toThrow(new MovedError('rows follow after the last page'));
  });

  it('gives up on a range that does not stop growing (C13)', async () => {
    let total = 2;
    const read = async ({ page: number }: { page: number }) => page([number], { total: total++ });
    await expect(collect(walk(reading(read), p([1], 2), 'ascending'))).rejects.toThrow(
      new MovedError('the range did not stop growing'),
    );
  });
});

describe('a total that may be truncated', () => {
  const first = page(ids(500), { total: 1000 });
  const second = page(ids(1000).slice(500), { total: 1000 });

  it('is looked beyond by time, and is the end where only known rows are shown (C10)', async () => {
    const { ids: found, asked } = walked(first, [second, page([999, 1000])]);
    expect(await found).toEqual(ids(1000));
    expect(asked).toEqual([2, 1]);
  });

  it('is refused where rows lie beyond: the service has more (C10)', async () => {
    const { ids: found } = walked(first, [second, page([1000, 1001]), p([], 1000)]);
    await expect(found).rejects.toThrow(new MovedError('the service counts 1000 rows and has more'));
  });

  it('is looked beyond by page number where the service heeds no bounds', async () => {
    const { ids: found, asked } = walked(first, [second, page([999, 1000], { total: 1000 }), p([], 1000)]);
    expect(await found).toEqual(ids(1000));
    expect(asked).toEqual([2, 1, 3]);
    const { ids: more } = walked(first, [second, page([999, 1000], { total: 1000 }), p([1001], 1000)]);
    await expect(more).rejects.toThrow(new MovedError('rows follow after the last page'));
  });

  it('grows where the page after the last counts more', async () => {
    const { ids: found, asked } = walked(first, [second, page([1000, 1001]), p([], 1001), p([1001], 1001), p([], 1001)]);
    expect(await found).toEqual(ids(1001));
    expect(asked).toEqual([2, 1, 3, 3, 4]);
  });
});

function ids(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i + 1);
}
