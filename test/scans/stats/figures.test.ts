import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLocalTime } from '#base/time/local-time';
import type { CodeOfScans } from '#scans/stats/code-of-scans';
import { DIMENSIONS, type Dimension, groupOf } from '#scans/stats/dimensions';
import { type FiguresOptions, figuresOf } from '#scans/stats/figures';
import { createTally } from '#scans/stats/tally';
import { runs } from '../../support/property-runs.ts';

const at = (text: string) => Date.parse(text);

interface Made {
  ts: string;
  country?: string | null;
  code?: string;
  scans?: number;
}

const CODES = new Map<string, CodeOfScans>();

function codeOf(value: string): CodeOfScans {
  const code = CODES.get(value) ?? { value };
  CODES.set(value, code);
  return code;
}

function tallyOf(scans: readonly Made[], zone: string, dimensions: readonly Dimension[] = DIMENSIONS) {
  const tally = createTally(dimensions.map(groupOf), createLocalTime(zone).offsetMs);
  for (const { ts, country = null, code = 'menu', scans: times = 1 } of scans) {
    for (let i = 0; i < times; i++) tally.add(at(ts), { country }, codeOf(code));
  }
  return tally;
}

function options(
  zone: string,
  more: Partial<FiguresOptions> & Pick<FiguresOptions, 'current'>,
): FiguresOptions {
  const open = { sinceMs: undefined, untilMs: undefined };
  return {
    span: open,
    zone,
    offsetMs: createLocalTime(zone).offsetMs,
    top: undefined,
    nowMs: undefined,
    ...more,
  };
}

function brief(by: Dimension, given: FiguresOptions) {
  return figuresOf(groupOf(by), given).rows.map(({ value, scans, previous, isPart }) => [
    value,
    scans,
    ...(previous === null ? [] : [previous]),
    ...(isPart ? ['part'] : []),
  ]);
}

describe('figures by time', () => {
  const span = { sinceMs: at('2026-10-24T22:00:00Z'), untilMs: at('2026-10-26T23:00:00Z') };

  it('are for local days, even days of 25 hours, and include days without scans', () => {
    const current = tallyOf(
      [{ ts: '2026-10-24T22:00:00Z' }, { ts: '2026-10-25T22:59:59.999Z' }],
      'Europe/Berlin',
    );
    expect(brief('day', options('Europe/Berlin', { current, span, nowMs: span.untilMs }))).toEqual([
      ['2026-10-25', 2],
      ['2026-10-26', 0],
    ]);
  });

  it('by day for a range of 60 years or more include only days with scans in either period, and are marked as sparse', () => {
    const current = tallyOf([{ ts: '0001-01-01T12:00:00Z' }, { ts: '2026-10-25T12:00:00Z' }], 'UTC');
    const before = {
      tally: tallyOf([{ ts: '0001-01-02T12:00:00Z' }], 'UTC'),
      span: { sinceMs: at('0001-01-01T00:00:00Z'), untilMs: at('0001-01-03T00:00:00Z') },
    };
    const section = figuresOf(groupOf('day'), options('UTC', { current, before }));
    expect(section.isSparse).toBe(true);
    expect(section.rows.map(({ value, scans, previous }) => [value, scans, previous])).toEqual([
      ['0001-01-01', 1, 0],
      ['0001-01-02', 0, 1],
      ['2026-10-25', 1, null],
    ]);
    expect(figuresOf(groupOf('month'), options('UTC', { current })).rows).toHaveLength(2);
    // The first day is compared with the first day, and a day that only the previous range has is left out.
    const later = tallyOf([{ ts: '1960-01-01T12:00:00Z' }], 'UTC');
    const earlier = {
      tally: tallyOf([{ ts: '1899-12-02T12:00:00Z' }, { ts: '1959-12-31T12:00:00Z' }], 'UTC'),
      span: { sinceMs: at('1899-12-01T00:00:00Z'), untilMs: at('1960-01-01T00:00:00Z') },
    };
    const span = { sinceMs: at('1960-01-01T00:00:00Z'), untilMs: at('2020-01-01T00:00:00Z') };
    const shifted = figuresOf(
      groupOf('day'),
      options('UTC', { current: later, before: earlier, span, nowMs: span.untilMs }),
    );
    expect(shifted.rows.map(({ value, scans, previous }) => [value, scans, previous])).toEqual([
      ['1960-01-01', 1, 0],
      ['1960-01-02', 0, 1],
    ]);
  });

  it('count a repeated hour as one, and name weeks and months as in ISO 8601', () => {
    const current = tallyOf(
      [{ ts: '2026-10-25T00:30:00Z' }, { ts: '2026-10-25T01:30:00Z' }],
      'Europe/Berlin',
    );
    const given = options('Europe/Berlin', { current });
    expect(figuresOf(groupOf('hour'), given).rows[2]).toMatchObject({ value: '02', scans: 2 });
    expect(figuresOf(groupOf('hour'), given).rows).toHaveLength(24);
    expect(brief('weekday', given)[6]).toEqual(['Sunday', 2]);
    expect(brief('week', given)).toEqual([['2026-W43', 2, 'part']]);
    expect(brief('month', given)).toEqual([['2026-10', 2, 'part']]);
  });

  it('mark units that the range cuts, and units that are not over', () => {
    const current = tallyOf([{ ts: '2026-10-01T12:00:00Z' }], 'UTC');
    const cut = { sinceMs: at('2026-10-01T06:00:00Z'), untilMs: at('2026-10-04T00:00:00Z') };
    expect(brief('day', options('UTC', { current, span: cut, nowMs: at('2026-10-03T10:00:00Z') }))).toEqual([
      ['2026-10-01', 1, 'part'],
      ['2026-10-02', 0],
      ['2026-10-03', 0, 'part'],
    ]);
  });

  it('are compared from the first day on, but days after the end of a shorter previous range have no comparison', () => {
    const before = {
      tally: tallyOf([{ ts: '2026-09-01T08:00:00Z', scans: 40 }], 'UTC'),
      span: { sinceMs: at('2026-09-01T00:00:00Z'), untilMs: at('2026-09-03T00:00:00Z') },
    };
    const current = tallyOf([{ ts: '2026-10-01T12:00:00Z', scans: 50 }], 'UTC');
    const month = { sinceMs: at('2026-10-01T00:00:00Z'), untilMs: at('2026-10-04T00:00:00Z') };
    const { rows } = figuresOf(
      groupOf('day'),
      options('UTC', { current, before, span: month, nowMs: month.untilMs }),
    );
    expect(rows.map(({ previous, change }) => [previous, change])).toEqual([
      [40, 0.25],
      [0, null],
      [null, null],
    ]);
  });
});

