/** Tables of two dimensions. */
import { describe, expect, it } from 'vitest';
import { crossOf, figuresOfPairs, isCrossApproximate } from '#scans/stats/cross';
import { type Dimension, groupOf } from '#scans/stats/dimensions';
import type { FiguresOptions } from '#scans/stats/figures';
import { createTally, type Pair } from '#scans/stats/tally';

const CODE = { value: 'menu', id: 'menu' };

/** Counts referrers and devices: first all on one device, then all on the other in the reverse order. */
function countReferrers(count: number, ...by: ['referrer', 'device'] | ['device', 'referrer']) {
  const pair = by.map(groupOf) as unknown as Pair;
  const current = createTally(pair, () => 0, undefined, undefined, [pair]);
  for (let at = 0; at < count; at++) current.add(at, { referrer: `r${at}`, device: 'mobile' }, CODE);
  for (let at = count; at > 0; at--) current.add(at, { referrer: `r${at - 1}`, device: 'desktop' }, CODE);
  const options: FiguresOptions = {
    current,
    span: { sinceMs: 0, untilMs: 2 * count },
    top: undefined,
    nowMs: undefined,
    zone: 'UTC',
    offsetMs: () => 0,
  };
  const scans = figuresOfPairs(pair, options).reduce((sum, row) => sum + row.scans, 0);
  return { scans, isApproximate: isCrossApproximate(pair, current) };
}

it.each([
  [100, false, ['referrer', 'device'] as const],
  [100, false, ['device', 'referrer'] as const],
  [12_000, true, ['referrer', 'device'] as const],
  [12_000, true, ['device', 'referrer'] as const],
  // More pairs than are counted exactly.
  [26_000, true, ['referrer', 'device'] as const],
])(
  'a table of %i referrers and two devices adds up to all scans (approximate: %s, dimensions: %j)',
  (count, isApproximate, by) => {
    expect(countReferrers(count, ...by)).toEqual({ scans: 2 * count, isApproximate });
  },
);

const MENU = { value: 'menu', id: 'id-menu', slug: 'menu', name: 'Menu' };
const SHOP = { value: 'shop', id: 'id-shop', slug: 'shop', name: 'Shop' };
const UNUSED = { value: 'unused', id: 'id-unused' };
const NAMES = new Map([MENU, SHOP, UNUSED].map((code) => [code.id, code]));
const DAY_MS = 86_400_000;

/** Scans on Thursday and Friday, 1 and 2 January 1970. */
const SCANS = [
  ['DE', 'desktop', 'menu', MENU, 0],
  ['DE', 'mobile', 'menu', MENU, 0],
  ['DE', 'mobile', 'shop', SHOP, 0],
  ['DE', 'mobile', 'shop', SHOP, 1],
  ['FR', 'other', null, MENU, 0],
  ['FR', 'other', null, MENU, 1],
  ['FR', 'mobile', null, MENU, 1],
  ['IT', 'mobile', null, MENU, 1],
  ['ES', 'mobile', null, MENU, 1],
  ['ES', 'tablet', null, MENU, 1],
] as const;

function optionsOf(by: [Dimension, Dimension], top?: number, scans: typeof SCANS | [] = SCANS) {
  const pair = by.map(groupOf) as unknown as Pair;
  const current = createTally(pair, () => 0, undefined, undefined, [pair]);
  for (const [country, device, referrer, code, day] of scans)
    current.add(day * DAY_MS, { country, device, referrer }, code);
  const span = { sinceMs: 0, untilMs: 2 * DAY_MS };
  const options: FiguresOptions = {
    current,
    span,
    top,
    names: NAMES,
    codes: [...NAMES.keys()],
    zone: 'UTC',
    offsetMs: () => 0,
  };
  return { pair, options };
}

function tableOf(by: [Dimension, Dimension], top?: number, most?: number, scans?: []) {
  const { pair, options } = optionsOf(by, top, scans);
  const { rows, columns, cells } = crossOf(pair, options, most);
  return [
    ['', ...columns.rows.map(({ value }) => value)],
    ...rows.rows.map(({ value }, at) => [value, ...(cells[at] ?? [])]),
  ];
}

