import { describe, expect, it } from 'vitest';
import {
  countRange,
  type Edge,
  mayBeTruncated,
  type PageOrder,
  requestBeyond,
  widenEdge,
} from '#scans/export/truncated-total';
import type { ScanPageRequest } from '#service/service-options';
import type { ScanPage } from '#service/shapes';
import { type ModelRow, type ModelScansOptions, modelScans } from '../../support/model-service/scans.ts';
import { answers, page, RANGE, reading, rows, START } from './reading.ts';

const range = { sinceMs: START, untilMs: RANGE.untilMs };

/** The edge at a second, with these ids. */
const edgeAt = (second: number, ...ids: number[]): Edge => ({
  timeMs: START + second * 1000,
  ids: new Set(ids),
});

/** What asking beyond an edge of 100 rows tells when the service answers so, and what it was asked. */
async function asked(order: PageOrder, edge: Edge, ...script: ScanPage[]) {
  const requests: ScanPageRequest[] = [];
  const read = async (request: ScanPageRequest) => {
    requests.push(request);
    return script[requests.length - 1] ?? page([], { total: 100 });
  };
  return { more: await requestBeyond(reading(read, { range }), order, edge, 100), requests };
}

/** What asking beyond an edge of so many rows tells of a model of the service. */
const askModel = (service: ReturnType<typeof modelScans>, order: PageOrder, edge: Edge, total: number) =>
  requestBeyond(reading(service.read, { range }), order, edge, total);

describe('a total', () => {
  it('may be capped if it is a multiple of 50 or of the page size (C10)', () => {
    const isDoubtful = (total: number) => mayBeTruncated(total, 7);
    expect([50, 100, 10_000, 7, 21].map(isDoubtful)).toEqual([true, true, true, true, true]);
    expect([0, 1, 48, 51, 10_001].map(isDoubtful)).toEqual([false, false, false, false, false]);
  });

  it('may be capped at any number if --prove-beyond is set, but not at zero', () => {
    expect(mayBeTruncated(3, 500, true)).toBe(true);
    expect(mayBeTruncated(0, 500, true)).toBe(false);
  });
});

it('the edge of the known rows is their outermost time, with all rows that have that time', () => {
  const oldest = widenEdge(undefined, page([1, 2, 3], { times: [7, 7, 8] }), 'ascending');
  expect(oldest).toEqual(edgeAt(8, 3));
  expect(widenEdge(oldest, page([4, 5], { times: [8, 8] }), 'ascending')).toEqual(edgeAt(8, 3, 4, 5));
  expect(widenEdge(undefined, page([1, 2, 3], { times: [7, 7, 8] }), 'descending')).toEqual(edgeAt(7, 1, 2));
  expect(widenEdge(undefined, page([]), 'ascending')).toBeUndefined();
});

