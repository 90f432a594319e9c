import { setMaxListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AuthError, InterruptedError, RateLimitError, UnavailableError } from '../../src/errors.ts';
import { createClient } from '../../src/service/client.ts';
import { NetworkError } from '../../src/service/network-error.ts';
import type { ServiceOptions } from '../../src/service/service.ts';
import type { Transport } from '../../src/service/transport.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { type ModelRateWindowOptions, modelRateWindow } from '../support/model-service/rate-window.ts';
import { runs } from '../support/property-runs.ts';

const DAY = 86_400_000;
const START = 1_800_000_000_000;
const GET = { method: 'GET', path: '/api/v1/qr', authorized: true, check: (json: unknown) => json } as const;

type ClientSetup = Partial<Pick<ServiceOptions, 'concurrency' | 'reserve' | 'maxWaitMs' | 'events' | 'signal'>>;
type Setup = Partial<Omit<ModelRateWindowOptions, 'clock'>> & ClientSetup & { seed?: number };

function client(clock: FakeClock, transport: Transport, setup: ClientSetup) {
  const { concurrency = 4, reserve = { requests: 0 }, maxWaitMs, events = {}, signal = new AbortController().signal } = setup;
  setMaxListeners(0, signal);
  const rest = { baseUrl: 'http://127.0.0.1/api/v1', apiKey: 'svc_live_k', userAgent: 'qrctl/test', timeoutMs: 30_000, env: {} };
  return createClient({ ...rest, clock, signal, concurrency, reserve, maxWaitMs, events }, transport);
}

function prepare(setup: Setup) {
  const clock = fakeClock({ seed: setup.seed ?? 1, wallMs: START + (((setup.seed ?? 1) * 137) % 1000) });
  const model = modelRateWindow({ clock, limit: 60, windowMs: 60_000, ...setup });
  return { clock, model, sender: client(clock, model.transport, setup) };
}

/** Sends `requests` requests as fast as the client lets them, and tells how it went. */
async function simulate(requests: number, setup: Setup) {
  const { clock, model, sender } = prepare(setup);
  const start = clock.now();
  await clock.run(Promise.all(Array.from({ length: requests }, () => sender.call(GET))));
  // The least time any client needs: the rest of the first window, then whole ones.
  const { windowMs = 60_000, phaseMs = 0, limit = 60, startsOnDemand } = setup;
  const firstReset = startsOnDemand ? start + windowMs : (Math.floor((start - phaseMs) / windowMs) + 1) * windowMs + phaseMs;
  const windows = Math.ceil(requests / limit);
  const floorMs = windows === 1 ? 0 : firstReset - start + (windows - 2) * windowMs;
  return { model, sender, floorMs, tookMs: clock.monotonic(), refused: model.counts.get(429) ?? 0 };
}

describe('alone in its workspace', () => {
  test.each([0, DAY, -DAY, 45_000, -1234])(
    '300 requests at 60 a minute, clocks %i ms apart: no 429, and close to the floor',
    async (skewMs) => {
      const { refused, tookMs, floorMs, model } = await simulate(300, { skewMs });
      expect(refused).toBe(0);
      expect(model.counts.get(200)).toBe(300);
      expect(tookMs).toBeLessThan(floorMs * 1.03);
    },
  );

  test('windows in any phase, any skew, latency and concurrency: no 429, and every window is used to its last request', async () => {
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
        const { refused, tookMs, floorMs } = await simulate(300, setup);
        expect(refused).toBe(0);
        // Half of the last window's requests run two at a time where little is left: that is latency, not waiting.
        expect(tookMs).toBeLessThan(floorMs + 2500 + 60 * setup.latencyMs);
      }),
      runs(40),
    );
  });

  test.each([
    { windowMs: 2000, latencyMs: 1 },
    { windowMs: 2000, latencyMs: 20 },
    { windowMs: 5000, latencyMs: 1 },
    { windowMs: 10_000, latencyMs: 100 },
  ])('200 requests in small windows of 20 ($windowMs ms, latency $latencyMs ms)', async (setup) => {
    const { refused, tookMs, floorMs } = await simulate(200, { ...setup, limit: 20 });
    expect(refused).toBe(0);
    expect(tookMs).toBeLessThan(floorMs * 1.03 + 20 * setup.latencyMs);
  });

  test.each([1, 50])(
    'windows that begin with their first request, latency %i ms: no 429, and close to the floor',
    async (latencyMs) => {
      const { refused, tookMs, floorMs } = await simulate(300, { startsOnDemand: true, latencyMs });
      expect(refused).toBe(0);
      expect(tookMs).toBeLessThan(floorMs * 1.03);
    },
  );

  test('a service that cuts Reset down to the second is found out with one 429, and allowed for from then on', async () => {
    const { refused, model } = await simulate(300, { rounding: Math.floor, phaseMs: 900 });
    expect(refused).toBeLessThanOrEqual(1);
    expect(model.counts.get(200)).toBe(300);
  });

  test('parallel requests hide latency', async () => {
    const { tookMs } = await simulate(400, { limit: 1000, concurrency: 8 });
    expect(tookMs).toBeLessThan((400 / 8) * 100 * 1.1);
  });
});

