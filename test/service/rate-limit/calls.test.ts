/** Many calls at once through the client: what becomes of each when the rate limit, the network or a person ends it. */
import { describe, expect, test } from 'vitest';
import { AuthError, RateLimitError, UnavailableError } from '#base/errors';
import { NetworkError } from '#service/network-error';
import type { Transport } from '#service/transport';
import { fakeClock } from '../../support/clock.ts';
import { client, GET, prepare, type Setup, START } from './setup.ts';

test('a 429 is not counted as an attempt: a call succeeds after twenty 429 responses (L17)', async () => {
  const clock = fakeClock();
  let asked = 0;
  const transport: Transport = {
    async exchange() {
      asked += 1;
      const headers = { 'retry-after': '2' };
      return asked <= 20
        ? { status: 429, headers, text: '{"error":"no"}' }
        : { status: 200, headers: {}, text: '{}' };
    },
    close() {},
  };
  const sender = client(clock, transport, {});
  expect(await clock.run(sender.call(GET))).toEqual({});
  expect(sender.stats()).toMatchObject({ requests: 21, pauses: 20 });
});

test('a request that got a 429 is sent again before requests that wait (L7)', async () => {
  const clock = fakeClock();
  const paths: string[] = [];
  const transport: Transport = {
    async exchange({ path }) {
      paths.push(path);
      await clock.sleep(10);
      const headers = { 'x-ratelimit-limit': '9', 'retry-after': '2' };
      return { status: paths.length === 1 ? 429 : 200, headers, text: '{}' };
    },
    close() {},
  };
  const sender = client(clock, transport, { concurrency: 1 });
  await clock.run(Promise.all(['/a', '/b', '/c'].map((path) => sender.call({ ...GET, path }))));
  expect(paths).toEqual(['/a', '/a', '/b', '/c']);
});

test('a request that fails for an unknown reason counts as sent, so a POST is not repeated', async () => {
  let requests = 0;
  const transport: Transport = {
    async exchange() {
      requests += 1;
      throw new TypeError('not a function');
    },
    close() {},
  };
  const sender = client(fakeClock(), transport, {});
  await expect(sender.call({ ...GET, method: 'POST' })).rejects.toMatchObject({
    message: 'not a function [POST /api/v1/qr on 127.0.0.1]',
    outcome: 'unknown',
  });
  expect(requests).toBe(1);
});

describe('behind a gateway that refuses bursts with an HTML page', () => {
  /** In front of the model: so many a second, as nginx's limit_req has it, and no word of when to come back. */
  function behindGateway(perSecond: number, setup: Setup) {
    const { clock, model } = prepare(setup);
    let free = 0;
    let turned = 0;
    const transport: Transport = {
      async exchange(request) {
        const now = clock.monotonic();
        if (now < free) {
          turned += 1;
          await clock.sleep(5);
          return {
            status: 429,
            headers: { server: 'nginx' },
            text: '<html><h1>429 Too Many Requests</h1></html>',
          };
        }
        free = now + 1000 / perSecond;
        return model.transport.exchange(request);
      },
      close() {},
    };
    return { clock, model, sender: client(clock, transport, setup), turned: () => turned };
  }

  test.each([1, 4, 16])(
    'each of 80 POST requests, %i in flight, succeeds once, within two minutes',
    async (concurrency) => {
      const { clock, model, sender, turned } = behindGateway(5, { limit: 1000, concurrency });
      const post = { ...GET, method: 'POST', body: { name: 'A' } } as const;
      await clock.run(Promise.all(Array.from({ length: 80 }, () => sender.call(post))));
      expect(model.counts).toEqual(new Map([[200, 80]]));
      expect(turned()).toBeGreaterThan(10);
      expect(clock.monotonic()).toBeLessThan(120_000);
    },
  );
});

