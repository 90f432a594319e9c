import { describe, expect, it } from 'vitest';
import { countIn, createLogIndex, dayOf, emptyIndex, sumOf } from '#scans/verify/log-index';

const DAY_MS = 86_400_000;

describe('createLogIndex', () => {
  it('counts the distinct scans for each code and day, and the rows that repeat a scan', () => {
    const index = createLogIndex(() => true);
    index.add('a', 1, 10);
    index.add('a', 2, DAY_MS - 1);
    index.add('a', 3, DAY_MS);
    index.add('a', 1, 10);
    index.add('a', 1, DAY_MS);
    index.add('b', 1, 10);
    expect([...index.codes()]).toEqual(['a', 'b']);
    expect(index.of('c')).toBeUndefined();
    expect(index.of('a')).toMatchObject({
      rows: 3,
      days: new Map([
        [0, 2],
        [1, 1],
      ]),
      twice: new Map([
        [0, 1],
        [1, 1],
      ]),
    });
    expect(index.of('b')).toMatchObject({ rows: 1, twice: new Map() });
  });

  it('returns the times of the first and the last scan that its filter accepts, whatever the code', () => {
    const index = createLogIndex((code, ms) => code !== 'c' && ms < 1000);
    expect(index.span()).toEqual({ firstMs: Number.POSITIVE_INFINITY, lastMs: Number.NEGATIVE_INFINITY });
    index.add('a', 1, 500);
    index.add('b', 2, 700);
    index.add('a', 3, 100);
    index.add('b', 4, 300);
    index.add('b', 5, 1000);
    index.add('c', 6, 50);
    expect(index.span()).toEqual({ firstMs: 100, lastMs: 700 });
  });

  it('returns the same sum of hashed IDs in any order of rows (V4)', () => {
    const ids = [7, -3, 2 ** 40 + 5, 9_007_199_254_740_993n, -(2n ** 70n)];
    const index = createLogIndex(() => true);
    for (const id of [...ids].reverse()) index.add('a', id, 0);
    index.add('a', 7, 0);
    expect(index.of('a')?.sum).toBe(sumOf(ids));
    expect(emptyIndex().sum).toBe(sumOf([]));
  });
});

describe('sumOf', () => {
  it('differs for IDs that differ in their low or their high bits, even beyond 2^53 (V4)', () => {
    const high = [0, 1, 2, 2 ** 19];
    const low = [0, 1, 2, 3, 4, 1000, 65_536, 2 ** 31, 2 ** 32 - 1];
    const numbers = high.flatMap((part) => low.map((rest) => part * 2 ** 32 + rest));
    expect(new Set(numbers.map((id) => sumOf([id]))).size).toBe(numbers.length);
    const large = high.flatMap((part) =>
      low.map((rest) => ((BigInt(part) + 2n ** 22n) << 32n) + BigInt(rest)),
    );
    expect(new Set(large.map((id) => sumOf([id]))).size).toBe(large.length);
  });

  it('is the same for an ID as a number and as a bigint', () => {
    for (const id of [0, 1, 2 ** 31, 2 ** 32 + 7, 2 ** 53 - 1, -1])
      expect(sumOf([BigInt(id)])).toBe(sumOf([id]));
  });

  it('differs between sets of IDs that differ in one ID, and between sets with the same total (V4)', () => {
    const ids = Array.from({ length: 500 }, (_, at) => at + 1);
    const others = ids.map((id) => sumOf([...ids.filter((other) => other !== id), 501]));
    expect(new Set([...others, sumOf(ids)]).size).toBe(501);
    // Pairs of equal total: one apart to each side.
    expect(sumOf([10, 20])).not.toBe(sumOf([11, 19]));
  });
});

describe('countIn', () => {
  const index = createLogIndex(() => true);
  for (const day of [-1, 0, 1, 2])
    for (let id = 0; id < day + 2; id++) index.add('a', 10 * (day + 2) + id, day * DAY_MS + id);
  const of = index.of('a') ?? emptyIndex();

  it('counts the scans of each day that the range includes in whole or in part', () => {
    expect(countIn(of, { sinceMs: undefined, untilMs: 3 * DAY_MS })).toBe(1 + 2 + 3 + 4);
    expect(countIn(of, { sinceMs: undefined, untilMs: 2 * DAY_MS })).toBe(1 + 2 + 3);
    expect(countIn(of, { sinceMs: 0, untilMs: 2 * DAY_MS })).toBe(2 + 3);
    expect(countIn(of, { sinceMs: DAY_MS + 5, untilMs: 2 * DAY_MS + 1 })).toBe(3 + 4);
  });
});

describe('dayOf', () => {
  it('returns the number of UTC days since 1 January 1970', () => {
    expect([-1, 0, DAY_MS - 1, DAY_MS].map(dayOf)).toEqual([-1, 0, 0, 1]);
  });
});
