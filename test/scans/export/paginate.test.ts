import { describe, expect, it } from 'vitest';
import { InconsistentPagesError, paginate } from '#scans/export/paginate';
import type { ScanPage } from '#service/shapes';
import { modelScans } from '../../support/model-service/scans.ts';
import { answers, collect, idsOf, page, reading, rows, START } from './reading.ts';

/** Walks pages of two rows: `first` is page 1, `script` answers what is asked for next. */
function walked(
  first: ScanPage,
  script: (ScanPage | Error)[],
  { order = 'ascending' as const, width = 1 } = {},
) {
  const { read, asked } = answers(...script);
  return { ids: collect(paginate(reading(read, { width }), first, order)), asked };
}

const p = (ids: number[], total: number) => page(ids, { total });

describe('pagination', () => {
  it('requests each page once, and ends with a last page that is not full (C9)', async () => {
    const { ids, asked } = walked(p([1, 2], 5), [p([3, 4], 5), p([5], 5)]);
    expect(await ids).toEqual([1, 2, 3, 4, 5]);
    expect(asked).toEqual([2, 3]);
  });

  it('begins with the last page of a service that lists the newest scans first', async () => {
    const { read, asked } = answers(p([1], 5), p([3, 2], 5));
    expect(await collect(paginate(reading(read), p([5, 4], 5), 'descending'))).toEqual([1, 2, 3, 4, 5]);
    expect(asked).toEqual([3, 2]);
  });

  it('discards pages that were requested before the range grew, and requests them again (C7)', async () => {
    // Row 6, of the instant of row 3, came after page 3 had been answered and before page 2 was.
    const grown = page([3, 6], { total: 6, times: [3, 3] });
    const script = [grown, p([5], 5), grown, p([4, 5], 6), page([5])];
    const { ids, asked } = walked(p([1, 2], 5), script, { width: 3 });
    expect(await ids).toEqual([1, 2, 3, 6, 4, 5]);
    expect(asked).toEqual([2, 3, 2, 3, 1]);
  });

  it('continues if rows were added at the end of the range (C7)', async () => {
    const { ids, asked } = walked(p([1, 2], 3), [p([3, 4], 4), p([3, 4], 4), page([4])]);
    expect(await ids).toEqual([1, 2, 3, 4]);
    expect(asked).toEqual([2, 2, 1]);
  });

  it('does not end before the number of merged rows equals the newest total (C9)', async () => {
    const { ids, asked } = walked(p([1, 2], 3), [p([3, 4], 5), p([3, 4], 5), p([5], 5)]);
    expect(await ids).toEqual([1, 2, 3, 4, 5]);
    expect(asked).toEqual([2, 2, 3]);
  });

  it('requests fewer pages in parallel after the range grew, and more once the range stays the same', async () => {
    const widths: number[] = [];
    const script = [p([3, 4], 5), p([3, 4], 7), p([5, 6], 7), p([7], 7)];
    const job = reading(answers(...script).read, { width: 8 });
    const fetchInOrder: typeof job.fetchInOrder = (pages, fetch, width) => {
      widths.push(width);
      return job.fetchInOrder(pages, fetch, 1);
    };
    expect(await collect(paginate({ ...job, fetchInOrder }, p([1, 2], 3), 'ascending'))).toEqual([
      1, 2, 3, 4, 5, 6, 7,
    ]);
    expect(widths).toEqual([8, 4, 8]);
  });

  it('requests no more pages in parallel than allowed', async () => {
    const widths: number[] = [];
    const service = modelScans(rows(40), { pageCap: 2 });
    const job = reading(service.read, { width: 8 });
    const fetchInOrder: typeof job.fetchInOrder = (pages, fetch, width) => {
      widths.push(width);
      return job.fetchInOrder(pages, fetch, width);
    };
    const first = await service.read({ page: 1, limit: 500 });
    expect(await collect(paginate({ ...job, fetchInOrder }, first, 'ascending'))).toHaveLength(40);
    expect(widths).toEqual([8, 8]);
  });

  it('requests page 1 again if the range grew after it was returned (C7)', async () => {
    const arrivals = new Map([[3, [{ id: 7, time: START + 6000 }]]]);
    const service = modelScans(rows(6), { pageCap: 2, order: 'descending', arrivals });
    const first = await service.read({ page: 1, limit: 500 });
    expect(await collect(paginate(reading(service.read), first, 'descending'))).toEqual([
      1, 2, 3, 4, 5, 6, 7,
    ]);
  });

  it.each([8, 16])('requests all pages in one round if %i parallel requests are allowed', async (width) => {
    let rounds = 0;
    const all = Array.from({ length: 20 }, (_, i) => p([2 * i + 3, 2 * i + 4], 43));
    const job = reading(answers(...all, p([43], 43)).read, { width });
    const fetchInOrder: typeof job.fetchInOrder = (pages, fetch, most) => {
      rounds += 1;
      return job.fetchInOrder(pages, fetch, most);
    };
    expect(await collect(paginate({ ...job, fetchInOrder }, p([1, 2], 43), 'ascending'))).toHaveLength(43);
    expect(rounds).toBe(1);
  });

  it('does not request page 1 again if page 1 is merged last, even if 32 parallel requests are allowed', async () => {
    const service = modelScans(rows(41), { order: 'descending', pageCap: 2 });
    const first = await service.read({ page: 1, limit: 2 });
    expect(await collect(paginate(reading(service.read, { width: 32 }), first, 'descending'))).toHaveLength(
      41,
    );
    expect(service.state.requests).toBe(21);
  });

  it('requests only 15 pages after page 1 before the first row, even if 32 parallel requests are allowed, because a single total may be wrong (C13)', async () => {
    const width = 32;
    const { read } = answers(
      ...Array.from({ length: 40 }, (_, i) => p([2 * i + 3, 2 * i + 4], 81)),
      p([81], 81),
    );
    let asked = 0;
    const counted: typeof read = (request) => {
      asked += 1;
      return read(request);
    };
    const rows = paginate(reading(counted, { width }), p([1, 2], 81), 'ascending');
    await rows.next();
    expect(asked).toBe(15);
  });

  it.each<[string, ScanPage, ScanPage[]]>([
    ['and stays lower', p([1, 2], 4), [p([4], 3), p([4], 3)]],
    [
      'after it had grown, because row 2 vanished and row 5 arrived',
      p([1, 2], 4),
      [p([3, 4], 5), p([4, 5], 4)],
    ],
  ])('refuses a total that falls %s, and reports vanished rows (C8)', async (_, first, script) => {
    await expect(walked(first, script).ids).rejects.toThrow(
      new InconsistentPagesError('rows disappeared from the range'),
    );
  });

  it.each<[string, ScanPage]>([
    ['has fewer rows than page 1, although it is not the last page', p([3], 5)],
    ['has more rows than page 1', p([3, 4, 5], 5)],
  ])('refuses a page that %s (C6)', async (_, second) => {
    const { ids, asked } = walked(p([1, 2], 5), [second]);
    await expect(ids).rejects.toThrow(new InconsistentPagesError('a page has the wrong number of rows'));
    expect(asked).toEqual([2]);
  });

  it('reports the number of returned rows, including rows on prefetched pages, and counts repeated pages once (C13)', async () => {
    const shown: number[] = [];
    const { read } = answers(p([3, 4], 7), p([5, 6], 7), p([7], 7));
    const job = { ...reading(read, { width: 3 }), reportRows: (rows: number) => shown.push(rows) };
    await collect(paginate(job, p([1, 2], 7), 'ascending'));
    expect(Math.max(...shown)).toBe(7);
    shown.length = 0;
    const repeats = answers(p([1, 2], 9), p([1, 2], 9), p([1, 2], 9));
    const again = { ...job, read: repeats.read };
    await expect(collect(paginate(again, p([1, 2], 9), 'ascending'))).rejects.toThrow(InconsistentPagesError);
    expect(Math.max(...shown)).toBeLessThanOrEqual(4);
  });
});

