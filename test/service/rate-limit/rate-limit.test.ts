import { describe, expect, it } from 'vitest';
import { costOf } from '../../../src/service/rate-limit/rate-limit.ts';

describe('the cost of requests', () => {
  const limit = { plan: 'pro', limit: 60, remaining: 20, resetMs: undefined, resetInMs: 30_000 };

  it.each([
    [0, 0, 0],
    [20, 1, 0],
    [21, 2, 30_000],
    [80, 2, 30_000],
    [81, 3, 90_000],
  ])('%d requests: %d windows and %d ms of waiting', (requests, windows, waitMs) => {
    expect(costOf(requests, limit)).toEqual({ requests, windows, waitMs });
  });

  it('uses the requests left in the current window', () => {
    expect(costOf(60, { ...limit, remaining: 0 })).toMatchObject({ windows: 1, waitMs: 30_000 });
    expect(costOf(60, { ...limit, remaining: undefined })).toMatchObject({ windows: 1, waitMs: 0 });
  });

  it.each([undefined, 0])('is unknown for a limit of %s', (unknown) => {
    expect(costOf(5, { ...limit, limit: unknown })).toEqual({ requests: 5, windows: undefined, waitMs: 0 });
  });

  it('takes a whole minute for the first window if its end is unknown', () => {
    expect(costOf(81, { ...limit, resetInMs: undefined }).waitMs).toBe(120_000);
  });

  it('does not wait for a past reset', () => {
    expect(costOf(21, { ...limit, resetInMs: -500 }).waitMs).toBe(0);
  });
});
