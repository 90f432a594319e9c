import { describe, expect, it } from 'vitest';
import { spanBefore } from '#scans/stats/calendar';

const at = (text: string) => Date.parse(text);
const LATER = at('2030-01-01T00:00:00Z');

function rangeBefore(
  since: string,
  until: string,
  { comparison = 'previous' as 'previous' | 'year', zone = 'UTC', nowMs = LATER } = {},
) {
  const { sinceMs, untilMs } = spanBefore(
    { sinceMs: at(since), untilMs: at(until) },
    comparison,
    zone,
    nowMs,
  );
  return [sinceMs, untilMs].map((ms) => new Date(ms).toISOString().replace(':00.000Z', ''));
}

describe('the previous range', () => {
  it.each([
    ['2026-10-01T00:00:00Z', '2026-11-01T00:00:00Z', ['2026-09-01T00:00', '2026-10-01T00:00']],
    ['2026-03-01T00:00:00Z', '2026-04-01T00:00:00Z', ['2026-02-01T00:00', '2026-03-01T00:00']],
    ['2026-10-01T00:00:00Z', '2027-01-01T00:00:00Z', ['2026-07-01T00:00', '2026-10-01T00:00']],
    ['2026-10-10T00:00:00Z', '2026-10-13T00:00:00Z', ['2026-10-07T00:00', '2026-10-10T00:00']],
    ['2026-10-10T06:00:00Z', '2026-10-10T09:00:00Z', ['2026-10-10T03:00', '2026-10-10T06:00']],
  ])(
    'for the range from %s to %s has as many months, days or hours, and ends where that range begins',
    (since, until, expected) => {
      expect(rangeBefore(since, until)).toEqual(expected);
    },
  );

  it('ends at the current local time of day if the range is not over, even if clocks changed', () => {
    const nowMs = at('2026-04-30T10:00:00Z');
    expect(
      rangeBefore('2026-03-31T22:00:00Z', '2026-04-30T22:00:00Z', { zone: 'Europe/Berlin', nowMs }),
    ).toEqual(['2026-02-28T23:00', '2026-03-30T10:00']);
  });

  it('has whole local days even if clocks changed in the range', () => {
    expect(rangeBefore('2026-10-24T22:00:00Z', '2026-10-26T23:00:00Z', { zone: 'Europe/Berlin' })).toEqual([
      '2026-10-22T22:00',
      '2026-10-24T22:00',
    ]);
  });

  it('is one year earlier if the comparison is `year`', () => {
    expect(rangeBefore('2026-10-01T00:00:00Z', '2026-11-01T00:00:00Z', { comparison: 'year' })).toEqual([
      '2025-10-01T00:00',
      '2025-11-01T00:00',
    ]);
    expect(rangeBefore('2026-10-10T06:00:00Z', '2026-10-10T09:00:00Z', { comparison: 'year' })).toEqual([
      '2025-10-10T06:00',
      '2025-10-10T09:00',
    ]);
  });
});

describe('the previous range for a range that is not over', () => {
  const [since, until] = ['2026-11-01T00:00:00Z', '2026-12-01T00:00:00Z'] as const;

  it('is shortened only if the current time is within the range', () => {
    for (const now of [until, '2026-12-02T00:00:00Z', since, '2026-10-31T00:00:00Z']) {
      expect(rangeBefore(since, until, { nowMs: at(now) }), now).toEqual([
        '2026-10-01T00:00',
        '2026-11-01T00:00',
      ]);
    }
    expect(rangeBefore(since, until, { nowMs: at(until) - 60_000 })).toEqual([
      '2026-10-01T00:00',
      '2026-10-30T23:59',
    ]);
  });

  it('has the same number of local days and hours as the elapsed part, even if clocks change', () => {
    const zone = 'Europe/Berlin';
    const nowMs = at('2026-11-08T11:00:00Z');
    expect(rangeBefore('2026-10-31T23:00:00Z', '2026-11-30T23:00:00Z', { zone, nowMs })).toEqual([
      '2026-09-30T22:00',
      '2026-10-08T10:00',
    ]);
  });

  it('ends at the beginning of the range if the elapsed part is longer than the previous range', () => {
    const [march, april] = ['2026-03-01T00:00:00Z', '2026-04-01T00:00:00Z'] as const;
    expect(rangeBefore(march, april, { nowMs: at('2026-03-30T12:00:00Z') })).toEqual([
      '2026-02-01T00:00',
      '2026-03-01T00:00',
    ]);
  });
});

describe('a range with one end at midnight', () => {
  it('is compared with a range of the same duration', () => {
    expect(rangeBefore('2026-10-10T00:00:00Z', '2026-10-10T09:00:00Z')).toEqual([
      '2026-10-09T15:00',
      '2026-10-10T00:00',
    ]);
    expect(rangeBefore('2026-10-09T15:00:00Z', '2026-10-10T00:00:00Z')).toEqual([
      '2026-10-09T06:00',
      '2026-10-09T15:00',
    ]);
  });
});
