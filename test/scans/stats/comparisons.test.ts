/** What figures compare: totals or averages per day, and nothing where that would mislead. */
import { describe, expect, it } from 'vitest';
import { createLocalTime } from '#base/time/local-time';
import type { DataPart } from '#scans/stats/coverage';
import { type Dimension, groupOf } from '#scans/stats/dimensions';
import { compare, differInLength } from '#scans/stats/figure';
import { type FiguresOptions, figuresOf, hoursByWeekday, totalOf } from '#scans/stats/figures';
import { createTally } from '#scans/stats/tally';

const at = (text: string) => Date.parse(text.length === 10 ? `${text}T00:00:00Z` : text);

/** Scans at noon of these dates, or at these times. */
type Scans = Readonly<Record<string, number>>;

function tallyOf(scans: Scans, zone = 'UTC', code = 'menu') {
  const tally = createTally(
    ['day' as const, 'country' as const, 'code' as const].map(groupOf),
    createLocalTime(zone).offsetMs,
  );
  const of = { value: code };
  for (const [time, count] of Object.entries(scans)) {
    for (let i = 0; i < count; i++)
      tally.add(at(time.length === 10 ? `${time}T12:00:00Z` : time), { country: 'DE' }, of);
  }
  return tally;
}

function spanOf([since, until]: [string, string]) {
  return { sinceMs: at(since), untilMs: at(until) };
}

interface Given {
  now: [range: [string, string], scans: Scans];
  before?: [range: [string, string], scans: Scans];
  data?: Partial<DataPart>;
  zone?: string;
  clock?: string;
}

function options({ now, before, data, zone = 'UTC', clock = '2030-01-01' }: Given): FiguresOptions {
  return {
    current: tallyOf(now[1], zone),
    span: spanOf(now[0]),
    before: before && { tally: tallyOf(before[1], zone), span: spanOf(before[0]) },
    data: data,
    zone,
    offsetMs: createLocalTime(zone).offsetMs,
    top: undefined,
    nowMs: at(clock),
  };
}

function rowsOf(by: Dimension, given: Given) {
  return figuresOf(groupOf(by), options(given));
}

const OCTOBER: [string, string] = ['2026-10-01', '2026-11-01'];
const SEPTEMBER: [string, string] = ['2026-09-01', '2026-10-01'];

describe('periods that differ in length', () => {
  const given: Given = {
    now: [OCTOBER, { '2026-10-05': 3100 }],
    before: [SEPTEMBER, { '2026-09-05': 3000 }],
  };

  it('are compared by averages per day, so that October with its 31 days shows no growth over September (F17)', () => {
    expect(totalOf(options(given))).toEqual({
      scans: 3100,
      perDay: 100,
      previous: 3000,
      previousPerDay: 100,
      change: 0,
      comparesAverages: true,
    });
    expect(rowsOf('country', given)).toMatchObject({
      comparesAverages: true,
      rows: [{ value: 'DE', scans: 3100, perDay: 100, previous: 3000, previousPerDay: 100, change: 0 }],
    });
    expect(rowsOf('month', given)).toMatchObject({
      comparesAverages: true,
      rows: [{ perDay: 100, previousPerDay: 100, change: 0 }],
    });
  });

  it('are compared by totals in rows by day and by week, like periods of the same length', () => {
    const same: Given = {
      now: [OCTOBER, { '2026-10-05': 60 }],
      before: [['2026-08-01', '2026-09-01'], { '2026-08-05': 40 }],
    };
    expect(totalOf(options(same))).toMatchObject({ change: 0.5, comparesAverages: false });
    const byDay = rowsOf('day', given);
    expect([byDay.comparesAverages, byDay.rows[4]?.change]).toEqual([false, 0.033333]);
    expect(rowsOf('week', given).comparesAverages).toBe(false);
  });
});

