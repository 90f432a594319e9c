import { sum } from '#base/collections';
import type { LocalTime } from '#base/time/local-time';
import { HOUR_MS, QUARTER_MS } from '#base/time/time';
import { orderOf } from '#scans/export/export-scans';
import {
  type Bounds,
  EXCLUSIVE_MS,
  pageReader,
  pageSizeOf,
  type Range,
  type RangeReading,
} from '#scans/export/range';
import { mayBeTruncated, requestBeyond, widenEdge } from '#scans/export/truncated-total';
import type { ScanPage } from '#service/shapes';
import {
  type ClosedSpan,
  type Comparison,
  localHour,
  type RunningUnit,
  type Span,
  spanBefore,
  startOf,
  unitOf,
  type Zone,
} from './calendar.ts';
import type { CodeOfScans } from './code-of-scans.ts';
import type { CodeTable } from './code-table.ts';
import { fieldsOf, type GroupBy, unitsOfTime } from './dimensions.ts';
import { type Filter, needScans, type ValueOfCode } from './filters.ts';
import type { Pair } from './tally.ts';

export interface CountRequest {
  span: Span;
  compare: Comparison;
  groups: readonly GroupBy[];
  pairs?: readonly Pair[];
  filters?: readonly Filter[];
  isChosen?: (code: CodeOfScans) => boolean;
  local: LocalTime;
  table?: CodeTable;
  destinationOf?: ValueOfCode;
}

export type Reading = { range: Range; cuts: readonly number[] } | { range: Span; cuts: undefined };

/** Plans ranges to read. `nowMs` is an estimate, `serviceNowMs` the service's time. */
export function planReadings(plan: CountRequest, nowMs: number, serviceNowMs: number | undefined) {
  const { sinceMs } = plan.span;
  const isCompared = plan.compare !== 'none' && sinceMs !== undefined;
  const untilMs = plan.span.untilMs ?? serviceNowMs ?? (isCompared ? nowMs : undefined);
  const closed =
    sinceMs === undefined || untilMs === undefined || sinceMs >= untilMs ? undefined : { sinceMs, untilMs };
  const before =
    closed && plan.compare !== 'none' ? spanBefore(closed, plan.compare, plan.local.zone, nowMs) : undefined;
  if (!before || !closed) return { readings: [readingOf(plan, { sinceMs, untilMs })], before, untilMs };
  const isOne = before.untilMs === closed.sinceMs;
  const readings = isOne
    ? [readingOf(plan, { sinceMs: before.sinceMs, untilMs: closed.untilMs }, closed.sinceMs)]
    : [readingOf(plan, before), readingOf(plan, closed)];
  return { readings, before, untilMs };
}

function readingOf(plan: CountRequest, { sinceMs, untilMs }: Span, cutAt?: number): Reading {
  if (untilMs === undefined) return { range: { sinceMs, untilMs }, cuts: undefined };
  const range = { sinceMs, untilMs };
  const cuts = cutsOf(plan, range);
  if (cuts === undefined) return { range, cuts };
  const all = cutAt === undefined || cuts.includes(cutAt) ? cuts : [...cuts, cutAt].sort((a, b) => a - b);
  return { range, cuts: all };
}

function cutsOf(
  { groups, filters = [], local }: CountRequest,
  { sinceMs, untilMs }: Range,
): number[] | undefined {
  if (needScans(filters)) return undefined;
  if (sinceMs !== undefined) return bucketCuts(groups, { sinceMs, untilMs }, local);
  return fieldsOf(groups).length + unitsOfTime(groups).length === 0 ? [] : undefined;
}

const MOST_BUCKETS = 20_000;

/** Returns the times (ms) that cut a range into units; undefined if scans or too many units are needed. */
export function bucketCuts(groups: readonly GroupBy[], span: ClosedSpan, local: Zone): number[] | undefined {
  if (fieldsOf(groups).length > 0) return undefined;
  const [first, ...others] = unitsOfTime(groups);
  if (first === undefined) return [];
  if (first === 'hour' || others.includes('hour')) return hourCuts(span, local);
  const isOne = others.every((unit) => unit === first);
  return unitCuts(isOne && (first === 'week' || first === 'month') ? first : 'day', span, local);
}

function hourCuts({ sinceMs, untilMs }: ClosedSpan, { offsetMs }: Zone): number[] | undefined {
  if ((untilMs - sinceMs) / HOUR_MS > MOST_BUCKETS) return undefined;
  const cuts: number[] = [];
  let hour = localHour(sinceMs, offsetMs);
  for (let ms = Math.ceil(sinceMs / QUARTER_MS) * QUARTER_MS; ms < untilMs; ms += QUARTER_MS) {
    if (localHour(ms, offsetMs) === hour) continue;
    hour = localHour(ms, offsetMs);
    cuts.push(ms);
  }
  return cuts;
}