describe('a request beyond the edge (the outermost instant) of the known rows', () => {
  it('begins a millisecond inside the edge', async () => {
    const newest = await asked('ascending', edgeAt(14, 14), page([14]));
    const first = { page: 1, limit: 500 };
    expect(newest.requests).toEqual([{ ...first, sinceMs: START + 13_999, untilMs: RANGE.untilMs + 1000 }]);
    const oldest = await asked('descending', edgeAt(10, 10), page([10]));
    expect(oldest.requests).toEqual([{ ...first, sinceMs: START - 1000, untilMs: START + 10_001 }]);
  });

  it('shows that there are no more rows if it returns the edge and only rows inside it', async () => {
    expect((await asked('ascending', edgeAt(14, 14), page([14]))).more).toBe(false);
    expect((await asked('ascending', edgeAt(14, 14), page([13, 14]))).more).toBe(false);
    expect((await asked('descending', edgeAt(10, 10), page([11, 10]))).more).toBe(false);
  });

  it('shows that there are more rows if it returns a row beyond the edge, or an unknown row at the edge', async () => {
    expect((await asked('ascending', edgeAt(14, 14), page([14, 15]))).more).toBe(true);
    expect((await asked('descending', edgeAt(10, 10), page([10, 9]))).more).toBe(true);
    expect((await asked('ascending', edgeAt(14, 14), page([14, 99], { times: [14, 14] }))).more).toBe(true);
  });

  it('shows that there are more rows if the total of the requested part is larger than the total of the range', async () => {
    expect((await asked('ascending', edgeAt(14, 14), page([14], { total: 101 }))).more).toBe(true);
  });

  it('is repeated one second further inside if the edge is not returned, because the service rounds bounds down', async () => {
    const { more, requests } = await asked('descending', edgeAt(10, 10), page([]), page([10]));
    expect(more).toBe(false);
    expect(requests.map(({ untilMs }) => untilMs)).toEqual([START + 10_001, START + 11_001]);
  });

  it('is inconclusive if the edge is never returned', async () => {
    const { more, requests } = await asked('ascending', edgeAt(14, 14), page([]), page([]), page([]));
    expect(more).toBeUndefined();
    expect(requests.map(({ sinceMs }) => sinceMs)).toEqual([START + 13_999, START + 12_999, START + 14_000]);
  });

  it('is repeated from the edge itself if the second before it has more rows than a page, and bounds are inclusive', async () => {
    const crowd = [...rows(20, 20), { id: 21, time: START + 1000 }];
    const service = modelScans(crowd, { pageCap: 5, wholeSeconds: true });
    const edge = { timeMs: START + 1000, ids: new Set([21]) };
    const from = reading(service.read, { range: { ...range, sinceMs: START } });
    expect(await requestBeyond(from, 'ascending', edge, 21)).toBe(false);
    expect(service.state.requests).toBe(3);
  });

  it('is repeated from the edge itself if all rows are near the edge, because their total may be capped too', async () => {
    const near = [
      { id: 13, time: START + 13_500 },
      ...rows(3, 1).map(({ id }) => ({ id: 13 + id, time: START + 14_000 })),
    ];
    const ask = async (how: ModelScansOptions, beyond: ModelRow[] = []) => {
      const requests: ScanPageRequest[] = [];
      const service = modelScans([...near, ...beyond], { cap: 4, ...how });
      const read = (request: ScanPageRequest) => {
        requests.push(request);
        return service.read(request);
      };
      const edge = edgeAt(14, 14, 15, 16);
      return {
        more: await requestBeyond(reading(read, { range }), 'ascending', edge, 4),
        since: requests.map(({ sinceMs }) => sinceMs),
      };
    };
    const since = [START + 13_999, START + 14_000];
    expect(await ask({ wholeSeconds: true })).toEqual({ more: false, since });
    expect(await ask({ wholeSeconds: true, sinceInclusive: false })).toEqual({ more: false, since });
    expect((await ask({ wholeSeconds: true }, [{ id: 17, time: START + 15_000 }])).more).toBe(true);
  });

  it('is repeated one second beyond the edge if all known rows are in the same whole second as the edge', async () => {
    const near = [
      { id: 13, time: START + 14_000 },
      ...[14, 15, 16].map((id) => ({ id, time: START + 14_500 })),
    ];
    const beyond = { id: 17, time: START + 16_000 };
    const ask = (all: ModelRow[]) => {
      const service = modelScans(all, { cap: 4, wholeSeconds: true });
      const edge = { timeMs: START + 14_500, ids: new Set([14, 15, 16]) };
      return askModel(service, 'ascending', edge, 4);
    };
    expect(await ask(near)).toBe(false);
    expect(await ask([...near, beyond])).toBe(true);
  });

  it('is inconclusive if only rows outside the range could show whether there are more', async () => {
    const service = modelScans(rows(100), { ignoresBounds: true });
    const edge = { timeMs: START + 99_000, ids: new Set([100]) };
    const until = { ...range, untilMs: START + 99_500 };
    expect(
      await requestBeyond(reading(service.read, { range: until }), 'ascending', edge, 100),
    ).toBeUndefined();
    const old = modelScans([...rows(30, 30), { id: 99, time: START + 20_000 }], {
      cap: 10,
      order: 'descending',
      pageCap: 3,
      ignoresBounds: true,
    });
    const oldest = { timeMs: START, ids: new Set([22, 23, 24, 25, 26, 27, 28, 29, 30]) };
    expect(await askModel(old, 'descending', oldest, 10)).toBeUndefined();
  });

  it('covers the page after a full page at the edge, where a total that is one too small hides a row', async () => {
    const hidden = rows(38).map((row) => (row.id > 30 ? { ...row, time: START + 60_000 } : row));
    const service = modelScans(hidden, { pageCap: 7, lie: (total) => total - 1 });
    const edge = { timeMs: START + 60_000, ids: new Set([31, 32, 33, 34, 35, 36, 37]) };
    expect(await askModel(service, 'ascending', edge, 37)).toBe(true);
  });

  it('finds omitted rows at the edge itself, where other rows are known', async () => {
    const service = modelScans([...rows(30, 30), { id: 99, time: START + 20_000 }], {
      cap: 10,
      order: 'descending',
      pageCap: 3,
    });
    const edge = { timeMs: START, ids: new Set([22, 23, 24, 25, 26, 27, 28, 29, 30]) };
    expect(await askModel(service, 'descending', edge, 10)).toBe(true);
  });

  it('is inconclusive if the service ignores bounds and counts the whole range for every part', async () => {
    const service = modelScans(rows(100), { ignoresBounds: true });
    const edge = { timeMs: START + 99_000, ids: new Set([100]) };
    expect(await askModel(service, 'ascending', edge, 100)).toBeUndefined();
    expect(service.state.requests).toBe(4);
  });

  it('is inconclusive at the border of the range, where rows at the edge itself may be omitted', async () => {
    const atBorder = await asked('ascending', { timeMs: RANGE.untilMs, ids: new Set([1]) });
    expect(atBorder.more).toBeUndefined();
    expect(atBorder.requests).toHaveLength(2);
  });

  it('is inconclusive if only a request one second beyond the edge, outside the range, could show more rows', async () => {
    const ids = new Set(Array.from({ length: 100 }, (_, i) => i + 1));
    const near = await asked('ascending', { timeMs: RANGE.untilMs - 500, ids });
    expect(near.more).toBeUndefined();
    expect(near.requests).toHaveLength(1);
  });

  it('is not sent if all times beyond the edge are outside the range', async () => {
    const unasked = { more: false, requests: [] };
    expect(await asked('ascending', { timeMs: RANGE.untilMs + 1, ids: new Set() })).toEqual(unasked);
    expect(await asked('descending', { timeMs: START - 1, ids: new Set() })).toEqual(unasked);
  });
});

