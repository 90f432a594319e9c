import { describe, expect, it } from 'vitest';
import type { RateHeaders } from '#service/rate-limit/rate-headers';
import { createRateWindow, type Reserve } from '#service/rate-limit/rate-window';
import { fakeClock } from '../../support/clock.ts';
import { headersOf } from './setup.ts';

/** The service's clock at the start; this machine's is years away, so that nothing can be right by it. */
const NOW = Date.UTC(2020, 0, 1);
const RESET = NOW + 30_000;

/** A window on a service's clock that is known exactly, and answers to it. */
function openWindow(reserve: Reserve = { requests: 0 }) {
  const clock = fakeClock();
  const serviceClock = { observe() {}, nowMs: (at = clock.monotonic()) => NOW + at };
  const window = createRateWindow({ clock, serviceClock, reserve });
  const answer = (headers: Partial<RateHeaders>, sentAt = clock.monotonic()) =>
    window.learn({ headers: headersOf({ limit: 60, ...headers }), limited: false, sentAt });
  const limited = (headers: Partial<RateHeaders>, sentAt = clock.monotonic()) =>
    window.learn({ headers: headersOf(headers), limited: true, sentAt });
  return { ...window, clock, answer, limited };
}

describe('the requests left', () => {
  it('are unknown at the start, and no wait is needed (L2)', () => {
    const { left, waitMs } = openWindow();
    expect(left()).toBeUndefined();
    expect(waitMs()).toBe(0);
  });

  it('equal the lowest Remaining value so far, whatever the order of the responses (L1)', () => {
    const { left, answer } = openWindow();
    answer({ remaining: 10, resetMs: RESET });
    answer({ remaining: 12, resetMs: RESET });
    expect(left()).toBe(10);
    answer({ remaining: 7, resetMs: RESET });
    expect(left()).toBe(7);
  });

  it.each<[Reserve, number]>([
    [{ requests: 4 }, 6],
    [{ percent: 0 }, 10],
    // 4 % of 60 are 2.4: a share is rounded up.
    [{ percent: 4 }, 7],
  ])('are reduced by the reserve %o', (reserve, left) => {
    const window = openWindow(reserve);
    window.answer({ remaining: 10, resetMs: RESET });
    expect(window.left()).toBe(left);
  });

  it('are not reduced by a percentage if the limit is unknown', () => {
    const { left, answer } = openWindow({ percent: 50 });
    answer({ limit: undefined, remaining: 10, resetMs: RESET });
    expect(left()).toBe(10);
  });

  it('fall by one for a response without Remaining, and for a request that may have been counted (L6)', () => {
    const { left, answer, spend } = openWindow();
    answer({ remaining: 10, resetMs: RESET });
    answer({ resetMs: RESET });
    expect(left()).toBe(9);
    spend();
    expect(left()).toBe(8);
  });

  it('are still unknown if only lost requests were sent', () => {
    const { left, spend } = openWindow();
    spend();
    expect(left()).toBeUndefined();
  });

  it('are learned from a late response if the first response was a 429, which closes no known window', () => {
    const { left, answer, limited } = openWindow();
    limited({ retryAfterMs: 1000 }, 0);
    answer({ remaining: 10, resetMs: RESET }, -1);
    expect(left()).toBe(10);
  });

  it('have no bound until the service states a limit (L13)', () => {
    const { left, answer, spend } = openWindow({ percent: 50 });
    answer({});
    spend();
    expect(left()).toBe(Number.POSITIVE_INFINITY);
    answer({ remaining: 40, resetMs: RESET });
    expect(left()).toBe(10);
  });
});

