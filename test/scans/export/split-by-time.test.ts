import { describe, expect, it } from 'vitest';
import { InconsistentPagesError } from '#scans/export/paginate';
import type { Range } from '#scans/export/range';
import { splitByTime } from '#scans/export/split-by-time';
import type { ScanPageRequest } from '#service/service-options';
import { type ModelScansOptions, modelScans } from '../../support/model-service/scans.ts';
import { answers, collect, page, RANGE, reading, rows, START } from './reading.ts';

const p = (ids: number[], total: number) => page(ids, { total });

/** The ids that slices of these rows give, and how often the service was asked. */
async function sliced(
  count: number,
  how: ModelScansOptions,
  { range = RANGE, together = 1 }: { range?: Range; together?: number } = {},
) {
  const { read, state } = modelScans(rows(count, together), how);
  const ids = await collect(splitByTime(reading(read, { range, width: 2 })));
  return { ids, requests: state.requests };
}

const all = (count: number) => rows(count).map(({ id }) => id);

describe('the parts of a range that is split by time', () => {
  it('cause reports of the number of returned rows, from the first 20 rows to all 500 (C13)', async () => {
    const shown: number[] = [];
    const service = modelScans(rows(500), { pageCap: 10 });
    await collect(splitByTime({ ...reading(service.read), reportRows: (count) => shown.push(count) }));
    expect(shown[0]).toBe(20);
    expect(Math.max(...shown)).toBe(500);
  });

  it.each(['ascending', 'descending', 'none'] as const)(
    'contain the whole range, oldest first, if the order of the service is %s',
    async (order) => {
      expect((await sliced(500, { order, pageCap: 10 })).ids).toEqual(all(500));
    },
  );

  it('are one part if the range has at most 20 pages, with one request more than it has pages', async () => {
    expect(await sliced(99, { pageCap: 10 })).toEqual({ ids: all(99), requests: 11 });
    expect(await sliced(9, { pageCap: 10 })).toEqual({ ids: all(9), requests: 2 });
  });

  it('are cut exactly, even at the borders between them', async () => {
    const range = { sinceMs: START + 20_000, untilMs: START + 320_000 };
    expect((await sliced(400, { pageCap: 7 }, { range })).ids).toEqual(all(400).slice(20, 320));
    expect(
      (await sliced(400, { pageCap: 7, sinceInclusive: false, untilInclusive: true }, { range, together: 5 }))
        .ids,
    ).toEqual(all(400).slice(100));
  });

  it('are complete even if the service returns only its first rows as pages (C10)', async () => {
    expect((await sliced(700, { pageCap: 10, reach: 200 })).ids).toEqual(all(700));
    expect((await sliced(700, { pageCap: 10, reach: 100, order: 'descending' })).ids).toEqual(all(700));
  });

  it('are split until no total may be capped (C10)', async () => {
    const lie = (total: number) => Math.min(total, 1000);
    expect((await sliced(2600, { pageCap: 100, reach: 1000, lie })).ids).toEqual(all(2600));
  });
});

describe('the borders between the parts of a range', () => {
  /** What was asked for, of rows so many ms apart. */
  async function cutsOf(count: number, everyMs: number, how: ModelScansOptions) {
    const service = modelScans(
      Array.from({ length: count }, (_, i) => ({ id: i + 1, time: START + i * everyMs })),
      how,
    );
    const asked: ScanPageRequest[] = [];
    const read: typeof service.read = (request) => {
      asked.push(request);
      return service.read(request);
    };
    const batches: number[] = [];
    const ids: number[] = [];
    for await (const batch of splitByTime(reading(read))) {
      batches.push(batch.rows.length);
      for (const { id } of batch.rows) ids.push(Number(id));
    }
    const bounds = asked.flatMap(({ sinceMs, untilMs }) =>
      [sinceMs === undefined ? [] : [sinceMs + 1], untilMs ?? []].flat(),
    );
    return { ids, batches, asked: asked.length, bounds: bounds.filter((ms) => ms !== RANGE.untilMs + 1000) };
  }

  it('are at whole seconds, and do not split a range of twenty pages (C2)', async () => {
    const { ids, batches, bounds } = await cutsOf(999, 250, { pageCap: 10 });
    expect(ids).toEqual(all(999));
    expect(Math.max(...batches)).toBeLessThanOrEqual(200);
    expect(bounds.every((ms) => ms % 1000 === 0)).toBe(true);
    expect(await cutsOf(199, 250, { pageCap: 10 })).toMatchObject({ batches: [199], asked: 21 });
  });

  it('are never inside a second, so that all rows in a second are read as one part', async () => {
    expect((await cutsOf(91, 10, { pageCap: 2 })).batches.filter((rows) => rows > 0)).toEqual([91]);
  });

  it('lose no rows, whether the service treats bounds as exclusive or rounds them (C2)', async () => {
    for (const how of [
      { sinceInclusive: false },
      { wholeSeconds: true },
      { wholeSeconds: true, sinceInclusive: false },
    ]) {
      expect((await cutsOf(500, 500, { pageCap: 10, ...how })).ids).toEqual(all(500));
    }
  });

  it('cost at most 140 requests for 700 rows and 60 for 130 rows, even if the service returns only its first rows as pages', async () => {
    expect((await cutsOf(700, 1000, { pageCap: 10, reach: 200 })).asked).toBeLessThanOrEqual(140);
    expect(
      (await cutsOf(700, 1000, { pageCap: 10, reach: 100, order: 'descending' })).asked,
    ).toBeLessThanOrEqual(140);
    expect((await cutsOf(130, 1000, { pageCap: 10, reach: 30 })).asked).toBeLessThanOrEqual(60);
  });

  it('do not hide a late row, because each row just before a cut is counted only once (C12)', async () => {
    const near = Array.from({ length: 21 }, (_, i) => ({ id: i + 1, time: START + 990 + i }));
    const count = async (arrivals?: ModelScansOptions['arrivals']) => {
      const service = modelScans(near, { pageCap: 1, ...(arrivals && { arrivals }) });
      await collect(splitByTime(reading(service.read)));
      return service.state.requests;
    };
    const late = new Map([[await count(), [{ id: 1000, time: START + 991 }]]]);
    await expect(count(late)).rejects.toThrow('the service reports a total of 22 but returned 21 rows');
  });
});

