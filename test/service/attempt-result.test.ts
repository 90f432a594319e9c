import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { backoffMs, type Call, resultOfFailure, resultOfResponse } from '#service/attempt-result';
import { NetworkError, type NetworkFault } from '#service/network-error';
import { CHECK_URL } from '#service/response-error';
import { headersOf } from './rate-limit/setup.ts';

const state = { attempts: 1, spentMs: 0, retryForMs: 30_000, retryAfterMs: undefined, random: 0.999_999 };

test('the back-off doubles from 200 ms up to ten seconds, with full jitter', () => {
  const longest = [1, 2, 3, 4, 5, 6, 7, 8, 29].map((attempts) => backoffMs({ ...state, attempts }));
  expect(longest.map((ms) => ms && Math.round(ms))).toEqual([
    200, 400, 800, 1600, 3200, 6400, 10_000, 10_000, 10_000,
  ]);
  expect(backoffMs({ ...state, attempts: 6, random: 0 })).toBe(0);
});

test('no retry starts after the end of --retry-for, and --retry-for 0 allows no retry', () => {
  expect(backoffMs({ ...state, spentMs: 29_900 })).toBeUndefined();
  expect(backoffMs({ ...state, spentMs: 29_700 })).toBeDefined();
  expect(backoffMs({ ...state, spentMs: 899_700, retryForMs: 900_000 })).toBeDefined();
  expect(backoffMs({ ...state, retryForMs: 0, random: 0 })).toBeUndefined();
});

test('at most 30 attempts are made with a --retry-for of 30 s, and 7 with 1 s, even if every random wait is 0', () => {
  expect(backoffMs({ ...state, attempts: 30, random: 0 })).toBeUndefined();
  expect(backoffMs({ ...state, attempts: 6, retryForMs: 1000, random: 0 })).toBe(0);
  expect(backoffMs({ ...state, attempts: 7, retryForMs: 1000, random: 0 })).toBeUndefined();
});

test('the back-off for a Retry-After of 7 s is at least 7 s, and is between 0 and 60.2 s for any Retry-After', () => {
  expect(backoffMs({ ...state, retryAfterMs: 7000, random: 0 })).toBe(7000);
  fc.assert(
    fc.property(fc.double({ min: -1e15, max: 1e15, noNaN: true }), (retryAfterMs) => {
      const ms = backoffMs({ ...state, retryForMs: 900_000, retryAfterMs });
      expect(ms).toBeGreaterThanOrEqual(0);
      expect(ms).toBeLessThanOrEqual(60_200);
    }),
  );
});

describe('a successful response that is not JSON', () => {
  const resultOf = (
    text: string,
    { method = 'GET', reached = false }: Partial<Call<unknown>> & { reached?: boolean },
  ) => {
    const subject = { method, redact: (words: string) => words };
    const call = { method, path: '/qr', check: (json: unknown) => json };
    const response = { status: 200, headers: {}, text };
    return resultOfResponse(call, subject, { response, rate: headersOf({}), reached });
  };

  test.each([
    ['', 'empty response (200)', true],
    [' \n', 'empty response (200)', false],
    ['{"a":', 'the response is not JSON: {"a": (200)', true],
    [' \n [1,', 'the response is not JSON: [1, (200)', true],
    ['a {', 'the response is not JSON: a { (200)', false],
    ['x[', 'the response is not JSON: x[ (200)', false],
    ['<html>no', 'the response is not JSON: no (200)', false],
  ])(
    'is retried only if it may be a truncated response from the service: %j',
    async (text, message, repeat) => {
      const error = { message, status: 200 };
      expect(await resultOf(text, {})).toMatchObject({ kind: 'failed', error, repeat, sent: true });
      expect(await resultOf(text, { reached: true })).toMatchObject({ error, repeat: true });
      expect(await resultOf(text, { reached: true, method: 'POST' })).toMatchObject({ error, repeat: false });
    },
  );
});

describe('a network error', () => {
  const failed = (fault: NetworkFault, sent: boolean, method: 'GET' | 'POST' = 'GET', hint?: string) =>
    resultOfFailure(
      { method, redact: (text) => text.replace('KEY', '[key]') },
      new NetworkError('no KEY', { fault, sent, hint }),
    );

  test.each<[NetworkFault, string]>([
    ['network', 'Run `qrctl doctor` to find the cause.'],
    [
      'certificate',
      'Check the base URL. If you use a private certificate authority, set NODE_EXTRA_CA_CERTS to its certificate file.',
    ],
    [
      'proxy',
      'Add the user name and password to the proxy URL: HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT (or HTTP_PROXY for a service without TLS).',
    ],
    ['protocol', 'Check the port in the base URL, and whether the URL should begin with http://.'],
  ])('of the kind `%s` has the hint: %s', (fault, hint) => {
    expect(failed(fault, false)).toMatchObject({
      kind: 'failed',
      error: { message: 'no [key]', hint, outcome: 'not-applied' },
      sent: false,
    });
    expect(failed(fault, true)).toMatchObject({ error: { outcome: 'unknown' }, sent: true });
    expect(failed(fault, false, 'GET', 'Wait.')).toMatchObject({ error: { hint: 'Wait.' } });
  });

  test('for an unusable response becomes an UnexpectedResponseError, and the request is not repeated', () => {
    expect(failed('answer', true)).toMatchObject({
      error: { name: 'UnexpectedResponseError', message: 'no [key]', hint: CHECK_URL },
      repeat: false,
      sent: true,
    });
  });

  test('is retried only if it may be temporary, and after a POST only if nothing was sent', () => {
    const faults: NetworkFault[] = ['network', 'certificate', 'proxy', 'protocol', 'answer'];
    const repeats = (sent: boolean, method: 'GET' | 'POST') =>
      faults.filter((fault) => Reflect.get(failed(fault, sent, method), 'repeat'));
    expect([repeats(false, 'GET'), repeats(true, 'GET')]).toEqual([['network'], ['network']]);
    expect([repeats(false, 'POST'), repeats(true, 'POST')]).toEqual([['network'], []]);
  });
});
