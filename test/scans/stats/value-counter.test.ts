import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createValueCounter } from '#scans/stats/value-counter';
import { runs } from '../../support/property-runs.ts';

function countsOf(counter: ReturnType<typeof createValueCounter>) {
  return [...counter.counts()].map(([value, scans]) => ({ value, scans }));
}

function countedOf(counter: ReturnType<typeof createValueCounter>): Record<string, number> {
  return Object.fromEntries(countsOf(counter).map(({ value, scans }) => [String(value), scans]));
}

describe('counts of values', () => {
  it('are exact for at most as many values as counters, and count empty text as no value', () => {
    const counter = createValueCounter(3);
    for (const value of ['DE', 'FR', 'DE', '', null]) counter.add(value);
    expect(countedOf(counter)).toEqual({ DE: 2, FR: 1, null: 2 });
    expect(counter.isApproximate()).toBe(false);
  });

  it('no longer include the rarest value once a new value replaces it', () => {
    const counter = createValueCounter(3);
    for (const [value, scans] of [['a', 1] as const, ['b', 5] as const, ['c', 9] as const])
      counter.add(value, scans);
    counter.add('d');
    counter.add('d', 20);
    counter.add('e');
    expect(countedOf(counter)).toEqual({ c: 9, d: 21, e: 1 });
    counter.add('f', 2);
    expect(countedOf(counter)).toEqual({ c: 9, d: 21, f: 2 });
  });

  it('are never higher than the real number of scans (F2)', () => {
    const values = fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 300 });
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 20 }), (given, most) => {
        const counter = createValueCounter(most);
        const truth = new Map<string, number>();
        for (const value of given) {
          counter.add(`v${value}`);
          truth.set(`v${value}`, (truth.get(`v${value}`) ?? 0) + 1);
        }
        for (const { value, scans } of countsOf(counter))
          expect(scans).toBeLessThanOrEqual(truth.get(String(value)) ?? 0);
        if (truth.size <= most)
          expect(new Map(countsOf(counter).map(({ value, scans }) => [value, scans]))).toEqual(truth);
        expect(countsOf(counter).length).toBeLessThanOrEqual(most);
      }),
      runs(60, 10_000),
    );
  });

  it('remain approximate when counters are added up', () => {
    const [counter, all] = [createValueCounter(2), createValueCounter()];
    for (const value of ['a', 'a', 'b', 'c']) counter.add(value);
    all.addAll(counter);
    expect([countedOf(all), all.isApproximate()]).toEqual([{ a: 2, c: 1 }, true]);
  });

  it('distinguish long values with equal beginnings, and shorten these values', () => {
    const counter = createValueCounter();
    const long = 'x'.repeat(10_000);
    counter.add(`${long}a`);
    counter.add(`${long}b`);
    counter.add(`${long}b`);
    expect(countsOf(counter).map(({ scans }) => scans)).toEqual([1, 2]);
    expect(countsOf(counter).every(({ value }) => (value ?? '').length < 1100)).toBe(true);
  });
});

describe('an evicted value', () => {
  it('causes an error of at most the number of scans divided by the number of counters (F1)', () => {
    const values = fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 400 });
    fc.assert(
      fc.property(values, fc.integer({ min: 2, max: 12 }), fc.boolean(), (given, most, isSkewed) => {
        const counter = createValueCounter(most);
        const truth = new Map<string, number>();
        for (const value of given) {
          const name = `v${isSkewed ? Math.floor(value ** 2 / 40) : value}`;
          counter.add(name);
          truth.set(name, (truth.get(name) ?? 0) + 1);
        }
        // Metwally et al.: no error is larger than the number of scans per kept value.
        const found = new Map(countsOf(counter).map(({ value, scans }) => [value, scans]));
        for (const [value, scans] of truth)
          expect(found.get(value) ?? 0).toBeGreaterThanOrEqual(scans - given.length / most);
      }),
      runs(100, 20_000),
    );
  });

  it('leaves its count as the error of the new value, which is shown without that error (F2)', () => {
    const counter = createValueCounter(3);
    for (const [value, scans] of [
      ['a', 6],
      ['b', 2],
      ['c', 4],
      ['d', 3],
    ] as const)
      counter.add(value, scans);
    // b was given up: d has 2 + 3 scans, of which 2 may be others.
    expect(countedOf(counter)).toEqual({ a: 6, c: 4, d: 3 });
    counter.add('e', 1);
    expect(countedOf(counter)).toEqual({ a: 6, e: 1, d: 3 });
    counter.add('d', 2);
    counter.add('f', 1);
    expect(countedOf(counter)).toEqual({ a: 6, d: 5, f: 1 });
    expect(counter.isApproximate()).toBe(true);
  });

  it('leaves no value to show if no scan is certain', () => {
    const counter = createValueCounter(1);
    counter.add('a', 5);
    counter.add('b', 0);
    expect(countsOf(counter)).toEqual([]);
  });
});

describe('a long value', () => {
  it('is kept up to 1,024 characters, and is otherwise truncated and followed by a hash of 16 digits', () => {
    const counter = createValueCounter();
    for (const length of [1024, 1025]) counter.add('x'.repeat(length));
    const [short, long] = countsOf(counter).map(({ value }) => value ?? '');
    expect(short).toBe('x'.repeat(1024));
    expect(long).toMatch(/^x{1005}… #[0-9a-f]{16}$/);
    const merged = createValueCounter();
    merged.addAll(counter);
    expect([...merged.counts().keys()]).toContain(long);
    counter.add('x'.repeat(1025));
    expect(countsOf(counter).map(({ scans }) => scans)).toEqual([1, 2]);
  });
});