describe('--retry-for', () => {
  /** A service that is away for `outageMs`; Afterwards it answers, but never for `/broken`. */
  function outage(outageMs: number, retryForMs: number) {
    const clock = fakeClock();
    const transport: Transport = {
      async exchange({ path }) {
        await clock.sleep(10);
        if (clock.monotonic() < outageMs) throw new NetworkError('connection refused', { sent: false });
        return path === '/broken'
          ? { status: 503, headers: {}, text: '' }
          : { status: 200, headers: {}, text: '{}' };
      },
      close() {},
    };
    return { clock, sender: client(clock, transport, { retryForMs }) };
  }

  test('15m lets calls succeed after an outage of five minutes, and their retries are counted', async () => {
    const { clock, sender } = outage(300_000, 900_000);
    expect(await clock.run(Promise.all([sender.call(GET), sender.call(GET)]))).toEqual([{}, {}]);
    expect(clock.monotonic()).toBeLessThan(320_000);
    const { requests, retries } = sender.stats();
    expect([retries, retries > 20]).toEqual([requests - 2, true]);
  });

  test('30s ends a call within half a minute and reports the time, and the next call makes only one attempt', async () => {
    const { clock, sender } = outage(300_000, 30_000);
    const failed = () => sender.call(GET).catch((error: unknown) => error);
    expect(await clock.run(failed())).toMatchObject({
      message: expect.stringMatching(/connection refused \(after \d+ attempts in \d\d s\)/),
    });
    const until = clock.monotonic();
    expect(until).toBeGreaterThan(15_000);
    expect(until).toBeLessThanOrEqual(30_100);
    await clock.run(clock.sleep(30_000));
    const before = sender.stats().requests;
    await clock.run(failed());
    expect(sender.stats().requests).toBe(before + 1);
  });

  test('30s ends a failing call, although other calls succeed', async () => {
    const { clock, sender } = outage(0, 30_000);
    let over = false;
    const broken = sender.call({ ...GET, path: '/broken' }).catch((error: unknown) => {
      over = true;
      return error;
    });
    const others = (async () => {
      while (!over) {
        await sender.call(GET);
        await clock.sleep(500);
      }
    })();
    await clock.run(Promise.all([broken, others]));
    expect(await broken).toBeInstanceOf(UnavailableError);
    expect(clock.monotonic()).toBeLessThan(40_000);
  });
});

describe('--max-wait', () => {
  test('0 uses up the window without a pause, and then fails immediately with the time to retry', async () => {
    const { clock, model, sender } = prepare({ limit: 10, maxWaitMs: 0 });
    const results = await clock.run(Promise.allSettled(Array.from({ length: 12 }, () => sender.call(GET))));
    const failed = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(model.counts).toEqual(new Map([[200, 10]]));
    expect(failed).toHaveLength(2);
    expect(failed[0]).toBeInstanceOf(RateLimitError);
    expect(failed[0].hint).toMatch(/Try again in (\d+ s|1 min).*\(after 2027-\d\d-\d\dT/);
    expect(failed[0].outcome).toBe('not-applied');
    expect(sender.stats()).toMatchObject({ pauses: 0, pausedMs: 0 });
    expect(clock.monotonic()).toBeLessThan(2000);
  });
});

describe('requests in flight', () => {
  test('are never more than the concurrency, even after failures', async () => {
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
        // With the service's headers: with another one of a gateway it would be a burst that is refused (L21).
        if (turn === 3) return { status: 502, headers, text: '<html>' };
        return turn === 4
          ? { status: 401, headers, text: '{"error":"no"}' }
          : { status: 200, headers, text: '{}' };
      },
      close() {},
    };
    const sender = client(clock, transport, { concurrency: 3, retryForMs: 3000 });
    const results = await clock.run(Promise.allSettled(Array.from({ length: 60 }, () => sender.call(GET))));
    expect(most).toBe(3);
    const reasons = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason.constructor] : [],
    );
    expect(new Set(reasons)).toEqual(new Set([AuthError, UnavailableError]));
    expect(inside).toBe(0);
  });
});
