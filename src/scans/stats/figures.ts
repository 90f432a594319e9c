import { sum } from '#base/collections';
import {
  type ClosedSpan,
  countDays,
  DAYS_A_WEEK,
  formatUnit,
  HOURS_A_DAY,
  isRunning,
  localHour,
  type OffsetAt,
  type RunningUnit,
  type Span,
  startOf,
  unitOf,
} from './calendar.ts';
import type { GroupBy, TimeDimension } from './dimensions.ts';
import {
  average,
  type Counts,
  compare,
  differInLength,
  type Figure,
  type FiguresOptions,
  figure,
  type Periods,
  periodsOf,
  previousScans,
  type Section,
} from './figure.ts';
import type { Tally } from './tally.ts';
import type { Value } from './value-counter.ts';

export type { Figure, FiguresOptions, Section } from './figure.ts';

/** F3: returns rows whose scans add up to the total. */
export function figuresOf(group: GroupBy, options: FiguresOptions): Section {
  const periods = periodsOf(options);
  if (group.kind !== 'time') return valueSection(group, options, periods);
  const { by } = group;
  return isRunning(by) ? runningSection(by, options, periods) : recurringSection(by, periods);
}

export type Total = ReturnType<typeof totalOf>;

export function totalOf(options: FiguresOptions) {
  const { current, previous, countsOf } = periodsOf(options);
  const counts = countsOf(current.tally.total(), previous?.tally.total());
  return { ...compare(counts), comparesAverages: differInLength(counts) };
}

export type HourOfWeekday = Pick<Figure, 'scans' | 'perDay'>;

export function hoursByWeekday(options: FiguresOptions): HourOfWeekday[][] {
  const { tally, days } = periodsOf(options).current;
  const counts = Array.from({ length: DAYS_A_WEEK }, () => new Array<number>(HOURS_A_DAY).fill(0));
  for (const [hour, scans] of tally.hours) {
    const row = counts[unitOf('weekday', hour)] ?? [];
    const at = unitOf('hour', hour);
    row[at] = (row[at] ?? 0) + scans;
  }
  return counts.map((row, weekday) =>
    row.map((scans, hour) => ({ scans, perDay: average(scans, days.ofHourOnWeekday(weekday, hour)) })),
  );
}

/** Compares hours or weekdays by average, because one period may have more Mondays. */
function recurringSection(
  by: Exclude<TimeDimension, RunningUnit>,
  { current, previous, countsOf }: Periods,
): Section {
  const scans = countUnits(by, current.tally);
  const scansBefore = previous && countUnits(by, previous.tally);
  const length = by === 'hour' ? HOURS_A_DAY : DAYS_A_WEEK;
  const rows = Array.from({ length }, (_, unit) => {
    const counts = countsOf(scans.get(unit) ?? 0, scansBefore?.get(unit), (days) =>
      by === 'hour' ? days.ofHour(unit) : days.ofWeekday(unit),
    );
    return figure({ by, value: formatUnit(by, unit) }, counts, current.tally.total());
  });
  return { kind: 'time', by, rows, comparesAverages: true, isApproximate: false };
}

/** Maximum number of units to list including empty ones, because a scan may be dated in year 1. */
const MOST_UNITS = 20_000;

function runningSection(
  by: RunningUnit,
  options: FiguresOptions,
  { current, previous, beginsBeforeData }: Periods,
): Section {
  const { span, before, zone, offsetMs, nowMs = current.tally.span()?.lastMs } = options;
  const units = unitsOf(by, current.tally, span, offsetMs);
  const group = { kind: 'time', by, isApproximate: false } as const;
  if (units === undefined) return { ...group, rows: [], comparesAverages: false };
  const scans = countUnits(by, current.tally);
  const scansBefore = previous ? countUnits(by, previous.tally) : new Map<number, number>();
  const unitsBefore = before && unitsOf(by, before.tally, before.span, offsetMs);
  const shift = (unitsBefore?.first ?? 0) - units.first;
  const endsOf = (unit: number): ClosedSpan => ({
    sinceMs: startOf(by, unit, zone),
    untilMs: startOf(by, unit + 1, zone),
  });
  const daysIn = (part: ClosedSpan) => countDays(part, offsetMs).all;
  const rows: Figure[] = [];
  let comparesAverages = false;
  const isSparse = units.last - units.first >= MOST_UNITS;
  const counted = () => [...scans.keys(), ...[...scansBefore.keys()].map((unit) => unit - shift)];
  const shown = isSparse
    ? [...new Set(counted())].filter((unit) => unit <= units.last).sort((a, b) => a - b)
    : Array.from({ length: units.last - units.first + 1 }, (_, at) => units.first + at);
  for (const unit of shown) {
    const ends = endsOf(unit);
    const earlier = unitsBefore && unit + shift <= unitsBefore.last ? endsOf(unit + shift) : undefined;
    const within = earlier && intersection(earlier, previous?.part);
    const counts: Counts = {
      scans: scans.get(unit) ?? 0,
      days: daysIn(intersection(ends, current.part)),
      previous: within
        ? previousScans(previous, scansBefore.get(unit + shift), within.sinceMs < within.untilMs)
        : null,
      previousDays: within ? daysIn(within) : 0,
      isPart: isCut(ends, span, nowMs),
      isPreviousPart: earlier !== undefined && before !== undefined && isCut(earlier, before.span, undefined),
      isBeforeData:
        earlier !== undefined &&
        beginsBeforeData(Math.max(earlier.sinceMs, before?.span.sinceMs ?? earlier.sinceMs)),
    };
    comparesAverages ||= !counts.isPart && !counts.isPreviousPart && differInLength(counts);
    rows.push(figure({ by, value: formatUnit(by, unit) }, counts, current.tally.total()));
  }
  return { ...group, rows, comparesAverages, ...(isSparse && { isSparse }) };
}

