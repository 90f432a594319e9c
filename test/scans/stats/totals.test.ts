import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fetchInOrder } from '#base/parallel';
import { readFirst, widened } from '#scans/export/range';
import { countByTotals } from '#scans/stats/readings';
import { type ModelRow, type ModelScansOptions, modelScans } from '../../support/model-service/scans.ts';
import { runs } from '../../support/property-runs.ts';

const START = 1_760_000_000_000;
const RANGE = { sinceMs: START, untilMs: START + 100_000 };
const CUTS = [START + 30_000, START + 60_000];

function rowsAt(times: readonly number[]): ModelRow[] {
  return times.map((time, i) => ({ id: i + 1, time: START + time }));
}

async function countParts(
  rows: readonly ModelRow[],
  how: ModelScansOptions = {},
  cuts: readonly number[] = CUTS,
) {
  const service = modelScans(rows, how);
  const asked = widened(RANGE);
  const first = await readFirst(service.read, asked);
  const parts = await countByTotals({
    read: service.read,
    fetchInOrder,
    width: 2,
    range: RANGE,
    asked,
    first,
    cuts,
  });
  return { parts, requests: service.state.requests };
}

function truth(rows: readonly ModelRow[], cuts: readonly number[] = CUTS): number[] {
  const ends = [RANGE.sinceMs, ...cuts, RANGE.untilMs];
  return ends
    .slice(1)
    .map((end, i) => rows.filter(({ time }) => time >= (ends[i] ?? 0) && time < end).length);
}

describe('totals for the parts of a range', () => {
  it('take one request per part in addition to the first page', async () => {
    const rows = rowsAt([5, 10, 40_000, 70_000, 99_000]);
    expect(await countParts(rows)).toEqual({ parts: [2, 1, 2], requests: 4 });
  });

  it('are rejected if a scan at a cut is counted on both sides (F7)', async () => {
    const rows = rowsAt([5, 30_000, 40_000]);
    expect((await countParts(rows, { untilInclusive: true })).parts).toBeUndefined();
    expect((await countParts(rows, { untilInclusive: true, sinceInclusive: false })).parts).toBeUndefined();
    expect((await countParts(rows, { sinceInclusive: false })).parts).toEqual([1, 2, 0]);
  });

  it('are rejected if a scan arrives between the requests (F7)', async () => {
    const arrivals = new Map([[3, [{ id: 99, time: START + 50_000 }]]]);
    expect((await countParts(rowsAt([5, 40_000, 70_000]), { arrivals })).parts).toBeUndefined();
  });

  it('that may be capped are accepted only if the service has no scan beyond the last scan (F8)', async () => {
    const rows = rowsAt(Array.from({ length: 1200 }, (_, i) => 31_000 + i));
    expect((await countParts(rows, { cap: 1000 })).parts).toBeUndefined();
    expect((await countParts(rows.slice(0, 1199))).parts).toEqual([0, 1199, 0]);
    for (const order of ['ascending', 'descending'] as const) {
      // One request shows that nothing is beyond the last row, which another one has if it is not in the last part.
      expect(await countParts(rows.slice(0, 1000), { order })).toEqual({ parts: [0, 1000, 0], requests: 6 });
      expect(await countParts(rows.slice(0, 1000), { order }, [])).toEqual({ parts: [1000], requests: 3 });
      expect((await countParts(rows, { order, cap: 1000 }, [])).parts).toBeUndefined();
    }
  });

  it.each(['ascending', 'descending'] as const)(
    'exclude scans in the margins of the range, with pages in %s order (F9)',
    async (order) => {
      const rows = rowsAt([-1000, -1, 0, 1, 40_000, 99_999, 100_000, 100_999, 101_500]);
      expect((await countParts(rows, { order })).parts).toEqual([2, 1, 1]);
    },
  );

  it('are rejected if the pages are not in chronological order', async () => {
    const rows = rowsAt(Array.from({ length: 30 }, (_, i) => i * 3000));
    expect((await countParts(rows, { order: 'none' })).parts).toBeUndefined();
  });

  it('are correct or rejected, whatever bounds the service applies', async () => {
    const time = fc.oneof(
      fc.integer({ min: -3000, max: 103_000 }),
      fc.constantFrom(-1, 0, 1, 29_000, 29_999, 30_000, 30_001, 59_999, 60_000, 99_999, 100_000, 100_001),
    );
    const how = fc.record({
      order: fc.constantFrom('ascending' as const, 'descending' as const),
      sinceInclusive: fc.boolean(),
      untilInclusive: fc.boolean(),
      wholeSeconds: fc.boolean(),
      shuffleTies: fc.boolean(),
      ignoresBounds: fc.constantFrom(false, false, false, true),
      pageCap: fc.constantFrom(3, 7, 500),
      cap: fc.constantFrom(Number.POSITIVE_INFINITY, 50),
    });
    const cutsOf = fc.constantFrom(CUTS, []);
    const cases = { believed: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(time, { maxLength: 80 }), how, cutsOf, async (times, given, cuts) => {
        const rows = rowsAt(times);
        const { parts, requests } = await countParts(rows, given, cuts);
        // If the total may be capped, the last page and the requests by time are more.
        expect(requests).toBeLessThanOrEqual(cuts.length + 10 + Math.ceil(rows.length / given.pageCap));
        if (parts === undefined) return;
        cases.believed += 1;
        expect(parts).toEqual(truth(rows, cuts));
      }),
      runs(120, 30_000),
    );
    expect(cases.believed).toBeGreaterThan(0);
  });
});

