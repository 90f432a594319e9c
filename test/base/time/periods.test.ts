import { describe, expect, test } from 'vitest';
import { dayAfter, parsePeriod, periodOfRange, periodYearBefore, previousPeriod } from '#base/time/periods';
import { formatInstant } from '#base/time/time';

/** A Friday, already Saturday in Tokyo. */
const nowMs = Date.UTC(2026, 10, 20, 15, 30);

function period(text: string, timezone = 'Europe/Berlin') {
  return parsePeriod(text, { flag: '--during', nowMs, timezone });
}

function range({ sinceMs, untilMs }: { sinceMs: number; untilMs: number }): string {
  return `${formatInstant(sinceMs).slice(0, 16)} ${formatInstant(untilMs).slice(0, 16)}`;
}

describe('a period', () => {
  test.each([
    ['2026', '2026', '2025-12-31T23:00 2026-12-31T23:00'],
    ['2026-Q4', '2026-Q4', '2026-09-30T22:00 2026-12-31T23:00'],
    ['2026-q1', '2026-Q1', '2025-12-31T23:00 2026-03-31T22:00'],
    ['2026-10', '2026-10', '2026-09-30T22:00 2026-10-31T23:00'],
    ['2026-W42', '2026-W42', '2026-10-11T22:00 2026-10-18T22:00'],
    // The first week of 2026 begins in 2025, and 2026 has 53.
    ['2026-W01', '2026-W01', '2025-12-28T23:00 2026-01-04T23:00'],
    ['2026-W53', '2026-W53', '2026-12-27T23:00 2027-01-03T23:00'],
    // 25 hours, then 23.
    ['2026-10-25', '2026-10-25', '2026-10-24T22:00 2026-10-25T23:00'],
    ['2026-03-29', '2026-03-29', '2026-03-28T23:00 2026-03-29T22:00'],
    ['2024-02-29', '2024-02-29', '2024-02-28T23:00 2024-02-29T23:00'],
    ['today', '2026-11-20', '2026-11-19T23:00 2026-11-20T23:00'],
    ['yesterday', '2026-11-19', '2026-11-18T23:00 2026-11-19T23:00'],
    ['this-week', '2026-W47', '2026-11-15T23:00 2026-11-22T23:00'],
    ['last-week', '2026-W46', '2026-11-08T23:00 2026-11-15T23:00'],
    ['this-month', '2026-11', '2026-10-31T23:00 2026-11-30T23:00'],
    ['last-month', '2026-10', '2026-09-30T22:00 2026-10-31T23:00'],
    [' Last  month ', '2026-10', '2026-09-30T22:00 2026-10-31T23:00'],
    ['this-quarter', '2026-Q4', '2026-09-30T22:00 2026-12-31T23:00'],
    ['last-quarter', '2026-Q3', '2026-06-30T22:00 2026-09-30T22:00'],
    ['this-year', '2026', '2025-12-31T23:00 2026-12-31T23:00'],
    ['last-year', '2025', '2024-12-31T23:00 2025-12-31T23:00'],
  ])('given as %s has the name %s and the expected range', (text, name, expected) => {
    const found = period(text);
    expect(found.name).toBe(name);
    expect(range(found)).toBe(expected);
  });

  test('such as today depends on the current day in the time zone', () => {
    expect(period('today', 'Asia/Tokyo').name).toBe('2026-11-21');
    expect(period('this-week', 'Pacific/Kiritimati').name).toBe('2026-W47');
  });

  test('of one day begins at the first instant of the day, even if clocks go forward at midnight', () => {
    expect(range(period('2026-04-24', 'Africa/Cairo'))).toBe('2026-04-23T22:00 2026-04-24T21:00');
  });

  test.each([
    '2026-13',
    '2026-02-30',
    '2025-W53',
    '2026-W00',
    '2026-Q5',
    '26',
    'last-day',
    'last-weekend',
    'not-this-week',
    'next-month',
    'October',
    '',
    '10/2026',
  ])('given as %j is refused as an invalid value', (text) => {
    expect(() => period(text)).toThrow(
      expect.objectContaining({
        message: `invalid value for --during: '${text}' (expected a period)`,
        hint: expect.stringMatching(/^Use a period such as 2026, 2026-Q4, .* or last-month\.$/),
      }),
    );
  });

  test.each([
    ['2026-01', '2025-12'],
    ['2026-03-01', '2026-02-28'],
    ['2026-Q1', '2025-Q4'],
    ['2027-W01', '2026-W53'],
    ['2026', '2025'],
  ])('directly before %s is %s', (text, before) => {
    const previous = previousPeriod(period(text));
    expect(previous.name).toBe(before);
    expect(previous.untilMs).toBe(period(text).sinceMs);
  });

  test.each([
    ['2026-10', '2025-10'],
    ['2026-Q1', '2025-Q1'],
    ['2024-02-29', '2023-02-28'],
    ['2026-W53', '2025-W52'],
    ['2026-W01', '2025-W01'],
    ['2026-W42', '2025-W42'],
    ['2026', '2025'],
  ])('one year before %s is %s', (text, before) => {
    expect(periodYearBefore(period(text)).name).toBe(before);
  });

  test('for the day after an instant depends on the time zone', () => {
    expect(dayAfter(nowMs, 'Europe/Berlin')).toEqual(period('2026-11-21'));
    expect(dayAfter(nowMs, 'Asia/Tokyo')).toEqual(period('2026-11-22', 'Asia/Tokyo'));
  });

  test.each(['2026', '2026-Q4', '2026-10', '2026-W42', '2026-10-25'])(
    'such as %s is recognized by its range and time zone',
    (text) => {
      expect(periodOfRange(period(text), 'Europe/Berlin')).toEqual(period(text));
      const { sinceMs, untilMs } = period(text);
      for (const other of [
        { sinceMs, untilMs: untilMs - 1 },
        { sinceMs: sinceMs + 1, untilMs },
      ])
        expect(periodOfRange(other, 'Europe/Berlin')).toBeUndefined();
      expect(periodOfRange(period(text), 'Asia/Kolkata')).toBeUndefined();
    },
  );
});