describe('the end of the window', () => {
  it("is awaited according to the service's clock if no requests are left (L3)", async () => {
    const { waitMs, answer, clock } = openWindow();
    answer({ remaining: 1, resetMs: RESET });
    expect(waitMs()).toBe(0);
    answer({ remaining: 0, resetMs: RESET });
    expect(waitMs()).toBe(30_000);
    clock.jump(-86_400_000);
    await clock.advance(10_000);
    expect(waitMs()).toBe(20_000);
  });

  it("is computed with this machine's clock if the service's clock is unknown", () => {
    const clock = fakeClock();
    const serviceClock = { observe() {}, nowMs: () => undefined };
    const window = createRateWindow({ clock, serviceClock, reserve: { requests: 0 } });
    window.learn({
      headers: headersOf({ remaining: 0, resetMs: clock.now() + 5000 }),
      limited: false,
      sentAt: 0,
    });
    expect(window.waitMs()).toBe(5000);
  });

  it('makes the number of requests left unknown', async () => {
    const { left, waitMs, answer, clock } = openWindow();
    answer({ remaining: 0, resetMs: RESET });
    await clock.advance(29_999);
    expect(left()).toBe(0);
    expect(waitMs()).toBe(1);
    // Less than a millisecond is no wait.
    await clock.advance(0.5);
    expect(waitMs()).toBe(0);
    expect(left()).toBeUndefined();
  });

  it('moves by up to a second within one window, and only forward', () => {
    const { left, waitMs, answer } = openWindow();
    answer({ remaining: 10, resetMs: RESET });
    answer({ remaining: 11, resetMs: RESET + 1000 });
    expect(left()).toBe(10);
    answer({ remaining: 9, resetMs: RESET });
    expect(left()).toBe(9);
    answer({ remaining: 0, resetMs: RESET + 500 });
    expect(waitMs()).toBe(31_000);
  });

  it('is unchanged by a response without an accepted Reset', () => {
    const { left, waitMs, answer } = openWindow();
    answer({ remaining: 10, resetMs: RESET });
    answer({ remaining: 12 });
    answer({ remaining: 8, resetMs: RESET * 1000 });
    expect(left()).toBe(8);
    answer({ remaining: 7, resetMs: NOW - 1001 });
    expect(left()).toBe(7);
    answer({ remaining: 0 });
    expect(waitMs()).toBe(30_000);
  });

  it('belongs to a new window if a response has a Reset more than a second later', () => {
    const { left, answer } = openWindow();
    answer({ remaining: 10, resetMs: RESET });
    answer({ remaining: 50, resetMs: RESET + 1001 });
    expect(left()).toBe(50);
  });

  it('shows that a response is late if the Reset in that response is more than a second earlier', () => {
    const { left, answer } = openWindow();
    answer({ remaining: 10, resetMs: RESET });
    answer({ remaining: 8, resetMs: RESET - 1000 });
    expect(left()).toBe(8);
    answer({ remaining: 3, resetMs: RESET - 1001 });
    expect(left()).toBe(8);
  });

  it('is a second after Reset once the service has truncated a Reset (L12)', async () => {
    const { waitMs, answer, clock, rateLimit } = openWindow();
    answer({ remaining: 5, resetMs: RESET });
    await clock.advance(30_000);
    // Sent after the reset, and still counted in that window.
    answer({ remaining: 0, resetMs: RESET });
    expect(waitMs()).toBe(1000);
    expect(rateLimit()).toMatchObject({ resetMs: RESET, resetInMs: 1000 });
  });

  it.each([
    [29_999, RESET],
    [31_000, RESET],
  ])(
    'at 30,000 ms is not moved by a second for a response to a request sent at %d ms',
    async (sentAt, resetMs) => {
      const { waitMs, answer, clock } = openWindow();
      await clock.advance(sentAt);
      answer({ remaining: 3, resetMs });
      answer({ remaining: 0, resetMs: RESET + 60_000 });
      expect(waitMs()).toBe(RESET + 60_000 - NOW - sentAt);
    },
  );
});

describe('a late response', () => {
  /** A window that ended, with answers to requests sent before still on their way. */
  async function closed() {
    const window = openWindow();
    window.answer({ remaining: 2, resetMs: RESET });
    await window.clock.advance(30_100);
    expect(window.left()).toBeUndefined();
    return window;
  }

  it('from the previous window does not change the current window (L5)', async () => {
    const { left, answer } = await closed();
    answer({ remaining: 1, resetMs: RESET }, 29_000);
    expect(left()).toBeUndefined();
    answer({ remaining: 59, resetMs: RESET + 60_000 });
    answer({ resetMs: RESET }, 29_000);
    expect(left()).toBe(59);
  });

  it('that was counted in the current window is accepted', async () => {
    const { left, answer } = await closed();
    answer({ remaining: 59, resetMs: RESET + 60_000 }, 29_000);
    expect(left()).toBe(59);
  });

  it('without a Reset is treated as a response in the current window', async () => {
    const { left, answer } = await closed();
    answer({ remaining: 59 }, 29_000);
    expect(left()).toBe(59);
  });

  it('is a response to a request sent before the window closed, not to one sent when the window closed', async () => {
    const { left, answer, limited, clock } = openWindow();
    await clock.advance(100);
    answer({ remaining: 2, resetMs: RESET });
    limited({ retryAfterMs: 50 });
    answer({ remaining: 1, resetMs: RESET }, 99);
    expect(left()).toBeUndefined();
    answer({ remaining: 1, resetMs: RESET }, 100);
    expect(left()).toBe(1);
  });
});