describe('parts of a range that do not add up', () => {
  it('are refused if a row arrives in a part that was verified before (C12)', async () => {
    const late = new Map([[12, [{ id: 1000, time: START }]]]);
    await expect(sliced(49, { pageCap: 10, arrivals: late })).resolves.toMatchObject({ requests: 6 });
    const early = new Map([[6, [{ id: 1000, time: START }]]]);
    await expect(sliced(49, { pageCap: 10, arrivals: early })).rejects.toThrow(
      new InconsistentPagesError('the service reports a total of 50 but returned 49 rows'),
    );
  });

  it('are not refused if the total of the whole range is smaller than their sum, because that total may be capped', async () => {
    expect(
      (await sliced(49, { pageCap: 10, lie: (total, request) => (request === 6 ? 3 : total) })).ids,
    ).toEqual(all(49));
  });

  it('are refused if a row arrives in the margin of the range, because the service counts that row (C12)', async () => {
    const range = { sinceMs: START + 20_000, untilMs: START + 320_000 };
    const how = { pageCap: 7, untilInclusive: true };
    const { ids, requests } = await sliced(400, how, { range });
    expect(ids).toHaveLength(300);
    const arrivals = new Map([[requests, [{ id: 1000, time: range.sinceMs - 500 }]]]);
    await expect(sliced(400, { ...how, arrivals }, { range })).rejects.toThrow(
      'the service reports a total of 304 but returned 303 rows',
    );
  });

  it('are refused if the service no longer returns rows', async () => {
    await expect(collect(splitByTime(reading(answers(p([], 0)).read)))).rejects.toThrow(
      new InconsistentPagesError('the service returned rows before but now returns none'),
    );
  });

  it('are refused if a part that cannot be split has fewer rows than its total', async () => {
    await expect(sliced(3, { lie: (total) => total + 1 })).rejects.toThrow(
      new InconsistentPagesError(
        'for the scans until 2025-10-09T08:53:22.000Z, the service reports a total of 3 but returned 2 rows',
      ),
    );
  });

  it('are refused if two responses for a part that cannot be split contradict each other', async () => {
    const { read } = answers(...Array.from({ length: 20 }, () => page([1, 2, 2], { total: 2 })));
    await expect(collect(splitByTime(reading(read)))).rejects.toThrow(
      new InconsistentPagesError(
        'two responses for the scans until 2025-10-20T22:40:00.000Z contradict each other',
      ),
    );
  });

  it('are refused after fewer than 250 requests if each response has new rows (C13)', async () => {
    let asked = 0;
    // Every answer counts twice what it shows, and what it shows lies further apart the further it is asked.
    const read = async ({ sinceMs = START }: { sinceMs?: number | undefined }) => {
      asked += 1;
      const from = (sinceMs - START) / 1000;
      return page(
        [1, 2, 3, 4].map((n) => asked * 10 + n),
        { total: 8, times: [1, 2, 3, 4].map((n) => from + n * 1000) },
      );
    };
    await expect(collect(splitByTime(reading(read)))).rejects.toThrow(InconsistentPagesError);
    expect(asked).toBeLessThan(250);
  });
});
