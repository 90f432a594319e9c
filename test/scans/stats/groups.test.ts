/** Groups of codes: UTM tags of their destinations, and columns of a table. */
import { describe, expect, it } from 'vitest';
import { createLocalTime } from '#base/time/local-time';
import type { CodeOfScans } from '#scans/stats/code-of-scans';
import { type Dimension, type GroupBy, groupOf } from '#scans/stats/dimensions';
import { figuresOf } from '#scans/stats/figures';
import { codeGroupsOf, valuesOfCodes } from '#scans/stats/filters';
import { bucketCuts, planReadings } from '#scans/stats/readings';
import { createTally } from '#scans/stats/tally';

const REGIONS = new Map<string, string | null>([
  ['a', 'North'],
  ['b', 'South'],
  ['c', 'North'],
  ['d', null],
  ['e', 'East'],
]);
const CODES = [...REGIONS.keys()].map((slug): CodeOfScans => {
  return {
    value: slug,
    slug,
    destination: slug < 'c' ? `https://x.test/?utm_source=${slug}&utm_campaign=spring` : null,
  };
});
const TABLE = {
  name: 'codes.csv',
  namelessRows: 0,
  unusedRows: () => 0,
  unlisted: () => [],
  valuesIn: () => [],
  noneIn: () => 'unlisted' as const,
  valueOf: ({ value }: CodeOfScans, column: string) =>
    column === 'region' ? (REGIONS.get(value) ?? null) : 'x',
};
const REGION: GroupBy = { kind: 'column', by: 'region' };
const GROUPS: GroupBy[] = [
  REGION,
  groupOf('utm_source'),
  groupOf('utm_campaign'),
  groupOf('day'),
  groupOf('code'),
];
const VALUES = valuesOfCodes(GROUPS, TABLE, ({ destination }) => destination ?? null);

it('valuesOfCodes returns a function for each UTM tag and table column, and none for other dimensions', () => {
  const values = valuesOfCodes(GROUPS, TABLE, ({ destination }) => destination ?? null);
  expect([...values.keys()]).toEqual(['region', 'utm_source', 'utm_campaign']);
  const [code = expect.fail()] = CODES;
  expect([...values.values()].map((of) => of(code))).toEqual(['North', 'a', 'spring']);
  expect([...valuesOfCodes(GROUPS, undefined, () => null).keys()]).toEqual(['utm_source', 'utm_campaign']);
});

/** Scans per code. */
function tallyOf(scans: Readonly<Record<string, number>>, groups: readonly GroupBy[] = GROUPS) {
  const tally = createTally(groups, () => 0, VALUES);
  for (const code of CODES) {
    const count = scans[code.value] ?? 0;
    if (count === 0) continue;
    tally.add(count, {}, code);
    tally.addMany({ sinceMs: count, untilMs: count + 1 }, code, count - 1);
  }
  return tally;
}

function rowsOf(group: GroupBy, ofCode?: ReadonlyMap<string, number>) {
  const groups = codeGroupsOf(VALUES, () => 'unlisted', { codes: CODES, ofCode });
  const before = {
    tally: tallyOf({ a: 100, b: 100, c: 100, d: 100, e: 100 }),
    span: { sinceMs: -1000, untilMs: 0 },
  };
  return figuresOf(group, {
    current: tallyOf({ a: 50, b: 70, c: 30, d: 10, e: 40 }),
    span: { sinceMs: 0, untilMs: 1000 },
    before,
    data: { ofCode },
    codes: CODES.map(({ value }) => value),
    codeGroups: groups,
    top: undefined,
    nowMs: undefined,
    zone: 'UTC',
    offsetMs: () => 0,
  });
}

describe('groups of codes', () => {
  it('count the scans of all of their codes (F21)', () => {
    const section = rowsOf(REGION);
    expect(section).toMatchObject({ kind: 'column', by: 'region', noneIs: 'unlisted' });
    expect(section.rows.map(({ value, scans, previous }) => [value, scans, previous])).toEqual([
      ['North', 80, 200],
      ['South', 70, 100],
      ['East', 40, 100],
      [null, 10, 100],
    ]);
    expect(rowsOf(groupOf('utm_source')).rows.map(({ value, scans }) => [value, scans])).toEqual([
      [null, 80],
      ['b', 70],
      ['a', 50],
    ]);
    expect(rowsOf(groupOf('utm_campaign')).rows.map(({ value, scans }) => [value, scans])).toEqual([
      ['spring', 120],
      [null, 80],
    ]);
  });

  it('have a row for each value of the requested codes, even without scans', () => {
    const groups = codeGroupsOf(VALUES, () => 'empty', { codes: CODES, ofCode: undefined });
    const current = createTally(GROUPS, () => 0, VALUES);
    const span = { sinceMs: 0, untilMs: 1000 };
    const common = {
      current,
      span,
      codeGroups: groups,
      top: undefined,
      nowMs: undefined,
      zone: 'UTC',
      offsetMs: () => 0,
    };
    expect(figuresOf(REGION, common).rows.map(({ value, scans }) => [value, scans])).toEqual([
      ['East', 0],
      ['North', 0],
      ['South', 0],
      [null, 0],
    ]);
  });

  it('are as old as their oldest code, or of unknown age if the age of one code is unknown (F18)', () => {
    const ages = new Map(Object.entries({ a: -500, b: -500, c: -2000, d: -500 }));
    const marked = rowsOf(REGION, ages).rows.filter(({ isBeforeData }) => isBeforeData);
    expect(marked.map(({ value }) => value)).toEqual(['South', null]);
    expect(marked.map(({ change }) => change)).toEqual([null, null]);
  });

  it('are added up when a tally is added to another tally', () => {
    const [one, two] = [tallyOf({ a: 5 }), tallyOf({ b: 7, a: 1 })];
    one.addAll(two);
    expect(one.values.get('region')?.counts().get('South')).toBe(7);
  });

  it('have no values if no UTM tag is a group and no table is joined', () => {
    expect([
      ...valuesOfCodes([REGION, groupOf('code'), groupOf('day')], undefined, () => null).keys(),
    ]).toEqual([]);
  });
});

describe('totals instead of pages', () => {
  const span = { sinceMs: Date.UTC(2026, 9, 1), untilMs: Date.UTC(2026, 9, 3) };
  const { offsetMs } = createLocalTime('UTC');
  const cuts = (...groups: GroupBy[]) => bucketCuts(groups, span, { zone: 'UTC', offsetMs });

  it('are enough for groups of codes, without cutting the range', () => {
    expect(cuts(REGION, groupOf('utm_term'), groupOf('code'))).toEqual([]);
    expect(cuts(REGION, groupOf('day'))).toEqual([Date.UTC(2026, 9, 2)]);
    expect(cuts(REGION, groupOf('country'))).toBeUndefined();
  });

  it('are enough for an open range only if every requested group is a group of codes', () => {
    const plan = (...groups: GroupBy[]) => {
      const counted = {
        span: { sinceMs: undefined, untilMs: span.untilMs },
        compare: 'none' as const,
        local: createLocalTime('UTC'),
      };
      return planReadings({ ...counted, groups }, span.untilMs, undefined).readings.map(({ cuts }) => cuts);
    };
    expect(plan(REGION, groupOf('utm_term'))).toEqual([[]]);
    const others: Dimension[] = ['day', 'country'];
    for (const other of others) expect(plan(REGION, groupOf(other))).toEqual([undefined]);
  });
});