function unitCuts(
  unit: RunningUnit,
  { sinceMs, untilMs }: ClosedSpan,
  { zone, offsetMs }: Zone,
): number[] | undefined {
  const unitAt = (ms: number) => unitOf(unit, localHour(ms, offsetMs));
  const [first, last] = [unitAt(sinceMs), unitAt(untilMs - 1)];
  if (last - first > MOST_BUCKETS) return undefined;
  const cuts: number[] = [];
  for (let number = first; number <= last; number++) {
    const ms = startOf(unit, number, zone);
    // Adds one cut, not two, if a zone skipped a date (Samoa, 30 December 2011).
    if (ms > (cuts.at(-1) ?? sinceMs)) cuts.push(ms);
  }
  return cuts;
}

export function cheaperByTotals(first: ScanPage, cuts: readonly number[]): boolean {
  return cuts.length + 1 < Math.ceil(first.total / pageSizeOf(first)) - 1;
}

interface TotalsJob extends RangeReading {
  first: ScanPage;
  cuts: readonly number[];
}

/**
 * Counts each part of a range with one total. Returns undefined if pages must be read. Parts are wider at
 * cuts, so no total is too small. If their sum equals the total of the range, none is too large.
 */
export async function countByTotals(job: TotalsJob): Promise<number[] | undefined> {
  const { read, first, cuts, range } = job;
  const order = orderOf(first);
  if (order === 'mixed') return undefined;
  const pageSize = pageSizeOf(first);
  // Counts the far end last, because its last page follows from the other totals.
  const far = order === 'ascending' ? cuts.length : 0;
  const near = order === 'ascending' ? 0 : cuts.length;
  const counts: number[] = [];
  const others = Array.from({ length: cuts.length }, (_, at) => (order === 'ascending' ? at : at + 1));
  const fetchTotal = async (part: number) => {
    const { total } = await read({ page: 1, limit: 1, ...boundsOf(part, job) });
    return { part, total };
  };
  for await (const { part, total } of job.fetchInOrder(others, fetchTotal, job.width)) counts[part] = total;
  const left = first.total - sum(Object.values(counts));
  const page = Math.max(1, Math.ceil(left / pageSize));
  const last = await read({ page, limit: pageSize, ...boundsOf(far, job) });
  // F7: reads pages if totals don't add up: a scan is new or dated at a cut, or a total is capped.
  if (last.total !== left || last.rows.length !== left - (page - 1) * pageSize) return undefined;
  counts[far] = left;
  // F8: looks for rows beyond the total if a part has the same total, because both may be capped.
  if (counts.some((count) => count === first.total) && mayBeTruncated(first.total, pageSize)) {
    const end = left > 0 ? last : await pageReader(job, first)(Math.ceil(first.total / pageSize));
    const edge = widenEdge(
      first.rows.length === first.total ? widenEdge(undefined, first, order) : undefined,
      end,
      order,
    );
    if (!edge || (await requestBeyond(job, order, edge, first.total)) !== false) return undefined;
  }
  const outsideNear = marginOf(first, range, {
    atBeginning: order === 'ascending',
    isAll: first.total === first.rows.length,
  });
  const outsideFar = marginOf(last, range, { atBeginning: order !== 'ascending', isAll: page === 1 });
  if (outsideNear === undefined || outsideFar === undefined) return undefined;
  // F9: subtracts scans in the margins of the range.
  counts[near] = (counts[near] ?? 0) - outsideNear;
  counts[far] = (counts[far] ?? 0) - outsideFar;
  return counts.some((count) => count < 0) ? undefined : counts;
}

/** F7: returns bounds for a part that are never narrower than the part. */
function boundsOf(part: number, { cuts, asked }: TotalsJob): Bounds {
  const since = cuts[part - 1];
  const until = cuts[part];
  return {
    ...asked,
    ...(since !== undefined && { sinceMs: since - EXCLUSIVE_MS }),
    ...(until !== undefined && { untilMs: until }),
  };
}

function marginOf(
  { times }: ScanPage,
  { sinceMs = -Infinity, untilMs }: Range,
  { atBeginning, isAll }: { atBeginning: boolean; isAll: boolean },
): number | undefined {
  const outside = times.filter((time) => (atBeginning ? time < sinceMs : time >= untilMs)).length;
  return outside === times.length && !isAll ? undefined : outside;
}