describe('a total that may be capped', () => {
  const first = page(ids(500), { total: 1000 });
  const second = page(ids(1000).slice(500), { total: 1000 });

  it('is accepted if a request beyond the last row returns only known rows (C10)', async () => {
    const { ids: found, asked } = walked(first, [second, page([1000])]);
    expect(await found).toEqual(ids(1000));
    expect(asked).toEqual([2, 1]);
  });

  it('is verified by a request beyond the oldest row if the service lists the newest rows first (C10)', async () => {
    const { read, asked } = answers(p([2, 1], 4), page([1]));
    expect(await collect(paginate(reading(read), p([4, 3], 4), 'descending'))).toEqual([1, 2, 3, 4]);
    expect(asked).toEqual([2, 1]);
  });

  it('is verified after all rows with the oldest time are merged (C10)', async () => {
    const oldest = page([2, 1], { total: 4, times: [1, 1] });
    const { read, asked } = answers(oldest, page([3, 2, 1], { times: [1, 1, 1] }));
    const first = page([4, 3], { total: 4, times: [2, 1] });
    expect(await collect(paginate(reading(read, { proveBeyond: true }), first, 'descending'))).toEqual([
      1, 2, 3, 4,
    ]);
    expect(asked).toEqual([2, 1]);
  });

  it.each([
    ['returns more rows', page([1, 0])],
    ['fails', new Error('killed')],
  ])(
    'causes an error before any row is yielded if the request beyond the oldest row %s (C20)',
    async (_, beyond) => {
      const { read } = answers(p([2, 1], 6), beyond);
      const given: number[] = [];
      const reads = async () => {
        for await (const batch of paginate(reading(read, { proveBeyond: true }), p([6, 5], 6), 'descending'))
          given.push(...idsOf(batch));
      };
      await expect(reads()).rejects.toThrow();
      expect(given).toEqual([]);
    },
  );

  it('is verified again if the total changes during the export (C10)', async () => {
    const grown = [p([5, 4], 7), p([3, 2], 7), p([5, 4], 7), p([7, 6], 7)];
    const { read, asked } = answers(p([2, 1], 6), page([1]), ...grown, page([1]));
    const job = reading(read, { proveBeyond: true });
    expect(await collect(paginate(job, p([6, 5], 6), 'descending'))).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(asked).toEqual([3, 1, 2, 3, 2, 1, 1]);
  });

  it('is refused if the service has rows beyond it (C10)', async () => {
    const { ids: found } = walked(first, [second, page([1000, 1001])]);
    await expect(found).rejects.toThrow(
      new InconsistentPagesError('the service reports a total of 1,000 but has more rows'),
    );
  });

  it('is refused if no request beyond the last row returns that row (C10)', async () => {
    const { ids: found } = walked(first, [second, page([999], { total: 1000 }), page([998]), page([997])]);
    await expect(found).rejects.toThrow(
      new InconsistentPagesError('the service may have more than 1,000 rows'),
    );
  });

  it('can be any total with --prove-beyond (C10)', async () => {
    const { read, asked } = answers(p([3], 3), page([3, 4]));
    await expect(
      collect(paginate(reading(read, { proveBeyond: true }), p([1, 2], 3), 'ascending')),
    ).rejects.toThrow('has more');
    expect(asked).toEqual([2, 1]);
  });
});

function ids(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i + 1);
}
