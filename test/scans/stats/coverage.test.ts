/** The part of a range that the files cover. */
import { describe, expect, it } from 'vitest';
import { describeUnread } from '#scans/append/recorded-log';
import { type CoveredLog, coverageOf, describeCoverage } from '#scans/stats/coverage';

const log = (
  firstMs: number | undefined,
  lastMs: number | undefined,
  more: Partial<CoveredLog> = {},
): CoveredLog => ({ firstMs, lastMs, beginsMs: undefined, isKept: false, ...more });
const kept = (beginsMs: number | undefined) => ({ beginsMs, isKept: true });
const FIRST = Number.NEGATIVE_INFINITY;

const WHOLE = { isWhole: true };
const PART = { isWhole: false };

describe('the coverage of a range', () => {
  const span = { sinceMs: 100, untilMs: 200 };

  it.each([
    ['lies within one file', [log(50, 250)], WHOLE],
    ['begins before the first scan', [log(120, 250)], { startsLateMs: 120, ...PART }],
    ['begins before the first scan of a log that has every scan', [log(120, 250, kept(FIRST))], WHOLE],
    ['begins before the log', [log(120, 250, kept(110))], { startsLateMs: 120, ...PART }],
    ['begins with the log', [log(120, 250, kept(100))], WHOLE],
    [
      'begins before a log whose oldest files may be gone',
      [log(120, 250, kept(undefined))],
      { startsLateMs: 120, ...PART },
    ],
    ['ends after the last scan', [log(50, 150)], { endsEarlyMs: 150, ...PART }],
    ['ends with a scan', [log(50, 200)], WHOLE],
    ['lies between two files', [log(0, 50), log(250, 300)], PART],
    ['is covered for one code and not for another', [log(0, 300), log(0, 150)], PART],
    [
      'has only logs that one export appends to',
      [log(0, 300, kept(FIRST)), log(undefined, undefined, kept(FIRST))],
      WHOLE,
    ],
    ['begins with the first scan', [log(100, 250)], WHOLE],
    [
      'begins before one of two logs',
      [log(120, 250, kept(FIRST)), log(130, 250)],
      { startsLateMs: 120, ...PART },
    ],
    [
      'ends after a log that an export appends to, although another file continues',
      [log(0, 150, kept(FIRST)), log(0, 300)],
      PART,
    ],
    ['has no log', [], PART],
    ['has only an empty file', [log(undefined, undefined)], PART],
  ])('states whether and where data is missing if the range %s (F12)', (_, logs, expected) => {
    const open = { startsLateMs: undefined, endsEarlyMs: undefined };
    expect(coverageOf(logs, span, undefined)).toEqual({ ...open, ...expected });
  });

  it('is not whole if the range lacks a beginning or an end, unless a log has every scan before the end', () => {
    expect(coverageOf([log(0, 300)], { sinceMs: 100, untilMs: undefined }, undefined).isWhole).toBe(false);
    expect(coverageOf([log(0, 300)], { sinceMs: undefined, untilMs: 100 }, undefined).isWhole).toBe(false);
    const open = coverageOf([log(0, 300)], { sinceMs: undefined, untilMs: undefined }, undefined);
    expect(open).toEqual({ startsLateMs: undefined, endsEarlyMs: undefined, isWhole: false });
    expect(
      coverageOf([log(150, 300, kept(FIRST))], { sinceMs: undefined, untilMs: 100 }, undefined).isWhole,
    ).toBe(true);
  });

  it('states where the data begins if only the compared range begins before the data (F12)', () => {
    expect(coverageOf([log(80, 300)], span, { sinceMs: 0, untilMs: 100 }).startsLateMs).toBe(80);
  });
});

it('describeCoverage states the local times at which the data begins and ends, and the number of codes with an incomplete first export', () => {
  const coverage = { startsLateMs: Date.UTC(2026, 9, 1, 8, 30, 59), endsEarlyMs: Date.UTC(2026, 9, 2) };
  expect(describeCoverage({ ...coverage, isWhole: false }, 'Europe/Berlin')).toEqual({
    start: 'the data begins at 2026-10-01 10:30 (Europe/Berlin); earlier scans, if any, are not included',
    end: 'the data ends at 2026-10-02 02:00 (Europe/Berlin); later scans, if any, are not included',
  });
  const open = { startsLateMs: undefined, endsEarlyMs: undefined, isWhole: false };
  expect(describeCoverage(open, 'UTC')).toEqual({ start: '', end: '' });
  const unread = coverageOf([log(50, 250), log(50, 250, { unread: 2 })], { sinceMs: 100, untilMs: 200 });
  expect(unread).toEqual({ ...open, unread: 2 });
  expect(describeCoverage(unread, 'UTC').start).toBe(describeUnread(2));
  const late = describeCoverage({ ...unread, ...coverage }, 'UTC').start;
  expect(late).toMatch(/^the data begins at .*; earlier scans, if any, are not included; \S/);
});
