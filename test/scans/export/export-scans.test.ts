import { describe, expect, it } from 'vitest';
import { NotFoundError, UnavailableError, UnprovenError } from '#base/errors';
import { fetchInOrder } from '#base/parallel';
import { exportScans, type ScanExport } from '#scans/export/export-scans';
import { widened } from '#scans/export/range';
import type { ScanPage } from '#service/shapes';
import { type ModelScansOptions, modelScans } from '../../support/model-service/scans.ts';
import { SOAK } from '../../support/property-runs.ts';
import { answers, idsOf, memorySink, page, RANGE, reading, rows } from './reading.ts';

const job = { code: 'spring-menu', note: () => undefined, checkExists: async () => undefined };

async function exported(count: number, how: ModelScansOptions & { together?: number }) {
  const service = modelScans(rows(count, how.together), how);
  const sink = memorySink();
  await exportScans(
    { ...job, read: service.read, range: RANGE, asked: widened(RANGE), fetchInOrder, width: 4 },
    sink,
  );
  return { ids: idsOf(sink.kept), requests: service.state.requests };
}

/** Exports what these answers show; `first` is page 1, already read. */
async function exportedFrom(first: ScanPage, script: (ScanPage | Error)[], more: Partial<ScanExport> = {}) {
  const { read, asked } = answers(...script);
  const sink = memorySink();
  const failure = await exportScans({ ...reading(read), ...job, first, ...more }, sink).catch(
    (error) => error,
  );
  return { ids: idsOf(sink.kept), rewinds: sink.kept.rewinds, failure, asked };
}

const all = (count: number) => rows(count).map((row) => row.id);
const truncated = (at: number): ModelScansOptions => ({ reach: at, lie: (total) => Math.min(total, at) });
const p = (ids: number[], total: number) => page(ids, { total });

describe.each(['ascending', 'descending'] as const)(
  'an export from a service whose pages are in %s order',
  (order) => {
    it.each(
      SOAK
        ? [
            [1200, 1000],
            [6000, 5000],
            [26_000, 10_000],
          ]
        : [[1200, 1000]],
    )('has all %i scans if the service counts and returns at most %i (C10)', async (count, at) => {
      expect((await exported(count, { order, ...truncated(at) })).ids).toEqual(all(count));
    });

    it.each(
      SOAK
        ? [
            [5000, 1000],
            [60_000, 10_000],
          ]
        : [[2600, 1000]],
    )('has all %i scans if the service returns pages only up to row %i', async (count, reach) => {
      expect((await exported(count, { order, reach })).ids).toEqual(all(count));
      expect((await exported(count, { order, reach, refusesBeyond: true })).ids).toEqual(all(count));
    });

    it('has all 1,503 scans, within the budget, if the service counts and returns at most 100', async () => {
      expect((await exported(1503, { order, pageCap: 10, ...truncated(100) })).ids).toEqual(all(1503));
    });

    it.each([1000, 1500, 5000])(
      'costs one request more than its pages for %i scans, because the total may be capped',
      async (count) => {
        for (const together of [1, 3]) {
          const { ids, requests } = await exported(count, { order, together });
          expect(ids).toEqual(all(count));
          expect(requests).toBe(count / 500 + 1);
        }
      },
    );

    it('has all scans if 700 or more scans with the same time swap places in every response', async () => {
      expect((await exported(1400, { order, together: 700, shuffleTies: true })).ids).toEqual(all(1400));
      expect((await exported(1201, { order, together: 1201, shuffleTies: true })).ids).toEqual(all(1201));
    });
  },
);

describe('an export', () => {
  it('requests page 1 if it was not requested before', async () => {
    const { ids, asked } = await exportedFrom(p([], 0), [p([1], 1)], { first: undefined });
    expect(ids).toEqual([1]);
    expect(asked).toEqual([1]);
  });

  it('takes the order of a page from its IDs if all of its rows have the same time', async () => {
    const at = (ids: number[], time: number) => page(ids, { total: 3, times: ids.map(() => time) });
    const descending = await exportedFrom(at([3, 2], 9), [at([1], 1)]);
    expect(descending).toMatchObject({ ids: [1, 2, 3], rewinds: 0 });
    const ascending = await exportedFrom(at([1, 2], 1), [at([3], 9)]);
    expect(ascending).toMatchObject({ ids: [1, 2, 3], rewinds: 0 });
  });

  it('takes the order of a page from its times, even if its IDs have the opposite order', async () => {
    const page1 = page([3, 2, 1], { total: 4, times: [1, 2, 3] });
    const last = page([9], { total: 4, times: [4] });
    expect(await exportedFrom(page1, [last])).toMatchObject({ ids: [3, 2, 1, 9], rewinds: 0, asked: [2] });
  });

  it('takes the order of a page from its times if only some are equal, and assumes oldest first for a single row', async () => {
    const ties = page([1, 2, 3, 4], { total: 5, times: [1, 1, 2, 3] });
    expect(await exportedFrom(ties, [p([5], 5)])).toMatchObject({ ids: [1, 2, 3, 4, 5], rewinds: 0 });
    expect(await exportedFrom(p([1], 2), [p([2], 2), page([2])])).toMatchObject({ ids: [1, 2], rewinds: 0 });
  });

  it('writes no rows for a page without rows in the range', async () => {
    const sink = memorySink();
    const { read } = answers(p([1, 2], 3), p([3], 3));
    await exportScans(
      { ...reading(read), ...job, range: { ...RANGE, untilMs: RANGE.untilMs - 2_000_000_000 } },
      sink,
    );
    expect(sink.kept.writes).toBe(0);
  });

  it('of unsorted rows prints a note, keeps the order of the service, and rewinds once (C15)', async () => {
    const notes: string[] = [];
    const note = (line: string) => notes.push(line);
    const { ids, rewinds, asked } = await exportedFrom(p([2, 5, 1], 4), [p([4], 4)], { note });
    expect({ ids, rewinds, asked }).toEqual({ ids: [2, 5, 1, 4], rewinds: 1, asked: [2] });
    expect(notes).toEqual([
      "The service does not sort these scans by time. Exporting them in the service's order",
    ]);
  });

  it('sorts the unsorted rows of a page that has all rows', async () => {
    expect(await exportedFrom(p([2, 3, 1], 3), [])).toMatchObject({ ids: [1, 2, 3], asked: [], rewinds: 0 });
  });

  it('rolls back written rows if rows moved, and reads the range again, split by time (C15)', async () => {
    const moved = [p([3, 4], 5), p([4, 5], 5)];
    const slice = [p([1, 2, 3, 4, 5], 5), p([1, 2, 3, 4, 5], 5)];
    const { ids, rewinds } = await exportedFrom(p([1, 2], 5), [...moved, ...slice]);
    expect({ ids, rewinds }).toEqual({ ids: [1, 2, 3, 4, 5], rewinds: 1 });
  });

  it('rethrows an error that is not about its rows', async () => {
    const down = new UnavailableError('the service failed');
    expect((await exportedFrom(p([1, 2], 4), [down])).failure).toBe(down);
    expect((await exportedFrom(p([1, 2], 4), [p([9], 4), down])).failure).toBe(down);
  });
});

