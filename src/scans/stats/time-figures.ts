/** Rows of a dimension of time, in order, including units without scans. */
import { HOUR_MS } from '../../base/time/units.ts';
import { formatUnit, isRunning, type RunningUnit, type Span, startOf, unitOf } from './calendar.ts';
import type { ClosedSpan } from './compare-span.ts';
import { daysBetween } from './day-counts.ts';
import type { TimeDimension } from './dimensions.ts';
import { type Counts, differInLength, type Figure, figure, type Section } from './figure.ts';
import { type FiguresOptions, type Period, type Periods, previousScans } from './periods.ts';
import type { OffsetAt, Tally } from './tally.ts';

interface TimeGroup {
  kind: 'time';
  by: TimeDimension;
}

/** Returns the section. */
export function timeSection(group: TimeGroup, options: FiguresOptions, periods: Periods): Section {
  return isRunning(group.by)
    ? runningSection({ kind: 'time', by: group.by }, options, periods)
    : recurringSection(group, options, periods);
}

/** Hours of the day, or weekdays: their averages are compared, because a period has more of some than another. */
function recurringSection(
  group: TimeGroup,
  options: FiguresOptions,
  { current, previous, beginsBeforeData }: Periods,
): Section {
  const { by } = group;
  const scans = countUnits(by, current.tally);
  const scansBefore = previous && countUnits(by, previous.tally);
  const isBeforeData = beginsBeforeData(options.before?.span.sinceMs);
  const daysOf = ({ days }: Period, unit: number) =>
    by === 'hour' ? days.ofHour(unit) : days.ofWeekday(unit);
  const rows = [...everyUnit({ first: 0, last: by === 'hour' ? 23 : 6 })].map((unit) => {
    const counts: Counts = {
      scans: scans.get(unit) ?? 0,
      days: daysOf(current, unit),
      previous: previousScans(previous, scansBefore?.get(unit) ?? 0),
      previousDays: previous ? daysOf(previous, unit) : 0,
      isBeforeData,
    };
    return figure({ by, value: formatUnit(by, unit) }, counts, current.tally.total());
  });
  return { ...group, rows, comparesAverages: true, isApproximate: false };
}

/** Half a century of days. A scan of the year 1 together with today's must not create a row per day between them. */
const MOST_UNITS = 20_000;

/** Days, weeks or months; the first of the range is compared with the first of the previous one. */
function runningSection(
  group: { kind: 'time'; by: RunningUnit },
  options: FiguresOptions,
  { current, previous, beginsBeforeData }: Periods,
): Section {
  const { by } = group;
  const { span, before, timezone, offsetAt, nowMs } = options;
  const units = unitsOf(by, current.tally, span, offsetAt);
  if (units === undefined) return { ...group, rows: [], comparesAverages: false, isApproximate: false };
  const scans = countUnits(by, current.tally);
  const scansBefore = previous ? countUnits(by, previous.tally) : new Map<number, number>();
  const unitsBefore = before && unitsOf(by, before.tally, before.span, offsetAt);
  const shift = (unitsBefore?.first ?? 0) - units.first;
  const endsOf = (unit: number): ClosedSpan => ({
    sinceMs: startOf(by, unit, timezone),
    untilMs: startOf(by, unit + 1, timezone),
  });
  const rows: Figure[] = [];
  let comparesAverages = false;
  const isSparse = units.last - units.first >= MOST_UNITS;
  const counted = () => [...scans.keys(), ...[...scansBefore.keys()].map((unit) => unit - shift)];
  for (const unit of isSparse ? risingWithin(counted(), units) : everyUnit(units)) {
    const ends = endsOf(unit);
    // The first day is compared with the first day: months differ in length.
    const earlier = unitsBefore && unit + shift <= unitsBefore.last ? endsOf(unit + shift) : undefined;
    const within = earlier && intersection(earlier, previous?.part);
    const counts: Counts = {
      scans: scans.get(unit) ?? 0,
      days: daysBetween(intersection(ends, current.part), offsetAt),
      previous: within
        ? previousScans(previous, scansBefore.get(unit + shift) ?? 0, within.sinceMs < within.untilMs)
        : null,
      previousDays: within ? daysBetween(within, offsetAt) : 0,
      isPart: isCut(ends, span, nowMs ?? current.tally.span()?.lastMs),
      isPreviousPart: earlier !== undefined && before !== undefined && isCut(earlier, before.span, undefined),
      isBeforeData:
        earlier !== undefined &&
        beginsBeforeData(Math.max(earlier.sinceMs, before?.span.sinceMs ?? earlier.sinceMs)),
    };
    comparesAverages ||= !counts.isPart && !counts.isPreviousPart && differInLength(counts);
    rows.push(figure({ by, value: formatUnit(by, unit) }, counts, current.tally.total()));
  }
  return { ...group, rows, comparesAverages, isApproximate: false, ...(isSparse && { isSparse }) };
}

function intersection(a: ClosedSpan, b: ClosedSpan | undefined): ClosedSpan {
  if (!b) return { sinceMs: a.sinceMs, untilMs: a.sinceMs };
  return { sinceMs: Math.max(a.sinceMs, b.sinceMs), untilMs: Math.min(a.untilMs, b.untilMs) };
}

function* everyUnit({ first, last }: Units): Generator<number> {
  for (let unit = first; unit <= last; unit++) yield unit;
}

/** The previous range may have a day more. */
function risingWithin(units: readonly number[], { last }: Units): number[] {
  return [...new Set(units)].filter((unit) => unit <= last).sort((a, b) => a - b);
}

function countUnits(by: TimeDimension, tally: Tally): Map<number, number> {
  const counts = new Map<number, number>();
  for (const [hour, scans] of tally.hours) {
    const unit = unitOf(by, hour);
    counts.set(unit, (counts.get(unit) ?? 0) + scans);
  }
  return counts;
}

interface Units {
  first: number;
  last: number;
}

/** Returns the units of a range, including those without scans; undefined if it has neither ends nor scans. */
function unitsOf(by: RunningUnit, tally: Tally, span: Span, offsetAt: OffsetAt): Units | undefined {
  const seen = tally.span();
  const firstMs = span.sinceMs ?? seen?.firstMs;
  const lastMs = span.untilMs === undefined ? (seen?.lastMs ?? firstMs) : span.untilMs - 1;
  if (firstMs === undefined || lastMs === undefined) return undefined;
  const unit = (ms: number) => unitOf(by, Math.floor((ms + offsetAt(ms)) / HOUR_MS));
  return { first: unit(firstMs), last: unit(lastMs) };
}

/** Returns whether the range has only a part of a unit, or the unit is not over. */
function isCut(unit: ClosedSpan, { sinceMs, untilMs }: Span, nowMs: number | undefined): boolean {
  const endMs = Math.min(untilMs ?? Number.POSITIVE_INFINITY, nowMs ?? Number.POSITIVE_INFINITY);
  return endMs < unit.untilMs || (sinceMs !== undefined && sinceMs > unit.sinceMs);
}