describe('in company', () => {
  test('five clients share a window: 429s happen, nothing fails, nothing is lost', async () => {
    const { clock, model, sender } = prepare({});
    const clients = [sender, ...[2, 3, 4, 5].map(() => client(clock, model.transport, {}))];
    const calls = clients.flatMap((one) => Array.from({ length: 60 }, () => one.call(GET)));
    await clock.run(Promise.all(calls));
    expect(model.counts.get(200)).toBe(300);
    expect(clock.monotonic()).toBeLessThan(5.2 * 60_000);
  });

  test.each([{ requests: 20 }, { percent: 33 }])('a reserve of %o is left to others in every window', async (reserve) => {
    const { model, refused } = await simulate(120, { reserve, phaseMs: 137 });
    expect(refused).toBe(0);
    const perWindow = countBy(model.accepted, (at) => Math.floor((at - 137) / 60_000));
    expect(Math.max(...perWindow)).toBe(40);
  });

  test('a reserve as large as the limit still lets one request a window through', async () => {
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

describe('headers that cannot be relied on', () => {
  test.each([
    [16, 4],
    [2, 2],
  ])('no rate-limit headers at all: of %i allowed in flight, %i go', async (concurrency, most) => {
    const { model } = await simulate(50, { limit: 1000, concurrency, headers: ({ date }) => ({ date }) });
    expect(model.most()).toBe(most);
    expect(model.counts.get(200)).toBe(50);
  });

  test.each<[string, ModelRateWindowOptions['headers']]>([
    ['a reset in milliseconds', (headers) => ({ ...headers, 'x-ratelimit-reset': `${headers['x-ratelimit-reset']}000` })],
    ['a reset in the year 5138', (headers) => ({ ...headers, 'x-ratelimit-reset': '99999999999' })],
    ['a reset long past', (headers) => ({ ...headers, 'x-ratelimit-reset': '12' })],
    ['a negative reset', (headers) => ({ ...headers, 'x-ratelimit-reset': '-5' })],
    ['no reset', (headers) => ({ ...headers, 'x-ratelimit-reset': undefined, 'retry-after': undefined })],
    ['words for numbers', (headers) => ({ ...headers, 'x-ratelimit-remaining': 'many', 'x-ratelimit-reset': 'soon' })],
    ['negative remaining', (headers) => ({ ...headers, 'x-ratelimit-remaining': '-1' })],
    ['endless Retry-After', (headers) => ({ date: headers.date, 'retry-after': headers['retry-after'] && '99999999' })],
    ['negative Retry-After', (headers) => ({ date: headers.date, 'retry-after': headers['retry-after'] && '-3' })],
    ['no Retry-After', (headers) => ({ date: headers.date })],
    ['no Date', (headers) => ({ ...headers, date: undefined })],
    ['no Date, and a clock a day off', (headers) => ({ ...headers, date: undefined, 'retry-after': undefined })],
  ])('%s: waits stay bounded and all is done in the end', async (_name, headers) => {
    const longest: number[] = [];
    const skewMs = _name.includes('day') ? DAY : 0;
    const events = { pause: ({ ms }: { ms: number }) => longest.push(ms) };
    const { model } = await simulate(30, { limit: 10, headers, skewMs, events });
    expect(model.counts.get(200)).toBe(30);
    expect(Math.max(0, ...longest)).toBeLessThan(61_000);
  });

  test.each([undefined, '12', 'soon'])('a reset of %s: the Retry-After of a 429 is waited for, no longer', async (reset) => {
    const headers = (all: Record<string, string>) => ({ ...all, 'x-ratelimit-reset': reset });
    const { model, tookMs, floorMs } = await simulate(30, { limit: 10, windowMs: 5000, headers });
    expect(model.counts.get(200)).toBe(30);
    expect(tookMs).toBeLessThan(floorMs + 3000);
  });

  test('Retry-After as an HTTP date is read against the Date of the answer', async () => {
    const clock = fakeClock({ wallMs: START, seed: 1 });
    const times: number[] = [];
    const date = 'Thu, 01 Jan 2099 00:00:00 GMT';
    const sender = client(
      clock,
      answering(clock, times, [429, 200], { date, 'retry-after': 'Thu, 01 Jan 2099 00:00:07 GMT' }),
      {},
    );
    await clock.run(sender.call(GET));
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(7000);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeLessThan(7100);
  });
});

/** Answers with these statuses in turn, then 200; notes when it was asked. */
function answering(clock: FakeClock, times: number[], statuses: number[], headers: Record<string, string>): Transport {
  return {
    async exchange() {
      times.push(clock.monotonic());
      const status = statuses[times.length - 1] ?? 200;
      return { status, headers, text: status === 200 ? '{}' : '{"error":"no","code":"no"}' };
    },
    close() {},
  };
}

describe('whatever happens', () => {
  test('every request settles: windows of any length, lost answers, headers that come and go, several clients', async () => {
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
      dropped: fc.subarray(['date', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'retry-after']),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ clients, losses, dropped, ...setup }) => {
        const chance = fakeClock({ seed: setup.seed + 1 });
        const headers = (all: Record<string, string>) => {
          const some = Object.entries(all).filter(([name]) => !dropped.includes(name) || chance.random() < 0.5);
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
        for (const result of results) if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(UnavailableError);
        expect(model.most()).toBeLessThanOrEqual(clients * setup.concurrency);
      }),
      runs(100),
    );
  });
});

describe('--max-wait', () => {
  test('0 never pauses: what the window holds goes out, the next request fails at once and says when to come back', async () => {
    const { clock, model, sender } = prepare({ limit: 10, maxWaitMs: 0 });
    const results = await clock.run(Promise.allSettled(Array.from({ length: 12 }, () => sender.call(GET))));
    const failed = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(model.counts).toEqual(new Map([[200, 10]]));
    expect(failed).toHaveLength(2);
    expect(failed[0]).toBeInstanceOf(RateLimitError);
    expect(failed[0].hint).toMatch(/try again in (\d+ s|1 min).*\(after 2027-\d\d-\d\dT/);
    expect(failed[0].outcome).toBe('not-applied');
    expect(sender.stats()).toMatchObject({ pauses: 0, pausedMs: 0 });
    expect(clock.monotonic()).toBeLessThan(2000);
  });

  test('bounds the sum of all pauses, and is checked before sleeping', async () => {
    const { clock, model, sender } = prepare({ limit: 10, maxWaitMs: 150_000 });
    const results = await clock.run(Promise.allSettled(Array.from({ length: 50 }, () => sender.call(GET))));
    expect(model.counts.get(200)).toBe(30);
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(20);
    expect(sender.stats().pausedMs).toBeLessThan(150_000);
    const refused = results.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
    expect(refused.reason.message).toMatch(/--max-wait is 2 min 30 s in all \(\d min.* waited\)$/);
    // Two windows were waited for; the third is not begun.
    expect(clock.monotonic()).toBeLessThan(2 * 60_000 + 3000);
  });
});

describe('places in flight', () => {
  test('never more than the concurrency, and every failure gives its place back', async () => {
    const clock = fakeClock({ wallMs: START, seed: 1 });
    let inside = 0;
    let most = 0;
    let count = 0;
    const transport: Transport = {
      async exchange() {
        count += 1;
        inside += 1;
        most = Math.max(most, inside);
        const turn = count % 5;
        await clock.sleep(50);
        inside -= 1;
        const headers = {
          date: new Date(clock.now()).toUTCString(),
          'x-ratelimit-remaining': '500',
          'x-ratelimit-reset': '1800000600',
        };
        if (turn === 1) throw new NetworkError('connection refused', { sent: false });
        if (turn === 2) throw new NetworkError('the connection was reset', { sent: true });
        if (turn === 3) return { status: 502, headers: {}, text: '<html>' };
        return turn === 4 ? { status: 401, headers, text: '{"error":"no"}' } : { status: 200, headers, text: '{}' };
      },
      close() {},
    };
    const sender = client(clock, transport, { concurrency: 3 });
    const results = await clock.run(Promise.allSettled(Array.from({ length: 60 }, () => sender.call(GET))));
    expect(most).toBe(3);
    const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.constructor] : []));
    expect(new Set(reasons)).toEqual(new Set([AuthError, UnavailableError]));
    expect(inside).toBe(0);
  });

  test('an attempt without an answer counts as used: with 5 left and all lost, the sixth waits for the reset', async () => {
    const clock = fakeClock({ wallMs: START, seed: 1 });
    let count = 0;
    const transport: Transport = {
      async exchange() {
        count += 1;
        await clock.sleep(10);
        if (count > 1 && clock.monotonic() < 30_000) throw new NetworkError('the connection was reset', { sent: true });
        const headers = {
          date: new Date(clock.now()).toUTCString(),
          'x-ratelimit-remaining': count === 1 ? '5' : '50',
          'x-ratelimit-reset': clock.monotonic() < 30_000 ? '1800000030' : '1800000060',
        };
        return { status: 200, headers, text: '{}' };
      },
      close() {},
    };
    const sender = client(clock, transport, { concurrency: 1 });
    await clock.run(Promise.all([sender.call(GET), sender.call(GET)]));
    expect(count).toBe(1 + 5 + 1);
    expect(sender.stats().pauses).toBe(1);
  });

  test('an abort ends a pause, and the queue behind it, at once and with its reason', async () => {
    const aborter = new AbortController();
    const reason = new InterruptedError('SIGINT');
    const events = { pause: () => queueMicrotask(() => aborter.abort(reason)) };
    const { clock, sender } = prepare({ limit: 10, signal: aborter.signal, events });
    const results = await clock.run(Promise.allSettled(Array.from({ length: 30 }, () => sender.call(GET))));
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(20);
    for (const result of results) if (result.status === 'rejected') expect(result.reason).toBe(reason);
    expect(clock.monotonic()).toBeLessThan(4000);
    await expect(sender.call(GET)).rejects.toBe(reason);
  });
});
