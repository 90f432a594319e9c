import { describe, expect, test } from 'vitest';
import { systemClock } from '#base/time/time';
import { createFaults, type PlannedFault, SLOW_MS } from '#sandbox/faults';
import { ask } from '../support/api.ts';
import { useSandbox } from '../support/sandbox.ts';

const create = { body: { name: 'a' } };

/** A sandbox of one code whose waits are noted and not waited. */
async function open(...planned: PlannedFault[]) {
  const applied: string[] = [];
  const waits: number[] = [];
  const clock = {
    ...systemClock,
    sleep: async (ms: number) => {
      waits.push(ms);
    },
  };
  const intercept = createFaults(planned, {
    clock,
    onFault: ({ kind, n }, { method }) => applied.push(`${kind}:${n} ${method}`),
  });
  const sandbox = await useSandbox({ codes: 1, scans: 0, intercept });
  const send = (method: string) => ask(sandbox, method, '/qr', method === 'POST' ? create : {});
  return { sandbox, send, applied, waits };
}

describe('a planned fault', () => {
  test.each([
    ['lose-answer', 2],
    ['drop', 1],
  ] as const)(
    'of kind %s closes the connection of a POST request, after which a sandbox with one code has %d',
    async (kind, codes) => {
      const { sandbox, send, applied } = await open({ kind, n: 1 });
      await expect(send('POST')).rejects.toThrow();
      expect(sandbox.workspace.codes()).toHaveLength(codes);
      expect((await send('POST')).status).toBe(201);
      expect(applied).toEqual([`${kind}:1 POST`]);
    },
  );

  test('of kind 500 or 429 leads to an error response, and the request is not applied', async () => {
    const { sandbox, send } = await open({ kind: '500', n: 1 }, { kind: '429', n: 2 });
    expect(await send('POST')).toMatchObject({ status: 500, body: { code: 'internal_error' } });
    const refused = await send('POST');
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(sandbox.workspace.codes()).toHaveLength(1);
  });

  test('of kind html leads to an HTML page with status 200, and the request is not applied', async () => {
    const { sandbox } = await open({ kind: 'html', n: 1 });
    const headers = { authorization: `Bearer ${sandbox.apiKey}` };
    const response = await fetch(`${sandbox.baseUrl}/qr`, { method: 'POST', headers, body: '{"name":"a"}' });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/html/);
    expect(await response.text()).toContain('Sign in');
    expect(sandbox.workspace.codes()).toHaveLength(1);
  });

  test('of kind slow delays the response to a request', async () => {
    const { send, waits } = await open({ kind: 'slow', n: 2 });
    await send('GET');
    expect(waits).toEqual([]);
    expect((await send('POST')).status).toBe(201);
    expect(waits).toEqual([SLOW_MS]);
  });

  test('counts all API requests, or for lose-answer only the requests that change codes', async () => {
    const { sandbox, send, applied } = await open({ kind: 'lose-answer', n: 2 }, { kind: '500', n: 3 });
    await ask(sandbox, 'GET', '/openapi.json', { key: false });
    expect([(await send('GET')).status, (await send('POST')).status]).toEqual([200, 201]);
    expect([(await send('GET')).status, (await send('GET')).status]).toEqual([500, 200]);
    await expect(send('POST')).rejects.toThrow();
    expect((await send('POST')).status).toBe(201);
    expect(applied).toEqual(['500:3 GET', 'lose-answer:2 POST']);
  });
});

describe('the clock in a sandbox', () => {
  const post = (port: number, body?: string) =>
    fetch(`http://127.0.0.1:${port}/sandbox/clock`, { method: 'POST', body });

  test('moves forward by the requested duration, which adds live scans and renews the rate limit', async () => {
    const nowMs = Date.UTC(2026, 9, 1, 12);
    const sandbox = await useSandbox({
      clock: { ...systemClock, now: () => nowMs },
      endsAtMs: nowMs,
      codes: 1,
      scans: 0,
      live: 1,
      limit: 2,
    });
    const total = async () => {
      const { body } = await ask(sandbox, 'GET', `/qr/${sandbox.codeId()}/scans`);
      return body.pagination.total;
    };
    expect(await total()).toBe(0);
    expect(await total()).toBe(0);
    const moved = await post(sandbox.port, '24h\n');
    expect([moved.status, await moved.json()]).toEqual([200, { now: '2026-10-02T12:00:00.000Z' }]);
    expect(await total()).toBe(86_400);
    const { headers } = await ask(sandbox, 'GET', '/qr');
    expect(headers.get('date')).toBe('Fri, 02 Oct 2026 12:00:00 GMT');
  });

  test.each(['', 'soon', '-1h', '9999999w', '{"by":"24h"}'])(
    'refuses to move forward by %j, with status 400',
    async (body) => {
      const { port } = await useSandbox();
      const refused = await post(port, body);
      expect([refused.status, await refused.json()]).toMatchObject([400, { code: 'validation_error' }]);
    },
  );

  test("can't be moved by a path below /api/v1 or by GET, and /openapi.json does not mention it", async () => {
    const sandbox = await useSandbox({ codes: 1 });
    expect((await ask(sandbox, 'POST', '/sandbox/clock', { rawBody: '24h' })).status).toBe(404);
    expect((await fetch(`http://127.0.0.1:${sandbox.port}/sandbox/clock`)).status).toBe(404);
    expect(JSON.stringify((await ask(sandbox, 'GET', '/openapi.json', { key: false })).body)).not.toContain(
      'clock',
    );
  });
});
