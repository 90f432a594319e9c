/** Units of the calendar as numbers and as text. */
import { describe, expect, it } from 'vitest';
import { formatUnit, isRunning, startOf, unitOf } from '#scans/stats/calendar';
import type { TimeDimension } from '#scans/stats/dimensions';

const hourOf = (text: string) => Date.parse(`${text}:00:00Z`) / 3_600_000;
const named = (unit: TimeDimension, text: string) => formatUnit(unit, unitOf(unit, hourOf(text)));

describe('a local hour', () => {
  it.each([
    ['1970-01-01T00', '1970-01-01', '1970-W01', '1970-01', '00', 'Thursday'],
    ['1969-12-31T23', '1969-12-31', '1970-W01', '1969-12', '23', 'Wednesday'],
    ['1969-12-28T05', '1969-12-28', '1969-W52', '1969-12', '05', 'Sunday'],
    ['2026-11-22T09', '2026-11-22', '2026-W47', '2026-11', '09', 'Sunday'],
    ['2026-11-23T00', '2026-11-23', '2026-W48', '2026-11', '00', 'Monday'],
    ['2021-01-03T12', '2021-01-03', '2020-W53', '2021-01', '12', 'Sunday'],
    ['2024-02-29T12', '2024-02-29', '2024-W09', '2024-02', '12', 'Thursday'],
    ['0001-01-01T00', '0001-01-01', '1-W01', '0001-01', '00', 'Monday'],
  ])('such as %s is in the day %s, week %s, month %s, hour %s and weekday %s', (text, ...names) => {
    const units: TimeDimension[] = ['day', 'week', 'month', 'hour', 'weekday'];
    expect(units.map((unit) => named(unit, text))).toEqual(names);
  });
});

describe('a time unit', () => {
  it('begins when its first day begins in the time zone', () => {
    const begins = (unit: 'day' | 'week' | 'month', text: string, zone: string) =>
      new Date(startOf(unit, unitOf(unit, hourOf(text)), zone)).toISOString().replace(':00.000Z', '');
    expect(begins('day', '2026-10-25T12', 'Europe/Berlin')).toBe('2026-10-24T22:00');
    expect(begins('week', '2026-10-25T12', 'Europe/Berlin')).toBe('2026-10-18T22:00');
    expect(begins('month', '2026-11-25T12', 'Asia/Kathmandu')).toBe('2026-10-31T18:15');
    expect(begins('month', '1969-12-31T12', 'UTC')).toBe('1969-12-01T00:00');
    expect(begins('month', '1968-11-30T12', 'UTC')).toBe('1968-11-01T00:00');
  });

  it('has a date if it is a day, week or month, and recurs if it is an hour or a weekday', () => {
    const units: TimeDimension[] = ['day', 'week', 'month', 'hour', 'weekday'];
    expect(units.map(isRunning)).toEqual([true, true, true, false, false]);
  });
});
