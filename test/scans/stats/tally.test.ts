/** Counts of scans by hour, value and code. */
import { describe, expect, it } from 'vitest';
import { type Dimension, groupOf } from '#scans/stats/dimensions';
import { createTally, keyOf, partsOf } from '#scans/stats/tally';

const HOUR = 3_600_000;
const [A, B] = [{ value: 'a' }, { value: 'b' }];

function tallyBy(dimensions: readonly Dimension[], offsetMs: (ms: number) => number = () => 0) {
  return createTally(dimensions.map(groupOf), offsetMs);
}

function countsOf(tally: ReturnType<typeof tallyBy>, by: string) {
  return Object.fromEntries(
    [...(tally.values.get(by)?.counts() ?? [])].map(([value, scans]) => [String(value), scans]),
  );
}

describe('a tally', () => {
  it('counts by local hour and by code, whatever the order of the scans', () => {
    const tally = tallyBy(['day', 'code'], (ms) => (ms < 2 * HOUR ? 0 : HOUR));
    for (const [ms, code] of [
      [0, A],
      [HOUR - 1, A],
      [HOUR, A],
      [HOUR + 1, B],
      [2 * HOUR, A],
      [1, A],
    ] as const)
      tally.add(ms, {}, code);
    expect([...tally.hours]).toEqual([
      [0, 3],
      [1, 2],
      [3, 1],
    ]);
    expect(countsOf(tally, 'code')).toEqual({ a: 5, b: 1 });
    expect([tally.total(), tally.span()]).toEqual([6, { firstMs: 0, lastMs: 2 * HOUR }]);
  });

  it('can be read between two additions', () => {
    const tally = tallyBy(['hour', 'code']);
    tally.add(0, {}, A);
    expect([[...tally.hours], countsOf(tally, 'code')]).toEqual([[[0, 1]], { a: 1 }]);
    tally.add(1, {}, A);
    expect([countsOf(tally, 'code'), [...tally.hours]]).toEqual([{ a: 2 }, [[0, 2]]]);
  });

  it('has values as text, and null for values that are missing, null or empty', () => {
    const tally = tallyBy(['country', 'city']);
    for (const scan of [
      { country: 'DE', city: 7 },
      { country: null, city: true },
      { city: 'Bonn' },
      { country: '', city: 7n },
    ]) {
      tally.add(0, scan, A);
    }
    expect(countsOf(tally, 'country')).toEqual({ DE: 1, null: 3 });
    expect(countsOf(tally, 'city')).toEqual({ 7: 2, true: 1, Bonn: 1 });
  });

  it('has only the requested counts, and a single hour if no group is a time unit', () => {
    const tally = tallyBy(['country'], () => Number.NaN);
    tally.add(5 * HOUR, { country: 'DE', city: 'Bonn' }, A);
    expect([[...tally.hours], [...tally.values.keys()], tally.total()]).toEqual([[[0, 1]], ['country'], 1]);
  });

  it('has no first and last time if the time of some scans is unknown', () => {
    const tally = tallyBy(['code']);
    tally.addMany({ sinceMs: undefined, untilMs: HOUR }, A, 5);
    expect([tally.total(), tally.span()]).toEqual([5, undefined]);
    const sum = tallyBy(['code']);
    sum.addMany({ sinceMs: HOUR, untilMs: 2 * HOUR }, B, 1);
    expect(sum.span()).toEqual({ firstMs: HOUR, lastMs: HOUR });
    sum.addAll(tally);
    expect([sum.total(), sum.span()]).toEqual([6, undefined]);
  });

  it.each([
    [24 * HOUR, { firstMs: HOUR, lastMs: HOUR }],
    [26 * HOUR, { firstMs: HOUR, lastMs: HOUR }],
    [26 * HOUR + 1, undefined],
  ])('knows the times of scans in a period of %i ms only if it can be a local day', (length, span) => {
    const tally = tallyBy(['code']);
    tally.addMany({ sinceMs: HOUR, untilMs: HOUR + length }, A, 5);
    expect([tally.total(), tally.span()]).toEqual([5, span]);
  });

  it('adds several scans in one time unit with one call', () => {
    const tally = tallyBy(['day', 'code']);
    const unit = (sinceMs: number) => ({ sinceMs, untilMs: sinceMs + HOUR });
    tally.addMany(unit(HOUR), A, 5);
    tally.addMany(unit(2 * HOUR), A, 0);
    tally.addMany(unit(0), B, -1);
    const expected = [5, { firstMs: HOUR, lastMs: HOUR }, [[1, 5]]];
    expect([tally.total(), tally.span(), [...tally.hours]]).toEqual(expected);
    expect(countsOf(tally, 'code')).toEqual({ a: 5 });
  });

  it('adds all counts of another tally', () => {
    const [tally, other, empty] = [
      tallyBy(['day', 'code']),
      tallyBy(['day', 'code', 'country']),
      tallyBy(['day', 'code']),
    ];
    tally.add(5 * HOUR, {}, A);
    other.add(2 * HOUR, { country: 'DE' }, A);
    other.add(9 * HOUR, { country: 'DE' }, B);
    tally.addAll(other);
    tally.addAll(empty);
    tally.add(5 * HOUR, {}, A);
    expect([tally.total(), tally.span()]).toEqual([4, { firstMs: 2 * HOUR, lastMs: 9 * HOUR }]);
    expect(new Map(tally.hours)).toEqual(
      new Map([
        [5, 2],
        [2, 1],
        [9, 1],
      ]),
    );
    expect(countsOf(tally, 'code')).toEqual({ a: 3, b: 1 });
    expect([empty.span(), empty.total(), [...tally.values.keys()]]).toEqual([undefined, 0, ['code']]);
  });
});

it('the key of a pair contains its two values, without their null characters', () => {
  expect(partsOf(keyOf('a\0b\0c', null))).toEqual(['a b c', '']);
  expect(partsOf(keyOf('Berlin', 7))).toEqual(['Berlin', '7']);
});
