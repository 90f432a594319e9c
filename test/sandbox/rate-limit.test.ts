import { describe, expect, test } from 'vitest';
import { type SandboxOptions, withDefaults } from '#sandbox/options';
import { createRateLimiter } from '#sandbox/sandbox';
import { ask } from '../support/api.ts';
import { fakeClock } from '../support/clock.ts';
import { useSandbox } from '../support/sandbox.ts';

const NOON = Date.UTC(2026, 0, 15, 12);

function limiter(options: SandboxOptions, startMs = NOON) {
  const clock = fakeClock({ wallMs: startMs });
  return { clock, ...createRateLimiter(withDefaults(options), clock.now) };
}

describe('a rate-limit window', () => {
  test.each([
    ['free', 60],
    ['pro', 300],
    ['business', 1000],
  ] as const)('for the plan %s admits %d requests, and refuses the next request', (plan, limit) => {
    const { admit } = limiter({ plan });
    const admitted = Array.from({ length: limit }, () => admit());
    expect(admitted.every(({ allowed }) => allowed)).toBe(true);
    expect(admitted.map(({ remaining }) => remaining)).toEqual(
      Array.from({ length: limit }, (_, n) => limit - 1 - n),
    );
    expect(admit()).toMatchObject({ allowed: false, remaining: 0 });
  });

  test('ends at the full minute, and not a millisecond earlier', async () => {
    const { admit, clock } = limiter({ limit: 1 }, NOON + 30_000);
    expect(admit().allowed).toBe(true);
    await clock.advance(29_999);
    expect(admit()).toMatchObject({ allowed: false, headers: { 'Retry-After': '1' } });
    await clock.advance(1);
    expect(admit().allowed).toBe(true);
  });

  test('begins at the first request with the option windowStart `first-request`', async () => {
    const { admit, clock } = limiter({ limit: 1, windowStart: 'first-request' }, NOON + 30_000);
    expect(admit().headers['X-RateLimit-Reset']).toBe(String((NOON + 90_000) / 1000));
    await clock.advance(59_999);
    expect(admit().allowed).toBe(false);
    await clock.advance(1);
    expect(admit().allowed).toBe(true);
  });

  test('admits its full number of requests even if requests were refused in the previous window', async () => {
    const { admit, clock } = limiter({ limit: 2 });
    for (let n = 0; n < 10; n++) admit();
    await clock.advance(60_000);
    expect([admit().allowed, admit().allowed, admit().allowed]).toEqual([true, true, false]);
  });

  test('starts again if the clock is set back', () => {
    const { admit, clock } = limiter({ limit: 1 });
    admit();
    clock.jump(-3_600_000);
    expect(admit().allowed).toBe(true);
  });

  test.each([700, 1000, 1500, 60_000])('of %d ms never reports a reset before its end', async (windowMs) => {
    const { admit, clock } = limiter({ limit: 1, windowMs }, NOON + 123);
    admit();
    const { headers } = admit();
    const resetMs = Number(headers['X-RateLimit-Reset']) * 1000;
    const retryMs = clock.now() + Number(headers['Retry-After']) * 1000;
    for (const atMs of [resetMs, retryMs]) {
      const later = limiter({ limit: 1, windowMs }, NOON + 123);
      later.admit();
      await later.clock.advance(atMs - later.clock.now());
      expect(later.admit().allowed).toBe(true);
    }
  });
});

describe('the rate limit in a sandbox', () => {
  test('refuses a request with 429, Retry-After, rate-limit headers and an Error body, and does not apply it', async () => {
    const clock = fakeClock({ wallMs: NOON + 20_000 });
    const sandbox = await useSandbox({ codes: 0, limit: 1, clock });
    await ask(sandbox, 'GET', '/qr');
    const reply = await ask(sandbox, 'POST', '/qr', { body: { name: 'a' } });
    expect(reply.status).toBe(429);
    expect(reply.body).toEqual({ error: expect.any(String), code: 'rate_limited' });
    expect(reply.headers.get('retry-after')).toBe('40');
    expect(reply.headers.get('x-ratelimit-remaining')).toBe('0');
    expect(reply.headers.get('x-ratelimit-reset')).toBe(String((NOON + 60_000) / 1000));
    expect(reply.headers.get('date')).toBe('Thu, 15 Jan 2026 12:00:20 GMT');
    expect(sandbox.workspace.codes()).toEqual([]);
    await clock.advance(40_000);
    expect((await ask(sandbox, 'POST', '/qr', { body: { name: 'a' } })).status).toBe(201);
  });

  test('counts failed requests, but not requests without a key or to other paths', async () => {
    const sandbox = await useSandbox({ limit: 10, windowMs: 3_600_000 });
    await ask(sandbox, 'GET', '/qr?page=0');
    await ask(sandbox, 'GET', '/qr/none');
    await ask(sandbox, 'POST', '/qr', { body: {} });
    await ask(sandbox, 'GET', '/qr', { key: false });
    await ask(sandbox, 'GET', '/openapi.json');
    expect((await ask(sandbox, 'GET', '/qr')).headers.get('x-ratelimit-remaining')).toBe('6');
  });

  test('is applied after the key is checked: a request without a key gets 401, not 429', async () => {
    const sandbox = await useSandbox({ limit: 0 });
    expect((await ask(sandbox, 'GET', '/qr', { key: false })).status).toBe(401);
  });

  test("uses the service's clock, even if it is a day behind the clock of the machine", async () => {
    const sandbox = await useSandbox({
      codes: 0,
      clock: fakeClock({ wallMs: NOON + 20_000 }),
      clockSkewMs: -86_400_000,
    });
    const { headers, body } = await ask(sandbox, 'POST', '/qr', { body: { name: 'a' } });
    expect(headers.get('date')).toBe('Wed, 14 Jan 2026 12:00:20 GMT');
    expect(headers.get('x-ratelimit-reset')).toBe(String((NOON - 86_400_000 + 60_000) / 1000));
    expect(body.created_at).toBe('2026-01-14T12:00:20.000Z');
  });
});