describe('a table of two dimensions', () => {
  it('has a row and a column for each value', () => {
    expect(tableOf(['country', 'device'])).toEqual([
      ['', 'mobile', 'other', 'desktop', 'tablet'],
      ['DE', 3, 0, 1, 0],
      ['FR', 1, 2, 0, 0],
      ['ES', 1, 0, 0, 1],
      ['IT', 1, 0, 0, 0],
    ]);
  });

  it('adds up values beyond --top in a last row and a last column, separately from a value "other" (F3)', () => {
    expect(tableOf(['device', 'country'], 2)).toEqual([
      ['', 'DE', 'FR', 'other'],
      ['mobile', 3, 1, 2],
      ['other', 0, 2, 0],
      ['other', 1, 0, 1],
    ]);
    expect(tableOf(['country', 'device'], 1)).toEqual([
      ['', 'mobile', 'other'],
      ['DE', 3, 1],
      ['other', 3, 3],
    ]);
  });

  it('has the longer time unit, or values instead of time units, in the columns if the columns are limited', () => {
    const days = ['1970-01-01', '1970-01-02'];
    expect(tableOf(['country', 'day'], undefined, 1)).toEqual([
      ['', 'DE', 'other'],
      [days[0], 3, 1],
      [days[1], 1, 5],
    ]);
    expect(tableOf(['day', 'month'], undefined, 1)).toEqual([
      ['', '1970-01'],
      [days[0], 4],
      [days[1], 6],
    ]);
    expect(tableOf(['month', 'day'], undefined, 1)).toEqual([
      ['', '1970-01'],
      [days[0], 4],
      [days[1], 6],
    ]);
    expect(tableOf(['month', 'day'])).toEqual([
      ['', ...days],
      ['1970-01', 4, 6],
    ]);
  });

  it('has a row for a code without scans, and a column for a value that equals the slug of a code', () => {
    expect(tableOf(['code', 'referrer'])).toEqual([
      ['', null, 'menu', 'shop'],
      ['menu', 6, 2, 0],
      ['shop', 0, 0, 2],
      ['unused', 0, 0, 0],
    ]);
  });

  it('is empty without scans', () => {
    expect(tableOf(['country', 'device'], undefined, undefined, [])).toEqual([['']]);
  });

  it('separates long values that begin alike', () => {
    const pair = [groupOf('referrer'), groupOf('device')] as const;
    const { options } = optionsOf(['device', 'country']);
    const current = createTally(pair, () => 0, undefined, undefined, [pair]);
    const page = `https://shop.example/${'x'.repeat(600)}`;
    const longer = page + 'x'.repeat(600);
    for (const referrer of [`${page}1`, `${page}1`, `${page}2`, `${longer}1`, `${longer}2`])
      current.add(0, { referrer, device: 'mobile' }, MENU);
    expect(crossOf(pair, { ...options, current }).cells).toEqual([[2], [1], [1], [1]]);
  });
});

it('rows of two dimensions have the name of the code, and are sorted by the totals of both dimensions', () => {
  const { pair, options } = optionsOf(['code', 'country'], 1);
  const rows = figuresOfPairs(pair, options).map(({ value, name, value2, scans }) => [
    value,
    name,
    value2,
    scans,
  ]);
  expect(rows).toEqual([
    ['menu', 'Menu', 'DE', 2],
    ['menu', 'Menu', 'other', 6],
    ['other', null, 'DE', 2],
  ]);
  const all = optionsOf(['country', 'device']);
  expect(figuresOfPairs(all.pair, all.options).map(({ value, value2 }) => `${value} ${value2}`)).toEqual([
    ...['DE mobile', 'DE desktop', 'FR mobile', 'FR other', 'ES mobile', 'ES tablet', 'IT mobile'],
  ]);
});
