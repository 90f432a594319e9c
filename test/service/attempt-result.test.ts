import fc from 'fast-check';
import { expect, test } from 'vitest';
import { backoffMs } from '#service/attempt-result';

const state = { attempts: 1, spentMs: 0, retryForMs: 30_000, retryAfterMs: undefined, random: 0.999_999 };

test('the back-off doubles from 200 ms up to ten seconds, with full jitter', () => {
  const longest = [1, 2, 3, 4, 5, 6, 7, 8, 29].map((attempts) => backoffMs({ ...state, attempts }));
  expect(longest.map((ms) => ms && Math.round(ms))).toEqual([
    200, 400, 800, 1600, 3200, 6400, 10_000, 10_000, 10_000,
  ]);
  expect(backoffMs({ ...state, attempts: 6, random: 0 })).toBe(0);
});

test('no retry starts after the end of --retry-for, and --retry-for 0 allows no retry', () => {
  expect(backoffMs({ ...state, spentMs: 29_900 })).toBeUndefined();
  expect(backoffMs({ ...state, spentMs: 29_700 })).toBeDefined();
  expect(backoffMs({ ...state, spentMs: 899_700, retryForMs: 900_000 })).toBeDefined();
  expect(backoffMs({ ...state, retryForMs: 0, random: 0 })).toBeUndefined();
});

test('the number of attempts is bounded even if every random wait is 0', () => {
  expect(backoffMs({ ...state, attempts: 30, random: 0 })).toBeUndefined();
  expect(backoffMs({ ...state, attempts: 6, retryForMs: 1000, random: 0 })).toBe(0);
  expect(backoffMs({ ...state, attempts: 7, retryForMs: 1000, random: 0 })).toBeUndefined();
});

test('the back-off for a Retry-After of 7 s is at least 7 s, and is between 0 and 60.2 s for any Retry-After', () => {
  expect(backoffMs({ ...state, retryAfterMs: 7000, random: 0 })).toBe(7000);
  fc.assert(
    fc.property(fc.double({ min: -1e15, max: 1e15, noNaN: true }), (retryAfterMs) => {
      const ms = backoffMs({ ...state, retryForMs: 900_000, retryAfterMs });
      expect(ms).toBeGreaterThanOrEqual(0);
      expect(ms).toBeLessThanOrEqual(60_200);
    }),
  );
});
