import { describe, expect, it } from 'vitest';
import { repeatPasses } from '#scans/export/repeat-passes';
import type { ScanPage } from '#service/shapes';
import { answers, collect, idsOf, page, reading } from './reading.ts';

/** Reads pages of two rows: `first` is page 1, `script` answers what is asked for next. */
async function readAll(first: ScanPage, script: ScanPage[], { passes = 1, width = 1 } = {}) {
  const { read, asked } = answers(...script);
  const rows = repeatPasses(reading(read, { width }), first, passes);
  const ids: number[] = [];
  for (;;) {
    const step = await rows.next();
    if (step.done) return { ids, ...step.value, asked };
    for (const id of idsOf(step.value)) ids.push(id);
  }
}

const p = (ids: number[], total: number) => page(ids, { total });

describe('a range that is read in repeated passes', () => {
  it('is verified if complete pages have as many rows as the total', async () => {
    const { asked, ...result } = await readAll(p([3, 1], 3), [p([2], 3)]);
    expect(result).toEqual({ ids: [3, 1, 2], isVerified: true, count: 3, total: 3 });
    expect(asked).toEqual([2]);
  });

  it('is verified by one response without rows and with a total of zero', async () => {
    expect(await readAll(p([], 0), [])).toEqual({ ids: [], isVerified: true, count: 0, total: 0, asked: [] });
  });

  it('is read with at most 16 parallel requests, because a total may be wrong', async () => {
    const widths: number[] = [];
    const job = reading(answers(p([3], 3)).read, { width: 32 });
    const fetchInOrder: typeof job.fetchInOrder = (pages, fetch, width) => {
      widths.push(width);
      return job.fetchInOrder(pages, fetch, 1);
    };
    await collect(repeatPasses({ ...job, fetchInOrder }, p([1, 2], 3), 1));
    expect(widths).toEqual([16]);
  });

  it('gets two extra requests per page for each pass that finds more rows, and such a pass is not counted', async () => {
    const granted: number[] = [];
    const { read, asked } = answers(
      p([1], 4),
      p([3, 1], 4),
      p([2, 1], 4),
      p([1, 2], 4),
      p([3, 2], 4),
      p([1, 2], 4),
      p([3, 1], 4),
    );
    const job = { ...reading(read), grant: (requests: number) => granted.push(requests) };
    expect(await collect(repeatPasses(job, p([1, 2], 4), 2))).toEqual([1, 2, 3]);
    expect(granted).toEqual([4]);
    expect(asked).toHaveLength(5);
  });

  it('gets no extra requests if the number of returned rows differs from the total, because swapped rows never cause that', async () => {
    const granted: number[] = [];
    const grant = (requests: number) => granted.push(requests);
    const fewer = answers(p([1], 4), p([3, 1], 4), p([2], 4));
    expect(await collect(repeatPasses({ ...reading(fewer.read), grant }, p([1, 2], 4), 2))).toEqual([
      1, 2, 3,
    ]);
    const more = answers(p([1], 3), p([3, 4], 3), p([2], 3), p([5, 4], 3), p([2], 3));
    expect(await collect(repeatPasses({ ...reading(more.read), grant }, p([1, 2], 3), 3))).toEqual([
      1, 2, 3, 4, 5,
    ]);
    expect([granted, fewer.asked, more.asked]).toEqual([[], [2, 1, 2], [2, 1, 2, 1, 2]]);
  });

  it('gets no extra requests if the total grows with the new rows', async () => {
    const { read, asked } = answers(p([1], 4), p([3, 1], 4), p([2, 1], 5), p([3], 5));
    const grant = () => expect.unreachable();
    expect(await collect(repeatPasses({ ...reading(read), grant }, p([1, 2], 4), 2))).toEqual([1, 2, 3]);
    expect(asked).toEqual([2, 1, 2, 3]);
  });

  it('is read without requests for pages that were just read', async () => {
    const rows = repeatPasses(
      reading(answers(p([2], 5)).read),
      p([3, 1], 5),
      1,
      new Map([[2, p([4, 5], 5)]]),
    );
    expect(await collect(rows)).toEqual([3, 1, 4, 5, 2]);
  });

  it('yields no row twice, and is not verified if the total falls', async () => {
    const expected = { ids: [1, 2, 3], isVerified: false, total: 4 };
    expect(await readAll(p([1, 2], 4), [p([2, 3], 3)])).toMatchObject(expected);
  });

  it('is read again, including page 1, if rows are missing', async () => {
    const { asked, ...result } = await readAll(p([1, 2], 4), [p([2, 3], 4), p([4, 1], 4), p([2, 3], 4)], {
      passes: 2,
    });
    expect(result).toEqual({ ids: [1, 2, 3, 4], isVerified: true, count: 4, total: 4 });
    expect(asked).toEqual([2, 1, 2]);
  });
});

describe('repeated passes that found as many IDs as the total', () => {
  it('do not verify the range if more rows were returned than counted, because a repeated row may hide another (C11)', async () => {
    const expected = { count: 4, total: 4, isVerified: false };
    expect(await readAll(p([1, 2], 4), [p([3, 1, 4], 4)])).toMatchObject(expected);
  });

  it('do not verify the range if a page was truncated, because the total hides its missing rows (C11)', async () => {
    const expected = { count: 5, total: 5, isVerified: false };
    expect(await readAll(p([1, 2], 5), [p([3], 5), p([4, 6], 5)])).toMatchObject(expected);
  });

  it('do not verify the range by an older total if the newest total is larger (C11)', async () => {
    expect(await readAll(p([1, 2], 3), [p([3], 4)])).toMatchObject({ count: 3, total: 4, isVerified: false });
  });
});

describe('the number of passes', () => {
  const nothingNew = [p([1, 2], 3), p([], 3)];

  it('is as large as allowed if no pass finds new rows (C13)', async () => {
    const script = [p([], 3), ...nothingNew, ...nothingNew, ...nothingNew];
    expect((await readAll(p([1, 2], 3), script, { passes: 3 })).asked).toEqual([2, 1, 2, 1, 2]);
  });

  it('excludes passes that find more rows of an unchanged total, up to the twelfth pass (C13)', async () => {
    let next = 2;
    const asked: number[] = [];
    const rows = repeatPasses(
      reading(async ({ page: number }) => {
        asked.push(number);
        return number > 50 ? p([], 100) : p([1, number === 1 ? ++next : 1], 100);
      }),
      p([1, 2], 100),
      2,
    );
    let step = await rows.next();
    while (!step.done) step = await rows.next();
    expect(step.value).toEqual({ isVerified: false, count: next, total: 100 });
    expect(asked.filter((number) => number === 1)).toHaveLength(11);
  });

  it('includes passes in which the total changed', async () => {
    const script = [p([], 3), p([1, 3], 4), p([], 4)];
    expect((await readAll(p([1, 2], 3), script, { passes: 2 })).asked).toEqual([2, 1, 2]);
  });
});
