/** Requests through the whole client, against the model of a service that counts them: minutes of waiting in milliseconds. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UnavailableError } from '#base/errors';
import { NetworkError } from '#service/network-error';
import type { Transport } from '#service/transport';
import { fakeClock } from '../../support/clock.ts';
import type { ModelRateWindowOptions } from '../../support/model-service/rate-window.ts';
import { runs } from '../../support/property-runs.ts';
import { client, DAY, GET, prepare, simulate } from './setup.ts';

describe('without other clients', () => {
  test.each([0, DAY, -DAY, 45_000, -1234])(
    '300 requests with clocks %i ms apart cause no 429, and take at most 3% longer than the minimum time (L3)',
    async (skewMs) => {
      const { limited, tookMs, floorMs, model } = await simulate(300, { skewMs });
      expect(limited).toBe(0);
      expect(model.counts.get(200)).toBe(300);
      expect(tookMs).toBeLessThan(floorMs * 1.03);
    },
  );

  test('windows with random phase, skew, latency and concurrency cause no 429, and are used to the last request', async () => {
    const cases = fc.record({
      skewMs: fc.integer({ min: -DAY, max: DAY }),
      // At least half of the first window is left, or its requests could not all be sent in it.
      phaseMs: fc.integer({ min: 31_000, max: 59_999 }),
      latencyMs: fc.constantFrom(0, 1, 10, 100, 400),
      concurrency: fc.integer({ min: 2, max: 32 }),
      seed: fc.integer({ min: 1, max: 1_000_000 }),
    });
    await fc.assert(
      fc.asyncProperty(cases, async (setup) => {
        const { limited, tookMs, floorMs } = await simulate(300, setup);
        expect(limited).toBe(0);
        // Half of the last window's requests run two at a time where little is left: that is latency, not waiting.
        expect(tookMs).toBeLessThan(floorMs + 2500 + 60 * setup.latencyMs);
      }),
      runs(8),
    );
  });

  test.each([
    { windowMs: 2000, latencyMs: 1 },
    { windowMs: 2000, latencyMs: 20 },
    { windowMs: 5000, latencyMs: 1 },
    { windowMs: 10_000, latencyMs: 100 },
  ])(
    '200 requests cause no 429 with a limit of 20 requests per $windowMs ms and a latency of $latencyMs ms',
    async (setup) => {
      const { limited, tookMs, floorMs } = await simulate(200, { ...setup, limit: 20 });
      expect(limited).toBe(0);
      expect(tookMs).toBeLessThan(floorMs * 1.03 + 20 * setup.latencyMs);
    },
  );

  test.each([1, 50])(
    '300 requests cause no 429 if each window begins with its first request, with a latency of %i ms',
    async (latencyMs) => {
      const { limited, tookMs, floorMs } = await simulate(300, { startsOnDemand: true, latencyMs });
      expect(limited).toBe(0);
      expect(tookMs).toBeLessThan(floorMs * 1.03);
    },
  );

  test('a service that truncates Reset causes at most one 429 (L12)', async () => {
    const { limited, model } = await simulate(300, { rounding: Math.floor, phaseMs: 900 });
    expect(limited).toBeLessThanOrEqual(1);
    expect(model.counts.get(200)).toBe(300);
  });

  test('400 requests with a latency of 100 ms, eight in flight, take under 5.5 s', async () => {
    const { tookMs } = await simulate(400, { limit: 1000, concurrency: 8 });
    expect(tookMs).toBeLessThan((400 / 8) * 100 * 1.1);
  });
});

describe('with other clients', () => {
  test('all 300 requests from five clients that share a window succeed, in under 5.2 minutes', async () => {
    const { clock, model, sender } = prepare({});
    const clients = [sender, ...[2, 3, 4, 5].map(() => client(clock, model.transport, {}))];
    const calls = clients.flatMap((one) => Array.from({ length: 60 }, () => one.call(GET)));
    await clock.run(Promise.all(calls));
    expect(model.counts.get(200)).toBe(300);
    expect(clock.monotonic()).toBeLessThan(5.2 * 60_000);
  });

  test.each([{ requests: 20 }, { percent: 33 }])(
    'a reserve of %o is left to other clients in every window',
    async (reserve) => {
      const { model, limited } = await simulate(120, { reserve, phaseMs: 137 });
      expect(limited).toBe(0);
      const perWindow = countBy(model.accepted, (at) => Math.floor((at - 137) / 60_000));
      expect(Math.max(...perWindow)).toBe(40);
    },
  );

  test('a reserve as large as the limit still allows one request per window', async () => {
    const { model, tookMs } = await simulate(3, { reserve: { percent: 100 } });
    expect(model.counts.get(200)).toBe(3);
    expect(tookMs).toBeGreaterThan(60_000);
  });
});

function countBy<T>(items: readonly T[], key: (item: T) => number): number[] {
  const counts = new Map<number, number>();
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1);
  return [...counts.values()];
}

describe('unreliable headers', () => {
  test.each<[string, ModelRateWindowOptions['headers']]>([
    ['a reset in the year 5138', (headers) => ({ ...headers, 'x-ratelimit-reset': '99999999999' })],
    ['no reset', (headers) => ({ ...headers, 'x-ratelimit-reset': undefined, 'retry-after': undefined })],
    [
      'words instead of numbers',
      (headers) => ({ ...headers, 'x-ratelimit-remaining': 'many', 'x-ratelimit-reset': 'soon' }),
    ],
    ['no Retry-After', (headers) => ({ date: headers.date })],
    ['no Date', (headers) => ({ ...headers, date: undefined })],
    [
      'no Date, and a clock a day off',
      (headers) => ({ ...headers, date: undefined, 'retry-after': undefined }),
    ],
  ])('cause only waits of under 61 s, and all requests succeed: %s', async (_name, headers) => {
    const longest: number[] = [];
    const skewMs = _name.includes('day') ? DAY : 0;
    const events = { pause: ({ ms }: { ms: number }) => longest.push(ms) };
    const { model } = await simulate(30, { limit: 10, headers, skewMs, events });
    expect(model.counts.get(200)).toBe(30);
    expect(Math.max(0, ...longest)).toBeLessThan(61_000);
  });

  test('with a Reset in milliseconds cause no 429 and no wait of 61 s or more (L8)', async () => {
    const longest: number[] = [];
    const events = { pause: ({ ms }: { ms: number }) => longest.push(ms) };
    const { model, sender, limited } = await simulate(30, { limit: 10, resetInMilliseconds: true, events });
    expect(limited).toBe(0);
    expect(model.counts.get(200)).toBe(30);
    expect(Math.max(...longest)).toBeLessThan(61_000);
    expect(sender.rateLimit()).toMatchObject({ limit: 10, resetMs: undefined, resetInMs: undefined });
  });
});

describe('in any case', () => {
  test('every request succeeds or is reported as unavailable, even with lost responses and missing headers', async () => {
    const cases = fc.record({
      seed: fc.integer({ min: 1, max: 1_000_000 }),
      windowMs: fc.constantFrom(300, 1000, 1500, 10_000, 60_000),
      phaseMs: fc.integer({ min: 0, max: 999 }),
      limit: fc.integer({ min: 1, max: 40 }),
      latencyMs: fc.constantFrom(0, 5, 300, 2500),
      concurrency: fc.integer({ min: 1, max: 16 }),
      reserve: fc.oneof(
        fc.record({ requests: fc.integer({ min: 0, max: 50 }) }),
        fc.record({ percent: fc.integer({ min: 0, max: 100 }) }),
      ),
      rounding: fc.constantFrom(Math.ceil, Math.floor, Math.round),
      clients: fc.integer({ min: 1, max: 3 }),
      losses: fc.double({ min: 0, max: 0.5, noNaN: true }),
      dropped: fc.subarray([
        'date',
        'x-ratelimit-limit',
        'x-ratelimit-remaining',
        'x-ratelimit-reset',
        'retry-after',
      ]),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ clients, losses, dropped, ...setup }) => {
        const chance = fakeClock({ seed: setup.seed + 1 });
        const headers = (all: Record<string, string>) => {
          const some = Object.entries(all).filter(
            ([name]) => !dropped.includes(name) || chance.random() < 0.5,
          );
          return Object.fromEntries(some);
        };
        const { clock, model } = prepare({ ...setup, headers });
        const lossy: Transport = {
          async exchange(request) {
            const answer = await model.transport.exchange(request);
            if (chance.random() < losses) throw new NetworkError('the connection was reset', { sent: true });
            return answer;
          },
          close() {},
        };
        const senders = Array.from({ length: clients }, () => client(clock, lossy, setup));
        const calls = senders.flatMap((one) => Array.from({ length: 30 }, () => one.call(GET)));
        const results = await clock.run(Promise.allSettled(calls));
        for (const result of results)
          if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(UnavailableError);
        expect(model.most()).toBeLessThanOrEqual(clients * setup.concurrency);
      }),
      runs(10),
    );
  });
});