describe('weekdays and hours', () => {
  it('are compared by averages, so that a month with four Tuesdays shows no drop after a month with five (F14)', () => {
    // September 2026 has five Tuesdays, October four.
    const tuesdays = (month: string, days: readonly number[]) =>
      Object.fromEntries(days.map((day) => [`2026-${month}-${String(day).padStart(2, '0')}`, 10]));
    const given: Given = {
      now: [OCTOBER, tuesdays('10', [6, 13, 20, 27])],
      before: [SEPTEMBER, tuesdays('09', [1, 8, 15, 22, 29])],
    };
    const { rows, comparesAverages } = rowsOf('weekday', given);
    expect(comparesAverages).toBe(true);
    const expected = { value: 'Tuesday', scans: 40, perDay: 10, previous: 50, previousPerDay: 10, change: 0 };
    expect(rows[1]).toMatchObject(expected);
    expect(rows[0]).toMatchObject({ scans: 0, perDay: 0, previousPerDay: 0, change: null });
  });

  it('have averages over the number of their days in the range, including fractions of days at its ends', () => {
    const given: Given = {
      now: [['2026-10-06T06:00:00Z', '2026-10-07T18:00:00Z'], { '2026-10-06': 30, '2026-10-07': 60 }],
    };
    const expected = [null, 40, 80, null, null, null, null];
    expect(rowsOf('weekday', given).rows.map(({ perDay }) => perDay)).toEqual(expected);
    const hours = rowsOf('hour', given).rows;
    expect([hours[0]?.perDay, hours[12]?.perDay, hours[18]?.perDay]).toEqual([0, 45, 0]);
    const cells = hoursByWeekday(options(given));
    expect(cells.map((row) => row.length)).toEqual(Array(7).fill(24));
    expect([cells[1]?.[12], cells[2]?.[12], cells[1]?.[5], cells[1]?.[6]]).toEqual([
      { scans: 30, perDay: 30 },
      { scans: 60, perDay: 60 },
      { scans: 0, perDay: null },
      { scans: 0, perDay: 0 },
    ]);
  });

  it('have averages that count each date as one day, even if it has 23 or 25 hours (F15)', () => {
    const zone = 'Europe/Berlin';
    const week: [string, string] = ['2026-10-18T22:00:00Z', '2026-10-25T23:00:00Z'];
    const given: Given = { now: [week, { '2026-10-25': 7 }], zone };
    expect(rowsOf('weekday', given).rows[6]?.perDay).toBe(7);
    expect(rowsOf('day', given).rows.at(-1)).toMatchObject({ value: '2026-10-25', perDay: 7 });
    expect(totalOf(options(given)).perDay).toBe(1);
    // In Beirut the day of 29 March 2026 begins at 1:00.
    const short: Given = {
      now: [['2026-03-28T22:00:00Z', '2026-03-29T21:00:00Z'], { '2026-03-29': 5 }],
      zone: 'Asia/Beirut',
    };
    expect([totalOf(options(short)).perDay, rowsOf('weekday', short).rows[6]?.perDay]).toEqual([5, 5]);
  });

  it('have averages over the number of weeks, even if the range has more than 1,000 years', () => {
    const given: Given = { now: [['1000-01-01', '2026-10-05'], { '2026-10-04': 30 }] };
    const weeks = (at('2026-10-05') - at('1000-01-01')) / (7 * 86_400_000);
    expect(rowsOf('weekday', given).rows[6]?.perDay).toBeCloseTo(30 / Math.floor(weeks), 4);
  });
});