describe('a 429', () => {
  it.each([5000, 100_000])(
    'pauses for its Retry-After, %d ms, whatever its other headers are (L7)',
    async (retryAfterMs) => {
      const { left, waitMs, answer, limited, clock } = openWindow();
      answer({ remaining: 50, resetMs: RESET });
      limited({ remaining: 20, resetMs: RESET, retryAfterMs });
      answer({ remaining: 40, resetMs: RESET + 60_000 });
      expect(waitMs()).toBe(retryAfterMs);
      await clock.advance(retryAfterMs);
      expect(waitMs()).toBe(0);
      expect(left()).not.toBe(0);
    },
  );

  it('pauses all requests even if it is a late response from the previous window (L7)', async () => {
    const { waitMs, answer, limited, clock } = openWindow();
    answer({ remaining: 2, resetMs: RESET });
    await clock.advance(30_100);
    answer({ remaining: 59, resetMs: RESET + 60_000 });
    limited({ remaining: 0, resetMs: RESET, retryAfterMs: 500 }, 29_000);
    expect(waitMs()).toBe(500);
  });

  it('makes the number of requests left unknown, so that one request is sent as a probe (L2)', async () => {
    const { left, answer, limited, clock } = openWindow();
    answer({});
    limited({ retryAfterMs: 1000 });
    await clock.advance(1000);
    expect(left()).toBeUndefined();
  });

  it('whose Reset is the current time pauses for a second', async () => {
    const { waitMs, limited, clock } = openWindow();
    await clock.advance(100);
    limited({ resetMs: NOW + 100 }, 0);
    expect(waitMs()).toBe(1000);
  });

  it('does not shorten the pause if an earlier 429 had a longer Retry-After', () => {
    const { waitMs, limited } = openWindow();
    limited({ retryAfterMs: 9000 });
    limited({ retryAfterMs: 3000 });
    expect(waitMs()).toBe(9000);
  });

  it.each([undefined, 0, -3000])(
    'without Remaining and with a Retry-After of %s pauses until Reset',
    (retryAfterMs) => {
      const { waitMs, limited } = openWindow();
      limited({ resetMs: RESET, retryAfterMs });
      expect(waitMs()).toBe(30_000);
    },
  );

  it('with a Retry-After of 0 pauses 1 s if requests are left, and twice as long for each further 429 in a row (L8)', async () => {
    const { waitMs, limited, clock } = openWindow();
    for (const ms of [1000, 2000, 4000]) {
      limited({ remaining: 20, resetMs: RESET, retryAfterMs: 0 }, clock.monotonic());
      expect(waitMs()).toBe(ms);
      await clock.advance(ms);
    }
    limited({ remaining: 0, resetMs: RESET, retryAfterMs: 0 }, clock.monotonic());
    expect(waitMs()).toBe(23_000);
  });

  it.each([undefined, -1])(
    'with a Retry-After of %s pauses until Reset even if requests are left',
    (retryAfterMs) => {
      const { waitMs, limited } = openWindow();
      limited({ remaining: 20, resetMs: RESET, retryAfterMs });
      expect(waitMs()).toBe(30_000);
    },
  );

  it('pauses for a time that is measured by the monotonic clock, not by the wall clock', async () => {
    const { waitMs, limited, clock } = openWindow();
    limited({ retryAfterMs: 9000 });
    clock.jump(86_400_000);
    await clock.advance(4000);
    expect(waitMs()).toBe(5000);
  });
});