function intersection(a: ClosedSpan, b: ClosedSpan | undefined): ClosedSpan {
  if (!b) return { sinceMs: a.sinceMs, untilMs: a.sinceMs };
  return { sinceMs: Math.max(a.sinceMs, b.sinceMs), untilMs: Math.min(a.untilMs, b.untilMs) };
}

type Units = Record<'first' | 'last', number>;

function countUnits(by: TimeDimension, tally: Tally): Map<number, number> {
  const counts = new Map<number, number>();
  for (const [hour, scans] of tally.hours) {
    const unit = unitOf(by, hour);
    counts.set(unit, (counts.get(unit) ?? 0) + scans);
  }
  return counts;
}

function unitsOf(by: RunningUnit, tally: Tally, span: Span, offsetMs: OffsetAt): Units | undefined {
  const seen = tally.span();
  const firstMs = span.sinceMs ?? seen?.firstMs;
  const lastMs = span.untilMs === undefined ? (seen?.lastMs ?? firstMs) : span.untilMs - 1;
  if (firstMs === undefined || lastMs === undefined) return undefined;
  const unit = (ms: number) => unitOf(by, localHour(ms, offsetMs));
  return { first: unit(firstMs), last: unit(lastMs) };
}

function isCut(unit: ClosedSpan, { sinceMs, untilMs }: Span, nowMs: number | undefined): boolean {
  const endMs = Math.min(untilMs ?? Infinity, nowMs ?? Infinity);
  return endMs < unit.untilMs || (sinceMs !== undefined && sinceMs > unit.sinceMs);
}

function valueSection(
  group: Exclude<GroupBy, { kind: 'time' }>,
  { current: tally, before, top, codes = [], names, data, codeGroups }: FiguresOptions,
  { countsOf }: Periods,
): Section {
  const { by } = group;
  const isCode = group.kind === 'code';
  const counter = tally.values.get(by);
  const earlier = before?.tally.values.get(by);
  const scansOf = new Map(counter?.counts());
  const scansBefore = new Map(earlier?.counts());
  const ofCodes = codeGroups?.get(by);
  const requested = isCode ? codes : (ofCodes?.beginsMs.keys() ?? []);
  const values = [...new Set<Value>([...scansOf.keys(), ...scansBefore.keys(), ...requested])]
    .map((key) => {
      const known = isCode ? names?.get(key ?? '') : undefined;
      const { value, name } = known ?? { value: key, name: undefined };
      return { key, value, name, scans: scansOf.get(key) ?? 0, before: scansBefore.get(key) ?? 0 };
    })
    .sort((a, b) => b.scans - a.scans || b.before - a.before || compareValues(a.value, b.value));
  // Shows a single remaining value, because a row `other` would save nothing.
  const shown = values.slice(0, values.length - 1 === top ? undefined : top);
  const fromMs = before?.span.sinceMs;
  const isNew = (key: Value) => {
    const createdMs = isCode ? data?.ofCode?.get(key ?? '') : ofCodes?.beginsMs.get(key);
    return createdMs !== undefined && fromMs !== undefined && createdMs > fromMs;
  };
  const rows = shown.map(({ key, value, name, ...row }) => {
    const counts = countsOf(row.scans, row.before);
    const isBeforeData = counts.isBeforeData || isNew(key);
    return figure({ by, value, name }, { ...counts, isBeforeData }, tally.total());
  });
  const rest = tally.total() - sum(shown.map(({ scans }) => scans));
  const restBefore = (before?.tally.total() ?? 0) - sum(shown.map((row) => row.before));
  // F3: the last row has all other values, and scans whose value is uncertain.
  if (rest > 0 || restBefore > 0)
    rows.push(figure({ by, value: 'other', isRest: true }, countsOf(rest, restBefore), tally.total()));
  return {
    ...group,
    rows,
    comparesAverages: differInLength(countsOf(0, 0)),
    isApproximate: [counter, earlier].some((each) => each?.isApproximate()),
    ...(ofCodes && { noneIs: ofCodes.noneIs }),
  };
}

function compareValues(a: Value, b: Value): number {
  if (a === null) return 1;
  if (b === null) return -1;
  return a < b ? -1 : 1;
}
