import { describe, expect, it } from 'vitest';
import type { Trip } from '#codes/destinations/follow';
import { findSilence, judge, retryOf, type Verdict } from '#codes/destinations/verdict';
import { asNetworkError, NetworkError, type NetworkFault } from '#service/network-error';
import { throughProxy } from '#service/proxy';

const trip = (end: Trip['end'], redirects = 0): Trip => {
  return { end, finalUrl: 'https://a.test/', redirects, tlsEndsMs: undefined, ms: 5 };
};
const answer = (status: number, headers: Record<string, string> = {}): Trip['end'] => ({
  is: 'response',
  status,
  headers,
});
const failed = (fault: NetworkFault): Trip['end'] => ({
  is: 'failed',
  failure: new NetworkError('went wrong', { sent: true, fault }),
});

describe('judge', () => {
  it.each([
    [200, 'ok', undefined],
    [299, 'ok', undefined],
    [199, 'broken', 'unexpected status 199'],
    [300, 'broken', 'unexpected status 300'],
    [404, 'broken', 'page not found (404)'],
    [410, 'broken', 'page permanently removed (410)'],
    [499, 'broken', 'unexpected status 499'],
    [500, 'broken', 'server error (500)'],
    [401, 'blocked', 'access refused (401)'],
    [403, 'blocked', 'access refused (403)'],
    [429, 'blocked', 'access refused (429)'],
    [451, 'blocked', 'access refused (451)'],
    [999, 'blocked', 'access refused (999)'],
  ])('maps the status %i to the outcome `%s`', (status, outcome, error) => {
    expect(judge(trip(answer(status)))).toEqual({
      outcome,
      status,
      error,
      responded: true,
      finalUrl: 'https://a.test/',
      redirects: 0,
      tlsEndsMs: undefined,
      ms: 5,
    });
  });

  it('returns `redirected` for a page after a redirect, and `blocked` for a 503 from bot protection', () => {
    expect(judge(trip(answer(200), 1))).toMatchObject({
      outcome: 'redirected',
      redirects: 1,
      responded: true,
    });
    for (const name of ['cf-mitigated', 'x-sucuri-block'])
      expect(judge(trip(answer(503, { [name]: 'challenge' })))).toMatchObject({
        outcome: 'blocked',
        status: 503,
        error: `blocked by bot protection (503, ${name})`,
      });
    expect(judge(trip(answer(403, { 'cf-mitigated': 'challenge' })))).toMatchObject({
      error: 'access refused (403)',
    });
  });

  it('returns the outcome and reason for a visit that returned no page', () => {
    const ends: [Trip['end'], Partial<Verdict>][] = [
      [
        { is: 'broken', error: 'redirects in a loop (302)', status: 302 },
        { outcome: 'broken', error: 'redirects in a loop (302)', status: 302 },
      ],
      [
        { is: 'blocked', error: 'is a code' },
        { outcome: 'blocked', error: 'is a code', responded: undefined },
      ],
      [
        { is: 'unreachable', error: 'is private' },
        { outcome: 'unreachable', error: 'is private', responded: undefined },
      ],
      [failed('network'), { outcome: 'unreachable', error: 'went wrong', responded: false }],
      [failed('proxy'), { outcome: 'unreachable', responded: false }],
      [failed('certificate'), { outcome: 'broken', responded: true }],
    ];
    for (const [end, verdict] of ends) expect(judge(trip(end))).toMatchObject(verdict);
    expect(judge(trip({ is: 'not-web', error: 'redirects to tel:+49' }, 1))).toMatchObject({
      outcome: 'not-web',
      error: 'redirects to tel:+49',
      responded: true,
    });
  });

  it('counts a connection refused by the server as a response, but not one refused by a proxy', () => {
    const refused = asNetworkError(Object.assign(new Error(), { code: 'ECONNREFUSED' }), false);
    const judged = (failure: NetworkError) => judge(trip({ is: 'failed', failure }));
    expect(judged(refused)).toMatchObject({
      outcome: 'unreachable',
      error: 'connection refused',
      responded: true,
    });
    expect(judged(throughProxy(new URL('http://proxy.test'), refused, false))).toMatchObject({
      responded: false,
    });
  });

  it('counts a redirect as a response, even if its target is unreachable', () => {
    for (const end of [failed('network'), { is: 'unreachable', error: 'is private' } as const])
      expect(judge(trip(end, 1))).toMatchObject({ outcome: 'unreachable', responded: true });
  });
});

describe('retryOf', () => {
  it.each([408, 425, 429, 500, 502, 503, 504])(
    'returns a delay of 2 s for a visit that ended with the status %i',
    (status) => {
      expect(retryOf(trip(answer(status)))).toBe(2000);
    },
  );

  it('returns the delay that the server requests, up to 10 s, and 0 for a time in the past', () => {
    expect(retryOf(trip(answer(503, { 'retry-after': '7' })))).toBe(7000);
    expect(retryOf(trip(answer(503, { 'retry-after': '11' })))).toBe(10_000);
    expect(retryOf(trip(answer(503, { 'retry-after': '0' })))).toBe(0);
    expect(retryOf(trip(answer(503, { 'retry-after': '-7' })))).toBe(2000);
    const past = { date: 'Sun, 06 Nov 1994 08:49:37 GMT', 'retry-after': 'Sun, 06 Nov 1994 08:49:30 GMT' };
    expect(retryOf(trip(answer(503, past)))).toBe(0);
  });

  it('returns undefined for a visit that a retry would not change, and 2 s for a network failure', () => {
    const ends = [
      answer(200),
      answer(404),
      answer(501),
      failed('proxy'),
      failed('certificate'),
      { is: 'blocked', error: '' } as const,
    ];
    for (const end of ends) expect(retryOf(trip(end))).toBeUndefined();
    expect(retryOf(trip(failed('network')))).toBe(2000);
  });
});

describe('findSilence (K10)', () => {
  const verdict = (responded: boolean | undefined, error?: string) => ({ responded, error }) as Verdict;

  it('returns the number of requested destinations and the most frequent reason if none of them responded', () => {
    const silent = [
      verdict(false, 'no route'),
      verdict(undefined, 'is ours'),
      verdict(false, 'refused'),
      verdict(false, 'refused'),
    ];
    expect(findSilence(silent)).toEqual({ requested: 3, reason: 'refused' });
    expect(findSilence([verdict(false)])).toEqual({ requested: 1, reason: '' });
  });

  it('returns undefined if a destination responded or nothing was requested', () => {
    expect(findSilence([verdict(false, 'no route'), verdict(true)])).toBeUndefined();
    expect(findSilence([verdict(undefined, 'is ours')])).toBeUndefined();
    expect(findSilence([])).toBeUndefined();
  });
});