describe('requests beyond rows that all have the same time', () => {
  const ask = (script: ScanPage[], second = 14) => {
    const requests: ScanPageRequest[] = [];
    const read = async (request: ScanPageRequest) => {
      requests.push(request);
      return script[requests.length - 1] ?? page([], { total: 2 });
    };
    const job = reading(read, { range });
    return requestBeyond(job, 'ascending', edgeAt(second, 14, 15), 2).then((more) => ({ more, requests }));
  };

  it('are sent in both directions, because the order of the rows is unknown', async () => {
    const { more, requests } = await ask([page([]), page([])]);
    expect(more).toBe(false);
    expect(requests.map(({ sinceMs, untilMs }) => [sinceMs, untilMs])).toEqual([
      [START + 14_001, RANGE.untilMs + 1000],
      [START - 1000, START + 14_000],
    ]);
    expect((await ask([page([16])])).more).toBe(true);
    expect((await ask([page([]), page([13])])).more).toBe(true);
  });

  it('are repeated one second further out if the service rounds bounds down', async () => {
    const same = page([14, 15], { total: 2, times: [14, 14] });
    const { more, requests } = await ask([same, page([]), same, same, page([])]);
    expect(more).toBe(false);
    expect(requests.slice(0, 2).map(({ sinceMs }) => sinceMs)).toEqual([START + 14_001, START + 15_001]);
    const untils = requests.slice(2).map(({ untilMs = 0 }) => untilMs - START);
    expect(untils).toEqual([14_000, 13_999, 12_999]);
  });

  it('for earlier rows first end at that time if it is a whole second, and otherwise 1 ms before it', async () => {
    const untils = async (second: number) =>
      (await ask([page([]), page([])], second)).requests.map(({ untilMs }) => untilMs);
    for (const second of [14, 14.001]) expect((await untils(second))[1]).toBe(START + 14_000);
    expect((await untils(14.5))[1]).toBe(START + 14_499);
  });

  it.each([14, 14.5])(
    'find rows in the previous second if the service rounds bounds down (rows at %d s)',
    async (at) => {
      const times = [...Array(5).fill(13), ...Array(5).fill(at)];
      const all = times.map((second, id) => ({ id, time: START + second * 1000 }));
      const { read } = modelScans(all, { order: 'descending', pageCap: 3, cap: 3, wholeSeconds: true });
      const bounds = { sinceMs: START, untilMs: START + at * 1000 + 1 };
      const edge = { timeMs: START + at * 1000, ids: new Set([7, 8, 9]) };
      expect(await requestBeyond(reading(read, { range: bounds }), 'descending', edge, 3)).toBe(true);
    },
  );

  it('are sent only for earlier rows if all later times are outside the range', async () => {
    const edge = { timeMs: RANGE.untilMs - 1, ids: new Set([14, 15]) };
    const { read, asked: pages } = answers(page([]));
    expect(await requestBeyond(reading(read, { range }), 'ascending', edge, 2)).toBe(false);
    expect(pages).toEqual([1]);
  });

  it('are inconclusive if either of the two requests is inconclusive', async () => {
    expect(await ask([page([], { total: 2 }), page([], { total: 2 })])).toMatchObject({
      more: undefined,
      requests: { length: 2 },
    });
    expect((await ask([page([])])).more).toBeUndefined();
  });
});

