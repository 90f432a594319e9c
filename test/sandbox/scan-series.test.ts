import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSeries, type SeriesShape } from '#sandbox/scan-series';
import { runs } from '../support/property-runs.ts';

const DAY_MS = 86_400_000;
const END = Date.UTC(2025, 0, 1);

function shape(changes: Partial<SeriesShape> = {}): SeriesShape {
  const arrivals = { fromMs: END, perSecond: 0, most: 0 };
  return {
    seed: 1,
    code: 0,
    base: 1000,
    startMs: END - 90 * DAY_MS,
    endMs: END,
    tieSize: 3,
    idOffset: 0n,
    arrivals,
    ...changes,
  };
}

const anyShape = fc.record({
  seed: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
  code: fc.nat(1000),
  base: fc.integer({ min: 1, max: 400 }),
  startMs: fc.integer({ min: END - 400 * DAY_MS, max: END - 1000 }),
  tieSize: fc.integer({ min: 1, max: 50 }),
  perSecond: fc.integer({ min: 0, max: 1000 }),
});

describe('a series of scans', () => {
  test('has times that never decrease, and IDs that always increase', () => {
    fc.assert(
      fc.property(anyShape, ({ perSecond, ...changes }) => {
        const arrivals = { fromMs: END, perSecond, most: 50 };
        const series = createSeries(shape({ ...changes, arrivals }));
        const count = series.count(END + 1_000_000);
        const scans = Array.from({ length: count }, (_, index) => JSON.parse(series.jsonAt(index)));
        for (let index = 0; index < count; index++) {
          const ms = series.timeAt(index);
          expect(Date.parse(scans[index].ts)).toBe(ms);
          if (index < changes.base) expect(ms >= changes.startMs && ms < END).toBe(true);
          if (index === 0) continue;
          expect(ms).toBeGreaterThanOrEqual(series.timeAt(index - 1));
          expect(scans[index].id).toBeGreaterThan(scans[index - 1].id);
        }
      }),
      runs(20),
    );
  });

  test('finds the first scan at or after a time', () => {
    fc.assert(
      fc.property(anyShape, fc.double({ min: -0.1, max: 1.1, noNaN: true }), (changes, where) => {
        const series = createSeries(shape(changes));
        const ms = Math.round(changes.startMs + (END - changes.startMs) * where);
        const times = Array.from({ length: changes.base }, (_, index) => series.timeAt(index));
        const first = times.findIndex((time) => time >= ms);
        expect(series.lowerBound(ms, changes.base)).toBe(first < 0 ? changes.base : first);
      }),
    );
  });

  test('is the same for the same seed and code, and different for another seed or code', () => {
    const rows = (changes: Partial<SeriesShape>) => {
      const series = createSeries(shape(changes));
      return Array.from({ length: 20 }, (_, index) => series.jsonAt(index));
    };
    expect(rows({})).toEqual(rows({}));
    expect(rows({ seed: 2 })).not.toEqual(rows({}));
    expect(rows({ code: 1 })).not.toEqual(rows({}));
  });

  test('has some scans with equal times, unless tieSize is 1', () => {
    const ties = (tieSize: number) => {
      const series = createSeries(shape({ tieSize }));
      return Array.from(
        { length: 999 },
        (_, index) => series.timeAt(index) === series.timeAt(index + 1),
      ).filter(Boolean).length;
    };
    expect(ties(3)).toBeGreaterThan(40);
    expect(ties(1)).toBe(0);
  });

  test('that ends within an hour has the usual rate for that hour of the day until its end', () => {
    const startMs = Date.UTC(2024, 11, 31, 2);
    const series = createSeries(shape({ startMs, endMs: startMs + 2.5 * 3_600_000, tieSize: 1 }));
    const counts = [0, 0, 0, 0, 0];
    for (let index = 0; index < 1000; index++) {
      const half = Math.floor((series.timeAt(index) - startMs) / 1_800_000);
      counts[half] = (counts[half] ?? 0) + 1;
    }
    expect(counts).toEqual([260, 260, 180, 180, 120]);
  });

  test('grows by new scans at the specified rate, up to the specified number', () => {
    const series = createSeries(shape({ base: 10, arrivals: { fromMs: END, perSecond: 4, most: 30 } }));
    const counts = [0, 249, 250, 1000, 60_000].map((ms) => series.count(END + ms));
    expect(counts).toEqual([10, 10, 11, 14, 40]);
    expect(series.timeAt(13)).toBe(END + 1000);
  });

  test('can have IDs beyond 2^53, with all their digits', () => {
    const series = createSeries(shape({ idOffset: 9_007_199_254_740_993n }));
    const ids = Array.from({ length: 10 }, (_, index) => /"id":(\d+)/.exec(series.jsonAt(index))?.[1] ?? '');
    expect(BigInt(ids[1] ?? 0) > BigInt(ids[0] ?? 0) && BigInt(ids[0] ?? 0) > 2n ** 53n).toBe(true);
    expect(ids.some((id) => String(Number(id)) !== id)).toBe(true);
  });

  test('with ten million scans needs less than 50 MiB of memory', () => {
    const series = createSeries(shape({ base: 10_000_000 }));
    const before = process.memoryUsage().heapUsed;
    for (let n = 0; n < 1000; n++) {
      const index = series.lowerBound(END - n * 3_600_000, series.base);
      if (index < series.base) series.jsonAt(index);
    }
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(50 * 2 ** 20);
  });
});
