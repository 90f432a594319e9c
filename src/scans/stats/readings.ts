/** Plans which ranges of the service are read for a count, and how. */
import type { LocalTime } from '../../base/time/local-time.ts';
import type { ScanPage } from '../../service/shapes.ts';
import { requestsAfter } from '../export/export-scans.ts';
import type { Range } from '../export/range.ts';
import { bucketCuts } from './buckets.ts';
import type { Span } from './calendar.ts';
import { type ClosedSpan, type Comparison, spanBefore } from './compare-span.ts';
import { fieldsOf, type GroupBy, unitsOfTime } from './dimensions.ts';
import { requestsForTotals } from './totals.ts';

/** Range, groups, time zone and comparison of a count. */
export interface Counted {
  /** Ends that are undefined are open. */
  span: Span;
  compare: Comparison;
  groups: readonly GroupBy[];
  /** The clock by which days are days. */
  local: LocalTime;
}

/** One range to read; `cuts` are the parts of which totals alone are wanted, with both ends of the range known. */
export type Reading =
  | { sinceMs: number | undefined; range: Range; cuts: readonly number[] }
  | { sinceMs: number | undefined; range: Range | undefined; cuts: undefined };

interface Readings {
  readings: Reading[];
  before: ClosedSpan | undefined;
  /** End of the range, if it is known before the first response about scans. */
  untilMs: number | undefined;
}

/** Plans the readings; two adjacent ranges are one. `nowMs`: best estimate of the time; `serviceNowMs`: time of the service, if known. */
export function planReadings(plan: Counted, nowMs: number, serviceNowMs: number | undefined): Readings {
  const { sinceMs } = plan.span;
  const isCompared = plan.compare !== 'none' && sinceMs !== undefined;
  const untilMs = plan.span.untilMs ?? serviceNowMs ?? (isCompared ? nowMs : undefined);
  const closed =
    sinceMs === undefined || untilMs === undefined || sinceMs >= untilMs ? undefined : { sinceMs, untilMs };
  const before =
    closed && plan.compare !== 'none' ? spanBefore(closed, plan.compare, plan.local.zone, nowMs) : undefined;
  const range = untilMs === undefined ? undefined : { sinceMs, untilMs };
  if (!before || !closed) return { readings: [readingOf(plan, sinceMs, range)], before, untilMs };
  const isOne = before.untilMs === closed.sinceMs;
  const readings = isOne
    ? [readingOf(plan, before.sinceMs, { sinceMs: before.sinceMs, untilMs: closed.untilMs }, closed.sinceMs)]
    : [readingOf(plan, before.sinceMs, before), readingOf(plan, sinceMs, range)];
  return { readings, before, untilMs };
}

function readingOf(
  plan: Counted,
  sinceMs: number | undefined,
  range: Range | undefined,
  cutAt?: number,
): Reading {
  if (!range) return { sinceMs, range, cuts: undefined };
  const { groups, local } = plan;
  const { sinceMs: from, untilMs } = range;
  const cuts =
    from === undefined
      ? fieldsOf(groups).length + unitsOfTime(groups).length === 0
        ? []
        : undefined
      : bucketCuts(groups, { sinceMs: from, untilMs }, local.zone, local.offsetMs);
  if (cuts === undefined) return { sinceMs, range, cuts };
  const all = cutAt === undefined || cuts.includes(cutAt) ? cuts : [...cuts, cutAt].sort((a, b) => a - b);
  return { sinceMs, range, cuts: all };
}

/** Returns whether totals take fewer requests than the remaining pages and can be verified; decided from page 1, which both ways need. */
export function cheaperByTotals(first: ScanPage, cuts: readonly number[]): boolean {
  return requestsForTotals(first, cuts) < requestsAfter(first, { isKnown: true, proveBeyond: false });
}