describe('a request beyond an edge with 30 rows', () => {
  const dense = (how: ModelScansOptions) => modelScans(rows(300, 30), { pageCap: 7, ...how });
  const job = ({ read }: ReturnType<typeof modelScans>) =>
    reading(read, { range: { ...range, sinceMs: START - 1 } });
  const newest = { timeMs: START + 9000, ids: new Set(Array.from({ length: 30 }, (_, i) => 271 + i)) };

  it('is the only request if the service counts as many rows as are known at the edge, on a page that is not full', async () => {
    const service = dense({ pageCap: 31 });
    expect(await requestBeyond(job(service), 'ascending', newest, 300)).toBe(false);
    expect(service.state.requests).toBe(1);
  });

  it('is followed by requests for all rows at the edge if a page is full, because each total may omit a hidden row', async () => {
    const service = modelScans([...rows(300, 30), { id: 999, time: START + 9000 }], {
      pageCap: 7,
      lie: (total) => total - 1,
    });
    expect(await requestBeyond(job(service), 'ascending', newest, 300)).toBe(true);
  });

  it('is followed by more requests if the service counts more rows than are known, and a hidden row is found', async () => {
    const near = [...rows(300, 30), { id: 999, time: START + 8999 }];
    const service = modelScans(near, { pageCap: 7 });
    expect(await requestBeyond(job(service), 'ascending', newest, 301)).toBe(false);
    expect(service.state.requests).toBe(6);
    const known = { ...newest, ids: new Set([...newest.ids].slice(0, 29)) };
    expect(await requestBeyond(job(modelScans(near, { pageCap: 7 })), 'ascending', known, 301)).toBe(true);
  });
});

describe('the number of scans in a range', () => {
  const range = { sinceMs: START + 2000, untilMs: START + 5000 };
  const count = async (answer: ScanPage, bounds: Parameters<typeof countRange>[1] = range) => {
    const requests: ScanPageRequest[] = [];
    const read = async (request: ScanPageRequest) => {
      requests.push(request);
      return answer;
    };
    const { scans, isCapped, isWhole, inside } = await countRange(read, bounds);
    return { scans, isCapped, isWhole, ids: inside.map(({ id }) => Number(id)), requests };
  };

  it('excludes the rows in the margins that page 1 contains', async () => {
    const found = await count(page([1, 2, 3, 4, 5]));
    expect(found).toMatchObject({ scans: 3, isCapped: false, isWhole: true, ids: [2, 3, 4] });
    expect(found.requests).toEqual([
      { page: 1, limit: 500, sinceMs: range.sinceMs - 1000, untilMs: range.untilMs + 1000 },
    ]);
    expect(await count(page([3, 4, 5, 6], { total: 11 }))).toMatchObject({ scans: 9, isWhole: false });
    expect(await count(page([1, 2, 3, 4, 5]), {})).toMatchObject({ scans: 5, ids: [1, 2, 3, 4, 5] });
  });

  it('is never negative, and is marked as capped if the total may be capped (C10)', async () => {
    expect(await count(page([7, 8, 9], { total: 1 }))).toMatchObject({ scans: 0, ids: [] });
    const round = Array.from({ length: 50 }, (_, i) => i + 1);
    const times = round.map(() => 3);
    expect(await count(page(round, { times }))).toMatchObject({ scans: 50, isCapped: true, isWhole: false });
  });
});