describe('a deleted code', () => {
  const checkExists = () => Promise.reject(new NotFoundError('not found (404)'));

  it('is reported instead of an export without scans (C14)', async () => {
    expect((await exportedFrom(p([], 0), [], { checkExists })).failure).toBeInstanceOf(NotFoundError);
    expect((await exportedFrom(p([], 0), [])).failure).toBeUndefined();
  });

  it('is reported if its rows vanish while they are read, without reading the range again (C14)', async () => {
    const { failure, asked } = await exportedFrom(p([1, 2], 4), [p([], 0), p([], 0)], { checkExists });
    expect(failure).toBeInstanceOf(NotFoundError);
    expect(asked).toEqual([2, 2]);
  });

  it('is reported if it is deleted while parts of the range are read (C14)', async () => {
    let checks = 0;
    const late = () => (++checks > 1 ? checkExists() : Promise.resolve());
    const gone = [p([], 0), p([], 0), p([], 0)];
    expect(
      (await exportedFrom(p([1, 2], 4), [p([9], 4), ...gone], { checkExists: late })).failure,
    ).toBeInstanceOf(NotFoundError);
  });

  it('is distinguished from a code for which a page has rows and a total of zero', async () => {
    const { failure } = await exportedFrom(
      p([1, 2], 0),
      Array.from({ length: 30 }, () => p([1, 2], 0)),
    );
    expect(failure).toBeInstanceOf(UnprovenError);
  });

  it('is distinguished from a code for which a page is empty and has a total', async () => {
    const { failure } = await exportedFrom(
      p([], 3),
      Array.from({ length: 30 }, () => p([], 3)),
    );
    expect(failure).toBeInstanceOf(UnprovenError);
  });
});

describe('rows that do not add up', () => {
  it.each<[string, ModelScansOptions, RegExp]>([
    ['a total that is too large', { lie: (total) => total + 7 }, /: a page has the wrong number of rows$/],
    [
      'no more rows for a code that still exists',
      {
        lie: (total, request) => (request < 3 ? total : 0),
        shorten: (page, request) => (request < 3 ? page : []),
      },
      /the service returned rows before but now returns none$/,
    ],
    [
      'fewer unsorted rows than the total',
      { order: 'none', lie: (total) => total + 1 },
      /reports a total of \d+ but returned \d+ rows$/,
    ],
  ])('are reported as incomplete: %s (C13)', async (_, how, words) => {
    const failure = await exported(600, { order: 'descending', pageCap: 100, ...how }).catch(
      (error) => error,
    );
    expect(failure).toBeInstanceOf(UnprovenError);
    expect(failure.message).toMatch(
      /^the scan export for spring-menu until .* could not be verified as complete: /,
    );
    expect(failure.message).toMatch(words);
    expect(failure.hint).toMatch(/^When fewer scans arrive, run the same command again/);
  });

  it('are reported after the range was read in parts three times (C13)', async () => {
    const round = [p([], 0)];
    const { failure, rewinds } = await exportedFrom(p([1, 2], 4), [p([9], 4), ...round, ...round, ...round]);
    expect(failure).toBeInstanceOf(UnprovenError);
    expect(rewinds).toBe(3);
  });

  it('are reported with the total and the number of returned rows if they are unsorted', async () => {
    const sink = { ...memorySink(), checkpoint: async () => async () => false };
    const { read } = answers(...Array.from({ length: 12 }, () => p([], 4)));
    const failure = await exportScans({ ...reading(read), ...job, first: p([2, 3, 1], 4) }, sink).catch(
      (error) => error,
    );
    expect(failure.message).toMatch(/: the service reports a total of 4 but returned 3 rows$/);
  });

  it('are reported without another request if written rows cannot be rolled back (C15)', async () => {
    const sink = { ...memorySink(), checkpoint: async () => async () => false };
    const { read, asked } = answers(p([9], 4));
    const failure = await exportScans({ ...reading(read), ...job, first: p([1, 2], 4) }, sink).catch(
      (error) => error,
    );
    expect(failure).toBeInstanceOf(UnprovenError);
    expect(failure.message).toMatch(/: a page has the wrong number of rows$/);
    expect(asked).toEqual([2]);
  });
});
