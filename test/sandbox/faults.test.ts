import { describe, expect, test, vi } from 'vitest';
import type { SandboxOptions } from '#sandbox/options';
import { ask } from '../support/api.ts';
import * as faults from '../support/faults.ts';
import { useSandbox } from '../support/sandbox.ts';

const open = (intercept: faults.Fault, options: SandboxOptions = {}) =>
  useSandbox({ codes: 1, scans: 30, intercept, ...options });
const create = { body: { name: 'a' } };

describe('faults of connections', () => {
  test.each([
    ['hang', faults.hang, 1],
    ['applyThenHang', faults.applyThenHang, 2],
  ])('%s never responds', async (_name, fault, codes) => {
    const sandbox = await open(fault);
    const patience = new AbortController();
    const reply = fetch(`${sandbox.baseUrl}/qr`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sandbox.apiKey}` },
      body: '{"name":"a"}',
      signal: patience.signal,
    });
    await vi.waitFor(() => expect(sandbox.workspace.codes()).toHaveLength(codes), 30_000);
    setTimeout(() => patience.abort(new Error('no answer')), 100);
    await expect(reply).rejects.toThrow('no answer');
    expect(sandbox.workspace.codes()).toHaveLength(codes);
  });

  test('landLate applies a request later, without a response', async () => {
    const sandbox = await open(faults.landLate(1500));
    await expect(ask(sandbox, 'POST', '/qr', create)).rejects.toThrow();
    expect(sandbox.workspace.codes()).toHaveLength(1);
    await vi.waitFor(() => expect(sandbox.workspace.codes()).toHaveLength(2), 30_000);
  });

  test('drip sends the real response slowly', async () => {
    const sandbox = await open(faults.drip(0));
    expect((await ask(sandbox, 'GET', '/qr')).body.pagination.total).toBe(1);
  });
});

describe('responses that replace the real one', () => {
  test.each([
    ['before', false, 1],
    ['after', true, 2],
  ])('come %s the request is applied', async (_name, applied, codes) => {
    const sandbox = await open(faults.fails(500, { applied }));
    expect(await ask(sandbox, 'POST', '/qr', create)).toMatchObject({
      status: 500,
      body: { code: 'made_up' },
    });
    expect(sandbox.workspace.codes()).toHaveLength(codes);
  });

  test('can be refusals, redirects, pages of HTML and bombs', async () => {
    const read = async (fault: faults.Fault) => {
      const sandbox = await open(fault);
      const headers = { authorization: `Bearer ${sandbox.apiKey}` };
      return fetch(`${sandbox.baseUrl}/qr`, { headers, redirect: 'manual' });
    };
    expect((await read(faults.refuses('7'))).headers.get('retry-after')).toBe('7');
    expect((await read(faults.refuses())).headers.has('retry-after')).toBe(false);
    expect((await read(faults.redirects('http://127.0.0.1:9/'))).headers.get('location')).toBe(
      'http://127.0.0.1:9/',
    );
    expect(await (await read(faults.gateway())).text()).toMatch(/^<html>/);
    const bomb = await read(faults.gzipBomb(1_000_000));
    expect(Number(bomb.headers.get('content-length'))).toBeLessThan(10_000);
    expect(await bomb.text()).toHaveLength(1_000_000);
  });
});

describe('changed responses', () => {
  const scans = async (fault: faults.Fault, query = '') => {
    const sandbox = await open(fault);
    const { body, headers } = await ask(sandbox, 'GET', `/qr/${sandbox.codeId()}/scans${query}`);
    return { ...body, headers };
  };

  test('can have smaller pages, have other pages, or end early', async () => {
    expect((await scans(faults.smallerPages(7), '?limit=20')).pagination).toEqual({
      page: 1,
      limit: 7,
      total: 30,
      pages: 5,
    });
    const repeated = await scans(
      faults.otherPage(() => 1),
      '?limit=10&page=2',
    );
    expect(repeated.data).toEqual((await scans(faults.honest, '?limit=10')).data);
    expect((await scans(faults.endsBefore(2), '?limit=10&page=2')).data).toEqual([]);
    expect((await scans(faults.endsBefore(2), '?limit=10&page=1')).data).toHaveLength(10);
  });

  test('can have no rate-limit headers, or absurd ones', async () => {
    expect((await scans(faults.withoutRateHeaders)).headers.has('x-ratelimit-remaining')).toBe(false);
    expect((await scans(faults.absurdRateHeaders)).headers.get('x-ratelimit-remaining')).toBe('-7');
  });
});

describe('plans of faults', () => {
  test('are random but the same for the same seed', async () => {
    const statuses = async (seed: number) => {
      const sandbox = await open(faults.randomly(seed, 0.5, [faults.fails(500), faults.fails(503)]));
      const seen: number[] = [];
      for (let n = 0; n < 40; n++) seen.push((await ask(sandbox, 'GET', '/qr')).status);
      return seen;
    };
    expect(new Set(await statuses(1))).toEqual(new Set([200, 500, 503]));
    expect(await statuses(1)).toEqual(await statuses(1));
    expect(await statuses(2)).not.toEqual(await statuses(1));
  });

  test('can end after a number of requests', async () => {
    const sandbox = await open(faults.atFirst(2, faults.fails(503)));
    const statuses = [
      await ask(sandbox, 'GET', '/qr'),
      await ask(sandbox, 'GET', '/qr'),
      await ask(sandbox, 'GET', '/qr'),
    ];
    expect(statuses.map(({ status }) => status)).toEqual([503, 503, 200]);
  });
});
