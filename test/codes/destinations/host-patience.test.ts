import { describe, expect, it } from 'vitest';
import { createHostPatience } from '#codes/destinations/check-destinations';
import type { Trip } from '#codes/destinations/follow';
import { LateError } from '#codes/destinations/request';
import { judge } from '#codes/destinations/verdict';
import { NetworkError } from '#service/network-error';

const ORIGIN = 'https://a.test';

const trip = (end: Trip['end'], redirects = 0): Trip => {
  return { end, finalUrl: `${ORIGIN}/x`, redirects, tlsEndsMs: 1, ms: 5 };
};
const failed = (failure: NetworkError, redirects = 0) => trip({ is: 'failed', failure }, redirects);
const answer = (status: number) => trip({ is: 'response', status, headers: {} });

const DOWN = failed(new NetworkError('connection refused', { sent: false }));
const LATE = failed(new LateError('no response within 30 s', { sent: true }));

/** A host after these visits. */
function afterVisits(...trips: Trip[]) {
  const patience = createHostPatience();
  for (const visit of trips) patience.note(ORIGIN, visit, judge(visit), false);
  return patience;
}

describe('createHostPatience (K9)', () => {
  it('returns the last verdict for a host, without finalUrl and ms, after two failed connections in a row', () => {
    expect(afterVisits(DOWN).verdict(ORIGIN)).toBeUndefined();
    expect(afterVisits(DOWN, answer(200), DOWN).verdict(ORIGIN)).toBeUndefined();
    expect(afterVisits(DOWN, DOWN).verdict(ORIGIN)).toEqual({
      ...judge(DOWN),
      finalUrl: undefined,
      ms: undefined,
    });
    expect(afterVisits(DOWN, DOWN).verdict('https://b.test')).toBeUndefined();
  });

  it('returns the last verdict for a host after five visits in a row without a response', () => {
    expect(afterVisits(LATE, LATE, LATE, LATE).verdict(ORIGIN)).toBeUndefined();
    expect(afterVisits(LATE, LATE, LATE, LATE, LATE).verdict(ORIGIN)).toMatchObject({
      outcome: 'unreachable',
    });
    expect(afterVisits(LATE, LATE, answer(404), LATE, LATE, LATE).verdict(ORIGIN)).toBeUndefined();
  });

  it.each<[string, Trip]>([
    [
      'the failure of another host after a redirect',
      failed(new NetworkError('connection refused', { sent: false }), 1),
    ],
    [
      'a connection reset after the request was sent',
      failed(new NetworkError('the connection was reset', { sent: true })),
    ],
    [
      'a certificate error',
      failed(new NetworkError('the certificate has expired', { fault: 'certificate', sent: false })),
    ],
    ['a timeout on another host after a redirect', failed(new LateError('no response', { sent: true }), 1)],
    ['a response with status 503', answer(503)],
  ])('does not count a host as down after %s, even six times in succession', (_, visit) => {
    expect(afterVisits(...new Array(6).fill(visit)).verdict(ORIGIN)).toBeUndefined();
    expect(afterVisits(visit).allowsRetry(ORIGIN)).toBe(true);
  });

  it('allows a retry unless the last visit could not connect or three retries in a row failed', () => {
    expect(createHostPatience().allowsRetry(ORIGIN)).toBe(true);
    expect(afterVisits(DOWN).allowsRetry(ORIGIN)).toBe(false);
    expect(afterVisits(LATE).allowsRetry(ORIGIN)).toBe(true);
    const patience = afterVisits();
    const retry = (status: number) => patience.note(ORIGIN, answer(status), judge(answer(status)), true);
    for (const status of [503, 503, 200, 503, 503]) retry(status);
    expect(patience.allowsRetry(ORIGIN)).toBe(true);
    patience.note(ORIGIN, answer(503), judge(answer(503)), false);
    expect(patience.allowsRetry(ORIGIN)).toBe(true);
    retry(503);
    expect(patience.allowsRetry(ORIGIN)).toBe(false);
    retry(200);
    expect(patience.allowsRetry(ORIGIN)).toBe(true);
  });
});