describe('totals for the parts at the ends of a range', () => {
  it('are rejected if the page at an end has only scans outside the range, unless it has all scans', async () => {
    const before = [-900, -800, -700, -600].map((time) => time);
    expect((await countParts(rowsAt([...before, 10, 40_000]), { pageCap: 3 })).parts).toBeUndefined();
    expect((await countParts(rowsAt([...before, 10, 40_000]), { pageCap: 6 })).parts).toEqual([1, 1, 0]);
    expect((await countParts(rowsAt(before), { pageCap: 6 })).parts).toEqual([0, 0, 0]);
    const after = [100_100, 100_200, 100_300, 100_400];
    expect(
      (await countParts(rowsAt([10, 40_000, ...after]), { pageCap: 3, order: 'descending' })).parts,
    ).toBeUndefined();
  });

  it('are rejected if a part has fewer scans than its margin', async () => {
    const rows = rowsAt([-900, 70_000, 80_000]);
    const service = modelScans(rows, {});
    const asked = widened(RANGE);
    const first = await readFirst(service.read, asked);
    const page = await service.read({ page: 1, limit: 100, sinceMs: asked.sinceMs, untilMs: asked.untilMs });
    // The margin is counted with the whole, and then with the last part instead of the first one.
    const read: typeof service.read = async ({ limit }) => (limit === 1 ? { ...page, total: 0 } : page);
    const parts = await countByTotals({
      read,
      fetchInOrder,
      width: 2,
      range: RANGE,
      asked,
      first,
      cuts: CUTS,
    });
    expect(parts).toBeUndefined();
  });

  it('are rejected if the last page lacks rows', async () => {
    const rows = rowsAt([5, 40_000, 70_000, 80_000]);
    const service = modelScans(rows, {});
    const asked = widened(RANGE);
    const first = await readFirst(service.read, asked);
    const read: typeof service.read = async (request) => {
      const page = await service.read(request);
      return request.limit === 1 ? page : { ...page, rows: page.rows.slice(1), times: page.times.slice(1) };
    };
    const parts = await countByTotals({
      read,
      fetchInOrder,
      width: 2,
      range: RANGE,
      asked,
      first,
      cuts: CUTS,
    });
    expect(parts).toBeUndefined();
  });
});
