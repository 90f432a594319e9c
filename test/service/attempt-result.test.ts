import fc from 'fast-check';
import { expect, test } from 'vitest';
import { backoffMs } from '../../src/service/attempt-result.ts';

const state = { attempts: 1, spentMs: 0, retryAfterMs: undefined, random: 0.999_999 };

test('doubles from 200 ms, with full jitter, and gives up after seven attempts', () => {
  const longest = [1, 2, 3, 4, 5, 6, 7].map((attempts) => backoffMs({ ...state, attempts }));
  expect(longest.map((ms) => ms && Math.round(ms))).toEqual([200, 400, 800, 1600, 3200, 6400, undefined]);
  expect(backoffMs({ ...state, attempts: 6, random: 0 })).toBe(0);
});

test('no attempt starts later than two minutes after the first', () => {
  expect(backoffMs({ ...state, spentMs: 119_900 })).toBeUndefined();
  expect(backoffMs({ ...state, spentMs: 119_700 })).toBeDefined();
});

test('Retry-After is honoured up to a minute, and nonsense is bounded', () => {
  expect(backoffMs({ ...state, retryAfterMs: 7000, random: 0 })).toBe(7000);
  fc.assert(
    fc.property(fc.double({ min: -1e15, max: 1e15, noNaN: true }), (retryAfterMs) => {
      const ms = backoffMs({ ...state, retryAfterMs });
      expect(ms).toBeGreaterThanOrEqual(0);
      expect(ms).toBeLessThanOrEqual(60_200);
    }),
  );
});
