/** Who may send, and when: the governor by itself, with answers as a test makes them. */
import { setMaxListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { InterruptedError, RateLimitError } from '#base/errors';
import { createGovernor, type GovernorOptions, type Ticket } from '#service/rate-limit/governor';
import type { RateHeaders } from '#service/rate-limit/rate-headers';
import { fakeClock } from '../../support/clock.ts';
import { headersOf, START } from './setup.ts';

/** The service's clock when the machine's stands at START. */
const NOW = START + 7_000_000;

function govern(options: Partial<Omit<GovernorOptions, 'clock'>> = {}) {
  const clock = fakeClock({ wallMs: START });
  const told: string[] = [];
  const events = {
    pause: ({ ms }: { ms: number }) => told.push(`pause ${ms}`),
    resume: () => told.push('resume'),
  };
  const { signal = new AbortController().signal } = options;
  setMaxListeners(0, signal);
  const rest = { concurrency: 4, reserve: { requests: 0 }, maxWaitMs: undefined, events, signal };
  const governor = createGovernor({ ...rest, clock, ...options });
  /** Asks for `count` places, lets whoever may go go, and tells how many have been admitted since the start. */
  const admitted: Ticket[] = [];
  const rejected: unknown[] = [];
  const ask = async (count = 1) => {
    for (let n = 0; n < count; n++) {
      governor.admit(false).then(
        (ticket) => admitted.push(ticket),
        (error) => rejected.push(error),
      );
    }
    await clock.advance(0);
    return admitted.length;
  };
  /** The headers of an answer with so many left, in a window that ends `resetInMs` after the start. */
  const left = (remaining: number, resetInMs = 60_000): RateHeaders =>
    headersOf({
      limit: 60,
      remaining,
      resetMs: NOW + resetInMs,
      dateMs: NOW + Math.floor(clock.monotonic() / 1000) * 1000,
    });
  /** Ends the oldest request in flight with that answer. */
  let ended = 0;
  const answer = async (headers: RateHeaders, limited = false) => {
    admitted[ended++]?.received(headers, limited);
    await clock.advance(0);
    return admitted.length;
  };
  return { governor, clock, told, ask, left, answer, admitted, rejected };
}

describe('requests in flight', () => {
  it('are limited to one until a response states the limit, and then to the concurrency (L2)', async () => {
    const { ask, answer, left } = govern();
    expect(await ask(10)).toBe(1);
    expect(await answer(left(50))).toBe(1 + 4);
    expect(await answer(left(49))).toBe(1 + 5);
  });

  it('are never more than the requests that are left (L1)', async () => {
    const { ask, answer, left, clock } = govern();
    await ask(10);
    expect(await answer(left(3))).toBe(1 + 2);
    // One of the two is counted in this Remaining, the other may not be.
    expect(await answer(left(1))).toBe(1 + 2);
    expect(await answer(left(0))).toBe(1 + 2);
    await clock.advance(59_000);
    expect(await ask(0)).toBe(1 + 2);
    await clock.advance(1200);
    expect(await ask(0)).toBe(1 + 3);
  });

  it.each([
    [8, 16, 8],
    [8, 15, 4],
    [3, 6, 3],
    [3, 5, 2],
    [8, 3, 3],
  ])(
    'with a concurrency of %d and %d requests left are at most %d (L14)',
    async (concurrency, remaining, most) => {
      const { ask, answer, left } = govern({ concurrency });
      await ask(50);
      expect(await answer(left(remaining))).toBe(1 + most);
    },
  );

  it('are halved in number if bursts are refused (L21)', async () => {
    const { ask, answer, left, admitted, clock } = govern();
    await ask(10);
    expect(await answer(left(50))).toBe(1 + 4);
    admitted[1]?.failed(true);
    admitted[2]?.failed(true);
    await clock.advance(100);
    expect(admitted).toHaveLength(1 + 5);
    admitted[3]?.received(left(47), false);
    await clock.advance(100);
    expect(admitted).toHaveLength(1 + 5);
    admitted[4]?.received(left(46), false);
    await clock.advance(100);
    expect(admitted).toHaveLength(1 + 6);
  });

  it('are at most four if the service states no limit (L13)', async () => {
    const { ask, answer } = govern({ concurrency: 16 });
    await ask(50);
    expect(await answer(headersOf({}))).toBe(1 + 4);
  });

  it('are never more than the concurrency', async () => {
    const { ask, answer } = govern({ concurrency: 2 });
    await ask(50);
    expect(await answer(headersOf({}))).toBe(1 + 2);
  });

  it('delay the probe request for a new window if they reach the concurrency', async () => {
    const { ask, answer, left, clock } = govern({ concurrency: 2 });
    await ask(3);
    await answer(left(50));
    await clock.advance(61_000);
    expect(await ask(2)).toBe(1 + 2);
    expect(await answer(left(50))).toBe(1 + 3);
  });

  it('from an old window do not delay the single probe request for a new window (L2)', async () => {
    const { ask, admitted, answer, left, clock } = govern();
    await ask(2);
    await answer(left(50));
    await clock.advance(61_000);
    expect(await ask(3)).toBe(2 + 1);
    admitted[1]?.failed(false);
    expect(await ask(0)).toBe(2 + 1);
  });

  it('include a new probe request after the first probe request was lost', async () => {
    const { ask, admitted, clock } = govern();
    await ask(3);
    admitted[0]?.failed(true);
    await clock.advance(0);
    expect(admitted).toHaveLength(2);
  });

  it('are each counted as ended only once, even if their end is reported twice', async () => {
    const { ask, admitted, answer, left } = govern({ concurrency: 1 });
    await ask(5);
    await answer(left(50));
    admitted[0]?.failed(false);
    admitted[0]?.received(left(50), false);
    expect(await ask(0)).toBe(2);
  });
});

describe('counted requests', () => {
  it('include a request that may have reached the service without a response (L6)', async () => {
    const { ask, answer, left, admitted } = govern({ concurrency: 1 });
    await ask(5);
    await answer(left(1));
    admitted[1]?.failed(true);
    expect(await ask(0)).toBe(2);
  });

  it('exclude a request that was never sent', async () => {
    const { ask, answer, left, admitted } = govern({ concurrency: 1 });
    await ask(5);
    await answer(left(1));
    admitted[1]?.failed(false);
    expect(await ask(0)).toBe(3);
  });
});

describe('a pause', () => {
  it.each([
    [1000, 1000 + 0.5 * 10],
    [60_000, 60_000 + 0.5 * 305],
    [200_000, 200_000 + 0.5 * 500],
  ])('for a Retry-After of %d ms takes %d ms with jitter (L10)', async (retryAfterMs, ms) => {
    const { ask, answer, told, clock } = govern();
    await ask(2);
    await answer(headersOf({ retryAfterMs }), true);
    expect(told).toEqual([`pause ${ms}`]);
    await clock.advance(ms - 1);
    expect(await ask(0)).toBe(1);
    await clock.advance(1);
    expect(await ask(0)).toBe(2);
    expect(told).toEqual([`pause ${ms}`, 'resume']);
  });

  it('is counted when it begins, and its duration when it ends', async () => {
    const { ask, answer, governor, clock } = govern();
    await ask(2);
    await answer(headersOf({ retryAfterMs: 1000 }), true);
    expect(governor.pauses()).toEqual({ pauses: 1, pausedMs: 0 });
    await clock.advance(1005);
    await clock.advance(500);
    expect(governor.pauses()).toEqual({ pauses: 1, pausedMs: 1005 });
  });

  it('does not begin if no request waits', async () => {
    const { ask, answer, told, clock } = govern();
    await ask(1);
    await answer(headersOf({ retryAfterMs: 1000 }), true);
    await clock.advance(2000);
    expect(await ask(1)).toBe(2);
    expect(told).toEqual([]);
  });

  it('is extended by another 429 with a longer Retry-After (L7)', async () => {
    const { ask, answer, told, clock, left } = govern();
    await ask(9);
    await answer(left(50));
    await answer(headersOf({ retryAfterMs: 1000 }), true);
    await answer(headersOf({ retryAfterMs: 5000 }), true);
    await clock.advance(1005);
    expect(await ask(0)).toBe(5);
    expect(told.slice(0, 3)).toEqual(['pause 1005', 'resume', expect.stringMatching(/^pause 4\d{3}/)]);
  });

  it('holds all requests, and then the request that got the 429 is sent before later requests (L7)', async () => {
    const { ask, answer, governor, clock } = govern();
    await ask(1);
    await answer(headersOf({ retryAfterMs: 1000 }), true);
    const order: string[] = [];
    governor.admit(false).then(() => order.push('later'));
    governor.admit(true).then(() => order.push('again'));
    await clock.advance(1004);
    expect(order).toEqual([]);
    await clock.advance(1);
    await clock.advance(0);
    expect(order).toEqual(['again']);
  });
});

describe('--max-wait', () => {
  /** A governor that has to pause for 1005 ms before its second request. */
  async function limitedAtOnce(maxWaitMs: number) {
    const governed = govern({ maxWaitMs });
    await governed.ask(2);
    await governed.answer(headersOf({ retryAfterMs: 1000 }), true);
    return governed;
  }

  it('refuses a pause of 1005 ms before it begins if 1004 ms are allowed (L11)', async () => {
    const { rejected, governor, told } = await limitedAtOnce(1004);
    expect(rejected).toEqual([expect.any(RateLimitError)]);
    expect(governor.pauses()).toEqual({ pauses: 0, pausedMs: 0 });
    expect(told).toEqual([]);
  });

  it('allows a pause of exactly its length', async () => {
    const { rejected, governor, clock, ask } = await limitedAtOnce(1005);
    await clock.advance(1005);
    expect(await ask(0)).toBe(2);
    expect(rejected).toEqual([]);
    expect(governor.pauses()).toEqual({ pauses: 1, pausedMs: 1005 });
  });

  it('reports how long the limit stays exhausted, the allowed time, and when to retry', async () => {
    const { rejected } = await limitedAtOnce(500);
    expect(rejected[0]).toMatchObject({
      message:
        "the workspace's rate limit is exhausted for another 1 s, but --max-wait allows 500 ms in total",
      hint: 'Try again in 1 s (after 2027-01-15T08:00:01.005Z), or pass a longer --max-wait.',
      outcome: 'not-applied',
    });
  });

  it('of 0 is reported as allowing no waiting', async () => {
    const { rejected } = await limitedAtOnce(0);
    expect(rejected[0]).toMatchObject({
      message: expect.stringMatching(/for another 1 s, but --max-wait 0 allows no waiting$/),
    });
  });

  it('reports the time waited so far', async () => {
    const { rejected, answer, clock, ask } = await limitedAtOnce(1500);
    await clock.advance(1005);
    await ask(1);
    await answer(headersOf({ retryAfterMs: 1000 }), true);
    expect(rejected[0]).toMatchObject({
      message: expect.stringMatching(/but --max-wait allows 2 s in total \(1 s used\)$/),
    });
  });
});

describe('an interruption', () => {
  it('ends all waits immediately with its reason, and admits no more requests (L15)', async () => {
    const aborter = new AbortController();
    const { ask, governor } = govern({ signal: aborter.signal });
    await ask(1);
    const waiting = governor.admit(false);
    aborter.abort(new InterruptedError('SIGINT'));
    await expect(waiting).rejects.toThrow('interrupted');
    await expect(governor.admit(false)).rejects.toThrow('interrupted');
  });
});