describe('figures by value', () => {
  it('have no percentage for fewer than 30 scans', () => {
    for (const [scans, share] of [
      [29, null],
      [30, 1],
    ] as const) {
      const current = tallyOf([{ ts: '2026-10-01T12:00:00Z', country: 'DE', scans }], 'UTC');
      expect(figuresOf(groupOf('country'), options('UTC', { current })).rows[0]).toMatchObject({
        scans,
        share,
      });
    }
  });

  it('include requested codes without scans, and values that only the previous range has', () => {
    const current = tallyOf([{ ts: '2026-10-01T12:00:00Z', code: 'a' }], 'UTC');
    const before = {
      tally: tallyOf([{ ts: '2026-09-01T12:00:00Z', code: 'b', scans: 2 }], 'UTC'),
      span: { sinceMs: undefined, untilMs: undefined },
    };
    expect(brief('code', options('UTC', { current, before, codes: ['a', 'b', 'c'] }))).toEqual([
      ['a', 1, 0],
      ['b', 0, 2],
      ['c', 0, 0],
    ]);
  });

  it('add up to the total with any --top (F3)', () => {
    const made = fc.array(
      fc.record({
        country: fc.option(fc.constantFrom('DE', 'FR', 'other', 'AT', 'IT', '')),
        code: fc.constantFrom('a', 'b', 'c'),
      }),
      { maxLength: 60 },
    );
    const top = fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined });
    fc.assert(
      fc.property(made, made, top, (scans, earlier, top) => {
        const withTimes = (list: typeof scans, month: string) =>
          list.map((scan, i): Made => ({ ...scan, ts: `2026-${month}-0${1 + (i % 9)}T0${i % 10}:00:00Z` }));
        const current = tallyOf(withTimes(scans, '10'), 'UTC');
        const before = {
          tally: tallyOf(withTimes(earlier, '09'), 'UTC'),
          span: { sinceMs: undefined, untilMs: undefined },
        };
        for (const by of DIMENSIONS) {
          const { rows } = figuresOf(groupOf(by), options('UTC', { current, before, top }));
          const sum = (key: 'scans' | 'previous') => rows.reduce((all, row) => all + (row[key] ?? 0), 0);
          expect(sum('scans')).toBe(scans.length);
          if (['country', 'code', 'hour', 'weekday'].includes(by))
            expect(sum('previous')).toBe(earlier.length);
          if (top !== undefined && ['country', 'code'].includes(by))
            expect(rows.length).toBeLessThanOrEqual(top + 1);
        }
      }),
      runs(25),
    );
  });
});