describe('a change', () => {
  const compared = (scans: number, previous: number, more: Partial<Given> = {}) =>
    totalOf(
      options({
        now: [['2026-10-01', '2026-10-31'], { '2026-10-05': scans }],
        before: [SEPTEMBER, { '2026-09-05': previous }],
        ...more,
      }),
    );

  it.each([
    [30, 30, 0],
    [29, 3000, null],
    [3000, 29, null],
    [20_000, 30, 665.666667],
  ])('to %i scans from %i is %j (F16)', (scans, previous, change) => {
    expect(compared(scans, previous).change).toBe(change);
  });

  it('is null, and marked, if the previous period begins before the data (F16, F18)', () => {
    const late = compared(3000, 40, { data: { fromMs: at('2026-09-21') } });
    expect(late).toMatchObject({ change: null, previous: 40, previousPerDay: 4, isBeforeData: true });
    expect(compared(3000, 40, { data: { fromMs: at('2026-09-01') } })).not.toHaveProperty('isBeforeData');
  });

  it('is null, and the previous figure is missing, if the data does not cover the previous period (F18)', () => {
    const none = compared(3000, 0, { data: { fromMs: at('2026-10-01') } });
    expect(none).toMatchObject({ previous: null, previousPerDay: null, change: null, isBeforeData: true });
    expect(compared(3000, 0)).toMatchObject({ previous: 0, previousPerDay: 0, change: null });
  });

  it('in a time unit is null if the data begins within the previous unit or later', () => {
    const scans = (month: string) => ({
      [`2026-${month}-02`]: 40,
      [`2026-${month}-05`]: 40,
      [`2026-${month}-08`]: 40,
    });
    const given: Given = {
      now: [OCTOBER, scans('10')],
      before: [SEPTEMBER, scans('09')],
      data: { fromMs: at('2026-09-04') },
    };
    const { rows } = rowsOf('day', given);
    expect(
      [rows[1], rows[2], rows[3], rows[4]].map((row) => [row?.previous, row?.change, row?.isBeforeData]),
    ).toEqual([
      [40, null, true],
      [null, null, true],
      [0, null, undefined],
      [40, 0, undefined],
    ]);
    const expected = { previous: 120, change: null, isBeforeData: true };
    expect(rowsOf('country', given).rows[0]).toMatchObject(expected);
    expect(rowsOf('hour', given).rows[12]).toMatchObject({ previous: 120, change: null, isBeforeData: true });
  });

  it('in a time unit is null if the previous range contains only a part of the earlier unit', () => {
    const given: Given = {
      now: [['2026-10-01', '2026-11-15'], { '2026-10-05': 40 }],
      before: [['2026-08-17', '2026-10-01'], { '2026-08-20': 40 }],
    };
    expect(rowsOf('month', given).rows[0]).toMatchObject({ value: '2026-10', previous: 40, change: null });
  });

  it('for a code that was created during the previous period is null, and marked (F18)', () => {
    const given = options({
      now: [OCTOBER, { '2026-10-05': 60 }],
      before: [SEPTEMBER, { '2026-09-25': 40 }],
    });
    const ofCode = new Map([['menu', at('2026-09-20')]]);
    const rowOf = (data: DataPart) => figuresOf(groupOf('code'), { ...given, data }).rows[0];
    expect(rowOf({ ofCode })).toMatchObject({ previous: 40, change: null, isBeforeData: true });
    expect(rowOf({ ofCode: new Map([['menu', at('2026-09-01')]]) })?.change).not.toBeNull();
  });
});

describe('an average per day', () => {
  it('is the number of scans divided by the number of days that the data covers (F14)', () => {
    const given: Given = {
      now: [OCTOBER, { '2026-10-12': 100 }],
      data: { fromMs: at('2026-10-11'), toMs: at('2026-10-21') },
    };
    expect(totalOf(options(given)).perDay).toBe(10);
    expect(rowsOf('month', given).rows[0]?.perDay).toBe(10);
    expect(totalOf(options({ ...given, clock: '2026-10-16' })).perDay).toBe(20);
    expect(totalOf(options({ ...given, data: { fromMs: at('2026-12-01') } })).perDay).toBeNull();
  });

  it('in an open range is the number of scans divided by the days from the first scan to the last', () => {
    const open = {
      ...options({ now: [OCTOBER, { '2026-10-12': 100, '2026-10-15': 20 }] }),
      span: { sinceMs: undefined, untilMs: undefined },
    };
    expect(totalOf(open).perDay).toBe(30);
    expect(totalOf({ ...open, nowMs: at('2026-10-15T12:00:00Z') }).perDay).toBe(34.285714);
    const expected = { scans: 0, perDay: null, previous: null };
    expect(totalOf({ ...open, current: tallyOf({}) })).toMatchObject(expected);
  });
});

describe('names of codes', () => {
  it('are only in rows that are grouped by code', () => {
    const given = {
      ...options({ now: [OCTOBER, { '2026-10-12': 1 }] }),
      names: new Map([
        ['menu', { value: 'menu', name: 'Menu' }],
        ['DE', { value: 'DE', name: 'wrong' }],
      ]),
    };
    expect(figuresOf(groupOf('code'), { ...given, codes: ['menu', 'other'] }).rows).toMatchObject([
      { value: 'menu', name: 'Menu' },
      { value: 'other', name: null },
    ]);
    expect(figuresOf(groupOf('country'), given).rows).toMatchObject([{ value: 'DE', name: null }]);
  });
});

describe('the total of all scans', () => {
  it('has no change if the data does not cover one of the two periods', () => {
    const data = { fromMs: at('2026-10-10'), toMs: at('2026-10-20') };
    const given: Given = {
      now: [['2026-11-01', '2026-12-01'], { '2026-11-05': 60 }],
      before: [OCTOBER, { '2026-10-15': 60 }],
      data: { toMs: data.toMs },
    };
    expect(totalOf(options(given))).toMatchObject({ perDay: null, previousPerDay: 3.157895, change: null });
    const earlier: Given = {
      ...given,
      now: [OCTOBER, { '2026-10-15': 60 }],
      before: [SEPTEMBER, { '2026-09-15': 60 }],
      data,
    };
    const expected = { perDay: 6, previous: 60, previousPerDay: null, change: null, isBeforeData: true };
    expect(totalOf(options(earlier))).toMatchObject(expected);
  });
});

