import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CodeOfScans } from '../../src/stats/code-of-scans.ts';
import { DIMENSIONS, type Dimension, groupOf } from '../../src/stats/dimensions.ts';
import { type FiguresOptions, figuresOf } from '../../src/stats/figures.ts';
import { createTally } from '../../src/stats/tally.ts';
import { createLocalTime } from '../../src/time/local-time.ts';
import { runs } from '../support/property-runs.ts';

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

function options(zone: string, more: Partial<FiguresOptions> & Pick<FiguresOptions, 'current'>): FiguresOptions {
  const open = { sinceMs: undefined, untilMs: undefined };
  return { span: open, timezone: zone, offsetAt: createLocalTime(zone).offsetMs, top: undefined, nowMs: undefined, ...more };
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

  it('are of days of the zone, at 25 hours too, and have the days without scans', () => {
    const current = tallyOf([{ ts: '2026-10-24T22:00:00Z' }, { ts: '2026-10-25T22:59:59.999Z' }], 'Europe/Berlin');
    expect(brief('day', options('Europe/Berlin', { current, span, nowMs: span.untilMs }))).toEqual([
      ['2026-10-25', 2],
      ['2026-10-26', 0],
    ]);
  });

  it('of a range of thousands of years have only the units with scans, and say so', () => {
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
  });

  it('count the hour that comes twice as one, and weeks and months by their ISO names', () => {
    const current = tallyOf([{ ts: '2026-10-25T00:30:00Z' }, { ts: '2026-10-25T01:30:00Z' }], 'Europe/Berlin');
    const given = options('Europe/Berlin', { current });
    expect(figuresOf(groupOf('hour'), given).rows[2]).toMatchObject({ value: '02', scans: 2 });
    expect(figuresOf(groupOf('hour'), given).rows).toHaveLength(24);
    expect(brief('weekday', given)[6]).toEqual(['Sunday', 2]);
    expect(brief('week', given)).toEqual([['2026-W43', 2, 'part']]);
    expect(brief('month', given)).toEqual([['2026-10', 2, 'part']]);
  });

  it('mark what the range cuts and what is not over', () => {
    const current = tallyOf([{ ts: '2026-10-01T12:00:00Z' }], 'UTC');
    const cut = { sinceMs: at('2026-10-01T06:00:00Z'), untilMs: at('2026-10-04T00:00:00Z') };
    expect(brief('day', options('UTC', { current, span: cut, nowMs: at('2026-10-03T10:00:00Z') }))).toEqual([
      ['2026-10-01', 1, 'part'],
      ['2026-10-02', 0],
      ['2026-10-03', 0, 'part'],
    ]);
  });

  it('stand beside the first day of the range before, and beside nothing where that is shorter', () => {
    const before = {
      tally: tallyOf([{ ts: '2026-09-01T08:00:00Z', scans: 40 }], 'UTC'),
      span: { sinceMs: at('2026-09-01T00:00:00Z'), untilMs: at('2026-09-03T00:00:00Z') },
    };
    const current = tallyOf([{ ts: '2026-10-01T12:00:00Z', scans: 50 }], 'UTC');
    const month = { sinceMs: at('2026-10-01T00:00:00Z'), untilMs: at('2026-10-04T00:00:00Z') };
    const { rows } = figuresOf(groupOf('day'), options('UTC', { current, before, span: month, nowMs: month.untilMs }));
    expect(rows.map(({ previous, change }) => [previous, change])).toEqual([
      [40, 0.25],
      [0, null],
      [null, null],
    ]);
  });
});

describe('figures by value', () => {
  it('make no percentage of fewer than 30 scans', () => {
    const few = tallyOf([{ ts: '2026-10-01T12:00:00Z', country: 'DE', scans: 29 }], 'UTC');
    expect(figuresOf(groupOf('country'), options('UTC', { current: few })).rows[0]).toMatchObject({ scans: 29, share: null });
    const enough = tallyOf([{ ts: '2026-10-01T12:00:00Z', country: 'DE', scans: 30 }], 'UTC');
    const before = { tally: few, span: { sinceMs: undefined, untilMs: undefined } };
    expect(figuresOf(groupOf('country'), options('UTC', { current: enough, before })).rows[0]).toMatchObject({
      share: 1,
      previous: 29,
      change: null,
    });
  });

  it('have codes that nobody scanned, and values that were there before', () => {
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

  it('add up to the total, whatever is left out (F3)', () => {
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
        const before = { tally: tallyOf(withTimes(earlier, '09'), 'UTC'), span: { sinceMs: undefined, untilMs: undefined } };
        for (const by of DIMENSIONS) {
          const { rows } = figuresOf(groupOf(by), options('UTC', { current, before, top }));
          const sum = (key: 'scans' | 'previous') => rows.reduce((all, row) => all + (row[key] ?? 0), 0);
          expect(sum('scans')).toBe(scans.length);
          if (['country', 'code', 'hour', 'weekday'].includes(by)) expect(sum('previous')).toBe(earlier.length);
          if (top !== undefined && ['country', 'code'].includes(by)) expect(rows.length).toBeLessThanOrEqual(top + 1);
        }
      }),
      runs(25),
    );
  });
});