describe('rows by value', () => {
  const span = { sinceMs: at('2026-10-01T00:00:00Z'), untilMs: at('2026-10-02T00:00:00Z') };
  const made = (counts: Readonly<Record<string, number>>) =>
    tallyOf(
      Object.entries(counts).map(
        ([country, scans]): Made => ({ ts: '2026-10-01T12:00:00Z', country: country || null, scans }),
      ),
      'UTC',
    );
  const valuesOf = (
    top: number | undefined,
    counts: Readonly<Record<string, number>>,
    before?: Readonly<Record<string, number>>,
  ) => {
    const earlier = before && {
      tally: made(before),
      span: { sinceMs: span.sinceMs - 86_400_000, untilMs: span.sinceMs },
    };
    return figuresOf(
      groupOf('country'),
      options('UTC', { current: made(counts), span, before: earlier, top }),
    );
  };
  const namesOf = ({ rows }: ReturnType<typeof valuesOf>) =>
    rows.map(({ value, isRest }) => (isRest ? '(other)' : value));

  it('are sorted by scans, then previous scans, then value; rows without a value come last', () => {
    expect(namesOf(valuesOf(undefined, { B: 1, A: 1, C: 2, '': 1 }))).toEqual(['C', 'A', 'B', null]);
    const expected = ['B', 'A', 'C', 'D'];
    expect(namesOf(valuesOf(undefined, { A: 1, B: 1 }, { B: 2, A: 1, D: 3, C: 3 }))).toEqual(expected);
  });

  it('are limited to --top rows and a row for the rest, or one more row if the rest is a single value', () => {
    const counts = { A: 5, B: 4, C: 3, D: 2 };
    expect(namesOf(valuesOf(2, counts))).toEqual(['A', 'B', '(other)']);
    expect(namesOf(valuesOf(3, counts))).toEqual(['A', 'B', 'C', 'D']);
    expect(namesOf(valuesOf(4, counts))).toEqual(['A', 'B', 'C', 'D']);
    const expected = { by: 'country', value: 'other', scans: 5, isRest: true };
    expect(valuesOf(2, counts).rows[2]).toMatchObject(expected);
    expect(valuesOf(2, counts).rows[1]).not.toHaveProperty('isRest');
  });

  it('end with a row for the rest if only the previous range has further values', () => {
    const { rows } = valuesOf(1, { A: 5 }, { A: 1, B: 4, C: 2 });
    expect(rows[1]).toMatchObject({ value: 'other', scans: 0, previous: 6, isRest: true });
  });

  it('are approximate if the current or the previous period has more than 10,000 values', () => {
    const many = Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`v${i}`, 1]));
    expect(valuesOf(3, { A: 1 }, { A: 1 }).isApproximate).toBe(false);
    expect(valuesOf(3, many, { A: 1 }).isApproximate).toBe(true);
    expect(valuesOf(3, { A: 1 }, many).isApproximate).toBe(true);
    expect(
      figuresOf(groupOf('city'), options('UTC', { current: createTally([], () => 0) })).isApproximate,
    ).toBe(false);
  });
});

describe('rows by time unit', () => {
  it('are an empty list if the range is open and there are no scans', () => {
    const section = figuresOf(groupOf('day'), options('UTC', { current: tallyOf([], 'UTC') }));
    const expected = { kind: 'time', by: 'day', rows: [], comparesAverages: false, isApproximate: false };
    expect(section).toEqual(expected);
  });

  it('end with the day of the last scan if the range has no end, or with its first day if it has no scans', () => {
    const span = { sinceMs: at('2026-10-01T00:00:00Z'), untilMs: undefined };
    const rows = (scans: readonly Made[]) =>
      brief('day', options('UTC', { current: tallyOf(scans, 'UTC'), span }));
    expect(rows([{ ts: '2026-10-02T23:00:00Z' }])).toEqual([
      ['2026-10-01', 0],
      ['2026-10-02', 1, 'part'],
    ]);
    expect(rows([])).toEqual([['2026-10-01', 0]]);
  });

  it('compare averages only for units that are whole in both periods', () => {
    const section = (by: Dimension, since: string, until: string, sinceBefore: string) =>
      figuresOf(groupOf(by), {
        ...options('UTC', {
          current: tallyOf([{ ts: since }], 'UTC'),
          span: { sinceMs: at(since), untilMs: at(until) },
        }),
        before: {
          tally: tallyOf([{ ts: sinceBefore }], 'UTC'),
          span: { sinceMs: at(sinceBefore), untilMs: at(since) },
        },
        nowMs: at(until),
      });
    const months = section('month', '2026-11-01T00:00:00Z', '2026-12-01T00:00:00Z', '2026-10-01T00:00:00Z');
    expect([months.comparesAverages, months.isApproximate]).toEqual([true, false]);
    const cut = section('month', '2026-11-01T00:00:00Z', '2026-11-20T00:00:00Z', '2026-10-01T00:00:00Z');
    expect(cut.comparesAverages).toBe(false);
    const cutBefore = section(
      'month',
      '2026-11-01T00:00:00Z',
      '2026-12-01T00:00:00Z',
      '2026-10-12T00:00:00Z',
    );
    expect(cutBefore.comparesAverages).toBe(false);
    const hours = section('hour', '2026-11-01T00:00:00Z', '2026-12-01T00:00:00Z', '2026-10-01T00:00:00Z');
    expect([hours.comparesAverages, hours.isApproximate]).toEqual([true, false]);
  });
});
