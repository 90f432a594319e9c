import { describe, expect, it } from 'vitest';
import { waitMsFor } from '#service/rate-limit/rate-limit';

describe('the wait for the rate limit', () => {
  const limit = { plan: 'pro', limit: 60, remaining: 20, resetMs: undefined, resetInMs: 30_000 };

  it.each([
    [0, 0],
    [20, 0],
    [21, 30_000],
    [80, 30_000],
    [81, 90_000],
  ])(
    'for %d requests is %d ms if 20 of 60 requests are left and the window ends in 30 s',
    (requests, waitMs) => {
      expect(waitMsFor(requests, limit)).toBe(waitMs);
    },
  );

  it('assumes a full window if the number of requests left is unknown', () => {
    expect(waitMsFor(60, { ...limit, remaining: 0 })).toBe(30_000);
    expect(waitMsFor(60, { ...limit, remaining: undefined })).toBe(0);
  });

  it.each([undefined, 0])('is 0 for a limit of %s', (unknown) => {
    expect(waitMsFor(5, { ...limit, limit: unknown })).toBe(0);
  });

  it('assumes a whole minute for the first window if its end is unknown', () => {
    expect(waitMsFor(81, { ...limit, resetInMs: undefined })).toBe(120_000);
  });

  it('is 0 for a Reset in the past', () => {
    expect(waitMsFor(21, { ...limit, resetInMs: -500 })).toBe(0);
  });
});