describe('a comparison', () => {
  const counts = { scans: 300, days: 10, previous: 300, previousDays: 5 };

  it('is made by averages if the periods differ in length by more than five minutes (F17)', () => {
    const expected = { scans: 300, perDay: 30, previous: 300, previousPerDay: 60, change: -0.5 };
    expect(compare(counts)).toEqual(expected);
    const fiveMinutes = 5 / (24 * 60);
    expect(differInLength({ days: fiveMinutes, previous: 1, previousDays: 0 })).toBe(false);
    expect(differInLength({ days: fiveMinutes + 1e-6, previous: 1, previousDays: 0 })).toBe(true);
    expect(differInLength({ days: 10, previous: null, previousDays: 0 })).toBe(false);
  });

  it('has no change if one of the periods has no days, or if there is no previous period', () => {
    expect(compare({ ...counts, previousDays: 0 })).toMatchObject({ previousPerDay: null, change: null });
    expect(compare({ ...counts, days: 0 })).toMatchObject({ perDay: null, change: null });
    const expected = { previous: null, previousPerDay: null, change: null };
    expect(compare({ ...counts, previous: null })).toMatchObject(expected);
  });
});

describe('a row that begins before the data', () => {
  const flagged = (by: Dimension, given: Given) =>
    rowsOf(by, given).rows.map(({ isBeforeData = false }) => isBeforeData);

  it('is not marked if it has no previous period', () => {
    const fromMs = at('2026-10-10');
    expect(flagged('month', { now: [OCTOBER, { '2026-10-12': 1 }], data: { fromMs } })).toEqual([false]);
    const days = flagged('day', {
      now: [OCTOBER, { '2026-10-12': 1 }],
      before: [SEPTEMBER, {}],
      data: { fromMs },
    });
    // The 31st has no earlier day.
    expect(days).toEqual([...Array(30).fill(true), false]);
  });

  it('is marked only if the data begins after the start of the previous range, even within a unit', () => {
    const now: [string, string] = ['2026-10-08', '2026-10-15'];
    const before: [string, string] = ['2026-10-01', '2026-10-08'];
    // The data begins within the first week of the previous range, but before the range does.
    const given = { now: [now, { '2026-10-09': 1 }], before: [before, { '2026-10-02': 1 }] } satisfies Given;
    expect(flagged('week', { ...given, data: { fromMs: at('2026-09-30') } })).toEqual([false, false]);
    expect(flagged('week', { ...given, data: { fromMs: at('2026-10-02') } })).toEqual([true, false]);
  });

  it('is also marked if it is the row for all other values', () => {
    const before: Given['before'] = [SEPTEMBER, { '2026-09-05': 3 }];
    const given = options({ now: [OCTOBER, { '2026-10-05': 5 }], before });
    const current = createTally([groupOf('country')], () => 0);
    for (const country of ['A', 'B', 'C', 'D']) current.add(at('2026-10-05'), { country }, { value: 'menu' });
    const marksOf = (fromMs?: number) =>
      figuresOf(groupOf('country'), { ...given, current, top: 1, data: { ...given.data, fromMs } }).rows.map(
        ({ value, isRest = false, isBeforeData = false }) => [value, isRest, isBeforeData],
      );
    expect(marksOf()).toEqual([
      ['A', false, false],
      ['other', true, false],
    ]);
    expect(marksOf(at('2026-09-02'))).toEqual([
      ['A', false, true],
      ['other', true, true],
    ]);
  });
});

it('values are not compared by averages if the whole previous period is before the data', () => {
  const given: Given = {
    now: [OCTOBER, { '2026-10-05': 60 }],
    before: [SEPTEMBER, {}],
    data: { fromMs: at('2026-10-01') },
  };
  expect(rowsOf('country', given).comparesAverages).toBe(false);
});

it('scans in the same hour of a weekday are added up over all weeks (F3)', () => {
  const scans = { '2026-10-05T08:10:00Z': 2, '2026-10-12T08:50:00Z': 3 };
  expect(hoursByWeekday(options({ now: [OCTOBER, scans] }))[0]?.[8]?.scans).toBe(5);
});