describe('a 429 from an intermediary', () => {
  it('keeps the state of the window, and pauses for its Retry-After (L18)', async () => {
    const { left, waitMs, answer, throttle, rateLimit, clock } = openWindow();
    answer({ remaining: 50, resetMs: RESET });
    throttle(2000, clock.monotonic());
    expect(waitMs()).toBe(2000);
    expect(left()).toBe(50);
    expect(rateLimit()).toMatchObject({ remaining: 50, resetMs: RESET });
    await clock.advance(2000);
    expect(waitMs()).toBe(0);
    expect(left()).toBe(50);
  });

  it.each([
    [undefined, 1000],
    [0, 1000],
    [-5000, 1000],
    [3_660_001, 60_000],
  ])('with a Retry-After of %s pauses for %d ms', (retryAfterMs, ms) => {
    const { waitMs, throttle, clock } = openWindow();
    throttle(retryAfterMs, clock.monotonic());
    expect(waitMs()).toBe(ms);
  });

  it('is counted once per burst, and pauses twice as long for each further burst, up to a minute (L19)', async () => {
    const { waitMs, throttle, answer, clock } = openWindow();
    const burst = async (ms: number) => {
      const sentAt = clock.monotonic();
      for (let i = 0; i < 8; i++) {
        await clock.advance(1);
        throttle(undefined, sentAt);
      }
      expect(waitMs()).toBe(ms - 7);
      await clock.advance(ms - 7);
      expect(waitMs()).toBe(0);
    };
    for (const ms of [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]) await burst(ms);
    answer({});
    await burst(1000);
  });
});

describe('a burst', () => {
  it('of 429 responses from the service itself is counted once (L19)', async () => {
    const { waitMs, limited, clock } = openWindow();
    for (let i = 0; i < 8; i++) limited({}, 0);
    expect(waitMs()).toBe(1000);
    await clock.advance(1000);
    limited({});
    expect(waitMs()).toBe(2000);
  });

  it('of responses with Remaining 0 and no Reset is counted once (L19)', () => {
    const { waitMs, answer } = openWindow();
    for (let i = 0; i < 3; i++) answer({ remaining: 0 }, 0);
    expect(waitMs()).toBe(1000);
  });
});

describe('the accepted range', () => {
  it("for a Reset ends ten minutes ahead if the service's clock is unknown (L8)", () => {
    const clock = fakeClock({ wallMs: NOW });
    const serviceClock = { observe() {}, nowMs: () => undefined };
    const believed = (aheadMs: number) => {
      const window = createRateWindow({ clock, serviceClock, reserve: { requests: 0 } });
      window.learn({
        headers: headersOf({ remaining: 0, resetMs: NOW + aheadMs }),
        limited: false,
        sentAt: 0,
      });
      return window.rateLimit().resetMs;
    };
    expect(believed(600_000)).toBe(NOW + 600_000);
    expect(believed(600_001)).toBeUndefined();
  });

  it.each([
    // A window of an hour, and what rounding adds.
    [3_660_000, 3_660_000],
    // Not believed: a minute, as the specification counts.
    [3_660_001, 60_000],
  ])('turns a Retry-After of %d ms into a pause of %d ms (L8)', (retryAfterMs, waitMs) => {
    const window = openWindow();
    window.limited({ resetMs: RESET, retryAfterMs });
    expect(window.waitMs()).toBe(waitMs);
  });

  it.each([
    [3_660_000, 3_660_000],
    [3_660_001, 60_000],
    [-1000, 0],
    // Long past, so it says nothing: a guess.
    [-1001, 1000],
  ])('turns a Reset %d ms ahead, with no requests left, into a wait of %d ms (L8)', (aheadMs, waitMs) => {
    const window = openWindow();
    window.answer({ remaining: 0, resetMs: NOW + aheadMs });
    expect(window.waitMs()).toBe(waitMs);
  });

  it('for a Reset is relative to the Date in the same response', () => {
    const believed = (aheadMs: number, dateMs: number) => {
      const { rateLimit, answer } = openWindow();
      answer({ remaining: 5, resetMs: NOW + aheadMs, dateMs: NOW + dateMs });
      return rateLimit().resetMs;
    };
    expect(believed(3_760_000, 100_000)).toBe(NOW + 3_760_000);
    expect(believed(3_760_000, 99_999)).toBeUndefined();
    expect(believed(1000, 2000)).toBe(NOW + 1000);
    expect(believed(1000, 2001)).toBeUndefined();
  });
});

