import type { LocalTime } from '../../base/time/local-time.ts';
import { HOUR_MS, QUARTER_MS } from '../../base/time/time.ts';
import type { ScanPage } from '../../service/shapes.ts';
import { pageSizeOf, type Range } from '../export/range.ts';
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

export type Reading =
  | { sinceMs: number | undefined; range: Range; cuts: readonly number[] }
  | { sinceMs: number | undefined; range: Range | undefined; cuts: undefined };

interface Readings {
  readings: Reading[];
  before: ClosedSpan | undefined;
  untilMs: number | undefined;
}

/** `nowMs` is an estimate of the time, `serviceNowMs` the service's. */
export function planReadings(plan: CountRequest, nowMs: number, serviceNowMs: number | undefined): Readings {
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
  plan: CountRequest,
  sinceMs: number | undefined,
  range: Range | undefined,
  cutAt?: number,
): Reading {
  const cuts = range && cutsOf(plan, range);
  if (!range || cuts === undefined) return { sinceMs, range, cuts: undefined };
  const all = cutAt === undefined || cuts.includes(cutAt) ? cuts : [...cuts, cutAt].sort((a, b) => a - b);
  return { sinceMs, range, cuts: all };
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

/** Returns undefined if the groups need scans. */
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
    // A date that a zone skipped (Samoa, 30 December 2011) begins with the next one.
    if (ms > (cuts.at(-1) ?? sinceMs)) cuts.push(ms);
  }
  return cuts;
}

export function cheaperByTotals(first: ScanPage, cuts: readonly number[]): boolean {
  return cuts.length + 1 < Math.ceil(first.total / pageSizeOf(first)) - 1;
}
