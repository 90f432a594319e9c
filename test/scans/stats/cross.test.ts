/** Tables of two dimensions. */
import { expect, it } from 'vitest';
import { figuresOfPairs, isCrossApproximate } from '#scans/stats/cross';
import { groupOf } from '#scans/stats/dimensions';
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
