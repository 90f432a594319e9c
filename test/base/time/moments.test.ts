import { describe, expect, test } from 'vitest';
import { isInUtc, parseMoment } from '#base/time/moments';
import { formatInstant } from '#base/time/time';

const nowMs = Date.UTC(2026, 10, 20, 15, 30, 12, 345);

function moment(text: string, timezone: string): string {
  return formatInstant(parseMoment(text, { flag: '--since', nowMs, timezone: () => timezone }));
}

describe('a time on the command line', () => {
  test.each([
    ['2026-01-15', 'Europe/Berlin', '2026-01-14T23:00:00.000Z'],
    // The day the clocks go forward there begins in winter time and is 23 hours long; the autumn one has 25.
    ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00.000Z'],
    ['2026-03-30', 'Europe/Berlin', '2026-03-29T22:00:00.000Z'],
    ['2026-10-25', 'Europe/Berlin', '2026-10-24T22:00:00.000Z'],
    ['2026-10-26', 'Europe/Berlin', '2026-10-25T23:00:00.000Z'],
    // Midnight does not exist where clocks go forward at it: the day begins at one.
    ['2026-03-27', 'Africa/Cairo', '2026-03-26T22:00:00.000Z'],
    ['2026-04-24', 'Africa/Cairo', '2026-04-23T22:00:00.000Z'],
    ['2026-03-29T02:30', 'Europe/Berlin', '2026-03-29T01:30:00.000Z'],
    ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
    ['2026-05-01T10:00:00.1234', 'America/New_York', '2026-05-01T14:00:00.123Z'],
    ['2026-05-01 10:00', 'Asia/Kolkata', '2026-05-01T04:30:00.000Z'],
    ['2026-05-01T10:00:00Z', 'Asia/Kolkata', '2026-05-01T10:00:00.000Z'],
    ['2026-05-01T10:00:00+05:30', 'UTC', '2026-05-01T04:30:00.000Z'],
    ['2026-05-01 10:00-0530', 'UTC', '2026-05-01T15:30:00.000Z'],
    ['2026-05-01t10:00:00,25z', 'Asia/Kolkata', '2026-05-01T10:00:00.250Z'],
    ['24h', 'Asia/Tokyo', '2026-11-19T15:30:12.345Z'],
    ['2w', 'UTC', '2026-11-06T15:30:12.345Z'],
    ['now', 'UTC', '2026-11-20T15:30:12.345Z'],
    ['today', 'Asia/Tokyo', '2026-11-20T15:00:00.000Z'],
    ['today', 'UTC', '2026-11-20T00:00:00.000Z'],
    ['yesterday', 'Asia/Tokyo', '2026-11-19T15:00:00.000Z'],
  ])('given as %s in %s is %s', (text, timezone, expected) => {
    expect(moment(text, timezone)).toBe(expected);
  });

  test.each([
    '2026-02-30',
    '2026-13-01',
    '2026-03',
    '03/29/2026',
    'tomorrow',
    '',
    '-5',
    '2026-01-01T25:00',
    '2026-02-30T10:00',
    '2026-01-01T10',
    '2026-01-01T10:00[UTC]',
    '+002026-01-01T10:00',
    '9999999w',
    'NaN',
  ])('given as %j is refused as an invalid value', (text) => {
    expect(() => moment(text, 'UTC')).toThrow(/^invalid value for --since: '/);
  });

  test.each([
    ['01.03.2026', 'Use --since 2026-03-01.'],
    ['1.3.2026', 'Use --since 2026-03-01.'],
    ['03/29/2026', 'Use --since 2026-03-29.'],
    // Whoever knows which of the two is meant has both to choose from.
    ['03/04/2026', 'Use --since 2026-03-04 or --since 2026-04-03.'],
    ['2026/3/1', 'Use --since 2026-03-01.'],
    ['20260301', 'Use --since 2026-03-01.'],
    ['3 days ago', 'Use --since 3d.'],
    [' 3days  ago ', 'Use --since 3d.'],
    ['1.5 days ago', /^Use a date/],
    ['3 days from now', /^Use a date/],
    ['9999999w', /^Use a date/],
    ['on 2026/3/1', /^Use a date/],
    ['2026/3/1 10:00', /^Use a date/],
    ['on 03/04/2026', /^Use a date/],
    ['03/04/2026 10:00', /^Use a date/],
    ['24 h', 'Use --since 24h.'],
    [
      'last month',
      'Use --during last-month for the whole period, or pass --since a date such as 2026-10-01.',
    ],
    ['2026-10', 'Use --during 2026-10 for the whole period, or pass --since a date such as 2026-10-01.'],
    ['31.02.2026', /^Use a date/],
    ['soon', /^Use a date/],
  ])('given as %j is refused with a hint that shows a valid form', (text, hint) => {
    expect(() => moment(text, 'UTC')).toThrow(expect.objectContaining({ hint: expect.stringMatching(hint) }));
  });

  test('needs the time zone only as a date or as a time without an offset, and is in UTC only if it ends in Z', () => {
    const timezone = () => {
      throw new Error('asked');
    };
    for (const text of ['24h', 'now', '2026-05-01T10:00Z', '2026-05-01T10:00+02:00'])
      expect(() => parseMoment(text, { flag: '--since', nowMs, timezone })).not.toThrow();
    for (const text of ['today', '2026-05-01', '2026-05-01T10:00'])
      expect(() => parseMoment(text, { flag: '--since', nowMs, timezone })).toThrow('asked');
    expect(['2026-05-01T10:00Z', '2026-05-01T10:00+02:00', '2026-05-01', '24h'].map(isInUtc)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});