describe('a wait whose length the service does not state', () => {
  it('is 1 s at first, doubles with each further 429 up to a minute, and is 1 s again after another response (L9)', async () => {
    const { waitMs, limited, answer, clock } = openWindow();
    for (const ms of [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]) {
      limited({});
      expect(waitMs()).toBe(ms);
      await clock.advance(ms);
    }
    answer({ remaining: 5, resetMs: NOW + clock.monotonic() + 30_000 });
    limited({});
    expect(waitMs()).toBe(1000);
  });

  it('follows a response without Reset and with no requests left, and precedes a probe request', async () => {
    const { left, waitMs, answer, clock } = openWindow();
    answer({ remaining: 1 });
    expect(waitMs()).toBe(0);
    answer({ remaining: 0 });
    expect(waitMs()).toBe(1000);
    await clock.advance(1000);
    expect(left()).toBeUndefined();
  });

  it('follows lost requests that may have exhausted the window', () => {
    const { waitMs, answer, spend } = openWindow();
    answer({ remaining: 1 });
    spend();
    expect(waitMs()).toBe(1000);
  });

  it('is a second for a Reset that is ignored because it is in the past', () => {
    const { waitMs, answer } = openWindow();
    answer({ remaining: 0, resetMs: NOW, dateMs: NOW + 5000 });
    expect(waitMs()).toBe(1000);
  });

  it('is not used if a Reset states the end of the window', () => {
    const { waitMs, answer, spend } = openWindow();
    answer({ remaining: 1, resetMs: RESET });
    spend();
    expect(waitMs()).toBe(30_000);
  });
});

describe('the limit that is shown', () => {
  it('is undefined before the first response', () => {
    const nothing = {
      plan: undefined,
      limit: undefined,
      remaining: undefined,
      resetMs: undefined,
      resetInMs: undefined,
    };
    expect(openWindow().rateLimit()).toEqual(nothing);
  });

  it("is from the newest response, and has the time to the reset according to the service's clock", async () => {
    const { rateLimit, answer, limited, clock } = openWindow();
    answer({ plan: 'pro', remaining: 7, resetMs: RESET });
    await clock.advance(10_000);
    expect(rateLimit()).toEqual({ plan: 'pro', limit: 60, remaining: 7, resetMs: RESET, resetInMs: 20_000 });
    limited({ plan: 'pro', limit: 60, remaining: 0, resetMs: RESET, retryAfterMs: 20_000 });
    expect(rateLimit().remaining).toBe(0);
  });

  it('keeps its values after a response without Remaining', () => {
    const { rateLimit, answer } = openWindow();
    answer({ plan: 'free' });
    expect(rateLimit().plan).toBe('free');
    answer({ plan: 'pro', remaining: 7 });
    answer({ plan: undefined });
    expect(rateLimit()).toMatchObject({ plan: 'pro', remaining: 7 });
  });

  it('is not changed by a late response from the previous window (L5, L16)', async () => {
    const { rateLimit, answer, clock } = openWindow();
    const shown = { limit: 60, remaining: 59, resetMs: RESET + 60_000 };
    answer({ remaining: 2, resetMs: RESET });
    await clock.advance(30_100);
    answer({ remaining: 59, resetMs: RESET + 60_000 });
    answer({ remaining: 1, resetMs: RESET }, 29_000);
    expect(rateLimit()).toMatchObject(shown);
    answer({ remaining: 1, resetMs: RESET });
    expect(rateLimit()).toMatchObject(shown);
  });

  it('has the Reset that is waited for if responses round Reset differently (L16)', async () => {
    const { rateLimit, answer, waitMs } = openWindow();
    answer({ remaining: 2, resetMs: RESET });
    answer({ remaining: 0, resetMs: RESET - 1000 });
    expect(rateLimit()).toMatchObject({ remaining: 0, resetMs: RESET, resetInMs: waitMs() });
  });

  it('omits a Reset that is not accepted (L16)', () => {
    const { rateLimit, answer } = openWindow();
    answer({ remaining: 7, resetMs: RESET * 1000 });
    expect(rateLimit()).toMatchObject({ remaining: 7, resetMs: undefined, resetInMs: undefined });
    answer({ remaining: 6, resetMs: RESET });
    answer({ remaining: 5, resetMs: RESET * 1000 });
    expect(rateLimit()).toMatchObject({ remaining: 5, resetMs: RESET });
  });
});
