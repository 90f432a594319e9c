/** Which ranges of the service a count reads. */
import { describe, expect, it } from 'vitest';
import { createLocalTime } from '#base/time/local-time';
import type { Comparison } from '#scans/stats/calendar';
import { type Dimension, groupOf } from '#scans/stats/dimensions';
import { cheaperByTotals, planReadings } from '#scans/stats/readings';
import type { ScanPage } from '#service/shapes';

const at = (text: string) => Date.parse(`${text}T00:00Z`);
const text = (ms: number | undefined) =>
  ms === undefined ? undefined : new Date(ms).toISOString().slice(0, 10);
const LOCAL = createLocalTime('UTC');

interface Asked {
  since?: string;
  until?: string;
  compare?: Comparison;
  by?: readonly Dimension[];
  now?: string;
  serviceNow?: string;
}

function plan({ since, until, compare = 'none', by = ['month'], now = '2030-01-01', serviceNow }: Asked) {
  const span = {
    sinceMs: since === undefined ? undefined : at(since),
    untilMs: until === undefined ? undefined : at(until),
  };
  const groups = by.map(groupOf);
  const found = planReadings(
    { span, compare, groups, local: LOCAL },
    at(now),
    serviceNow === undefined ? undefined : at(serviceNow),
  );
  return {
    readings: found.readings.map(({ range, cuts }) => [
      text(range.sinceMs),
      range.untilMs === undefined ? undefined : [text(range.sinceMs), text(range.untilMs)],
      cuts?.map(text),
    ]),
    before: found.before && [text(found.before.sinceMs), text(found.before.untilMs)],
    untilMs: text(found.untilMs),
  };
}

describe('a range', () => {
  it('is read once, with cuts between time units unless it is also grouped by value', () => {
    expect(plan({ since: '2026-08-01', until: '2026-10-01' })).toEqual({
      readings: [['2026-08-01', ['2026-08-01', '2026-10-01'], ['2026-09-01']]],
      before: undefined,
      untilMs: '2026-10-01',
    });
    expect(plan({ since: '2026-08-01', until: '2026-10-01', by: ['country', 'month'] }).readings).toEqual([
      ['2026-08-01', ['2026-08-01', '2026-10-01'], undefined],
    ]);
  });

  it('ends at the current time of the service if known, and otherwise has no end before the first response', () => {
    const open = plan({ since: '2026-08-01' });
    expect(open).toEqual({
      readings: [['2026-08-01', undefined, undefined]],
      before: undefined,
      untilMs: undefined,
    });
    expect(plan({ since: '2026-08-01', serviceNow: '2026-09-01' })).toMatchObject({
      untilMs: '2026-09-01',
      readings: [['2026-08-01', ['2026-08-01', '2026-09-01'], []]],
    });
    expect(plan({ until: '2026-08-01' }).readings).toEqual([
      [undefined, [undefined, '2026-08-01'], undefined],
    ]);
    expect(plan({ until: '2026-08-01', by: ['month', 'country'] }).readings).toEqual([
      [undefined, [undefined, '2026-08-01'], undefined],
    ]);
  });
});

describe('a comparison', () => {
  it('with the period directly before is read in one range, with a cut between the periods', () => {
    expect(plan({ since: '2026-09-10', until: '2026-09-20', compare: 'previous' })).toEqual({
      readings: [['2026-08-31', ['2026-08-31', '2026-09-20'], ['2026-09-01', '2026-09-10']]],
      before: ['2026-08-31', '2026-09-10'],
      untilMs: '2026-09-20',
    });
    expect(plan({ since: '2026-09-01', until: '2026-10-01', compare: 'previous' }).readings).toEqual([
      ['2026-08-01', ['2026-08-01', '2026-10-01'], ['2026-09-01']],
    ]);
    const byCode = plan({ since: '2026-09-01', until: '2026-10-01', compare: 'previous', by: ['code'] });
    expect(byCode.readings[0]?.[2]).toEqual(['2026-09-01']);
  });

  it('with the year before is read in two ranges', () => {
    expect(plan({ since: '2026-08-01', until: '2026-10-01', compare: 'year' })).toMatchObject({
      readings: [
        ['2025-08-01', ['2025-08-01', '2025-10-01'], ['2025-09-01']],
        ['2026-08-01', ['2026-08-01', '2026-10-01'], ['2026-09-01']],
      ],
    });
  });

  it('for an open range ends at the current time, by the clock of the service if known', () => {
    const asked: Asked = { since: '2026-09-10', compare: 'previous', now: '2026-09-20' };
    expect(plan(asked)).toMatchObject({ before: ['2026-08-31', '2026-09-10'], untilMs: '2026-09-20' });
    expect(plan({ ...asked, serviceNow: '2026-09-15' })).toMatchObject({
      before: ['2026-09-05', '2026-09-10'],
      untilMs: '2026-09-15',
    });
  });

  it('for a period that is not over covers only its elapsed part', () => {
    const asked: Asked = { since: '2026-09-01', until: '2026-10-01', compare: 'previous' };
    expect(plan({ ...asked, now: '2026-09-11' }).before).toEqual(['2026-08-01', '2026-08-11']);
    expect(plan({ ...asked, now: '2026-11-11' }).before).toEqual(['2026-08-01', '2026-09-01']);
    const gap = plan({ ...asked, now: '2026-09-11' });
    expect(gap.readings.map(([since]) => since)).toEqual(['2026-08-01', '2026-09-01']);
  });

  it('is not made for a range that has no beginning or begins at or after its end', () => {
    expect(plan({ until: '2026-10-01', compare: 'previous' }).before).toBeUndefined();
    const expected = { readings: [[undefined, undefined, undefined]], before: undefined, untilMs: undefined };
    expect(plan({ compare: 'previous', now: '2026-10-01' })).toEqual(expected);
    expect(plan({ since: '2026-10-01', compare: 'previous', now: '2026-10-01' }).before).toBeUndefined();
    expect(plan({ since: '2026-10-02', compare: 'previous', now: '2026-10-01' })).toMatchObject({
      before: undefined,
      untilMs: '2026-10-01',
    });
  });
});

describe('totals', () => {
  const page = (total: number, rows: number): ScanPage => {
    const scans = Array.from({ length: rows }, (_, id) => ({ id })) as ScanPage['rows'];
    return { rows: scans, times: scans.map((_, at) => at), total, limit: rows, serviceTimeMs: undefined };
  };
  const cheaper = (total: number, parts: number) =>
    cheaperByTotals(
      page(total, 50),
      Array.from({ length: parts - 1 }, (_, i) => i),
    );

  it('are requested only if they cost less than the pages', () => {
    expect([cheaper(180, 3), cheaper(199, 3), cheaper(210, 3), cheaper(50, 1), cheaper(99, 1)]).toEqual([
      false,
      false,
      true,
      false,
      false,
    ]);
    expect([cheaper(149, 1), cheaper(149, 2)]).toEqual([true, false]);
  });

  it('for a range in one part are requested if there are at least three pages, whether or not the total may be capped', () => {
    expect([cheaper(50, 1), cheaper(100, 1), cheaper(150, 1), cheaper(1000, 1), cheaper(1000, 2)]).toEqual([
      ...[false, false, true, true, true],
    ]);
  });
});
