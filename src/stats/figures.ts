/** Turns tallies into rows that add up, for tables, charts and files. */
import { HOUR_MS } from '../time/units.ts';
import { formatUnit, isRunning, type Span, startOf, unitOf } from './calendar.ts';
import { type Dimension, isTimeDimension, type TimeDimension } from './dimensions.ts';
import type { OffsetAt, Tally } from './tally.ts';
import type { Value } from './value-counter.ts';

/** Row of `scans stats` in every format. */
export interface Figure {
  by: Dimension;
  value: Value;
  scans: number;
  /** Fraction of all scans; null where those are too few for a percentage. */
  share: number | null;
  /** Scans in the previous range; null if there is none, or if it lacks such a day. */
  previous: number | null;
  /** Growth as a fraction of `previous`; null if that is too small, or the period is not over. */
  change: number | null;
  /** A period that the range cuts, or one that is not over: its scans are not all. */
  isPart?: true;
  /** The row of all values that have none of their own. */
  isRest?: true;
}

/** The rows of one dimension. */
export interface Section {
  by: Dimension;
  rows: Figure[];
  /** There were too many values to count each: the scans of a row are a minimum, and the remainder is in `other`. */
  isApproximate: boolean;
  /** The range has too many units for a row each: those without scans are left out. */
  isSparse?: true;
}

export interface FiguresOptions {
  current: Tally;
  span: Span;
  /** Comparison: tally and range. */
  before?: { tally: Tally; span: Span } | undefined;
  timezone: string;
  offsetAt: OffsetAt;
  /** Maximum number of rows of a dimension with many values; undefined: all. */
  top: number | undefined;
  /** Requested codes: those without scans have a row as well. */
  codes?: readonly string[] | undefined;
  /** End of the data if the range is open: periods that end later are not finished. */
  nowMs: number | undefined;
}

/** No percentage is made of fewer scans. */
const LEAST_SCANS = 30;

/** Returns the rows of one dimension: times in order, values by their scans. F3: their scans add up to the total, whatever was omitted. */
export function figuresOf(by: Dimension, options: FiguresOptions): Section {
  return isTimeDimension(by) ? timeSection(by, options) : valueRows(by, options);
}

/** Half a century of days. A scan of the year 1 together with today's must not create a row per day between them. */
const MOST_UNITS = 20_000;

function timeSection(by: TimeDimension, options: FiguresOptions): Section {
  const { current, before, span } = options;
  const counts = countUnits(by, current);
  const units = unitsOf(by, current, span, options.offsetAt);
  if (units === undefined) return { by, rows: [], isApproximate: false };
  const earlier = before && {
    counts: countUnits(by, before.tally),
    units: unitsOf(by, before.tally, before.span, options.offsetAt),
  };
  const rows: Figure[] = [];
  const isSparse = units.last - units.first >= MOST_UNITS;
  const shift = (earlier?.units?.first ?? 0) - units.first;
  const counted = () => [...counts.keys(), ...[...(earlier?.counts.keys() ?? [])].map((unit) => unit - shift)];
  for (const unit of isSparse ? risingWithin(counted(), units) : everyUnit(units)) {
    // The first day is compared with the first day: months differ in length.
    const beside = earlier?.units && (isRunning(by) ? unit + shift : unit);
    const hasBefore = earlier?.units !== undefined && beside !== undefined && beside <= earlier.units.last;
    const previous = hasBefore ? (earlier.counts.get(beside) ?? 0) : null;
    const isPart = isRunning(by) && isCut(by, unit, options);
    rows.push(figure({ by, value: formatUnit(by, unit), scans: counts.get(unit) ?? 0, previous, isPart }, current.total()));
  }
  return { by, rows, isApproximate: false, ...(isSparse && { isSparse }) };
}

function* everyUnit({ first, last }: Units): Generator<number> {
  for (let unit = first; unit <= last; unit++) yield unit;
}

function risingWithin(units: readonly number[], { first, last }: Units): number[] {
  return [...new Set(units)].filter((unit) => unit >= first && unit <= last).sort((a, b) => a - b);
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
function unitsOf(by: TimeDimension, tally: Tally, span: Span, offsetAt: OffsetAt): Units | undefined {
  if (by === 'hour') return { first: 0, last: 23 };
  if (by === 'weekday') return { first: 0, last: 6 };
  const seen = tally.span();
  const firstMs = span.sinceMs ?? seen?.firstMs;
  const lastMs = span.untilMs === undefined ? (seen?.lastMs ?? firstMs) : span.untilMs - 1;
  if (firstMs === undefined || lastMs === undefined) return undefined;
  const unit = (ms: number) => unitOf(by, Math.floor((ms + offsetAt(ms)) / HOUR_MS));
  return { first: unit(firstMs), last: unit(lastMs) };
}

/** Returns whether the range has only a part of a unit, or the unit is not over. */
function isCut(by: 'day' | 'week' | 'month', unit: number, { span, timezone, nowMs, current }: FiguresOptions): boolean {
  const begins = startOf(by, unit, timezone);
  const ends = startOf(by, unit + 1, timezone);
  const endMs = Math.min(span.untilMs ?? Number.POSITIVE_INFINITY, nowMs ?? current.span()?.lastMs ?? Number.POSITIVE_INFINITY);
  return endMs < ends || (span.sinceMs !== undefined && span.sinceMs > begins);
}

function valueRows(by: Dimension, { current, before, top, codes = [] }: FiguresOptions): Section {
  const counter = current.values.get(by as 'code');
  const earlier = before?.tally.values.get(by as 'code');
  const isApproximate = (counter?.isApproximate() ?? false) || (earlier?.isApproximate() ?? false);
  const previousOf = new Map(earlier?.counts().map(({ value, scans }) => [value, scans]));
  const scansOf = new Map(counter?.counts().map(({ value, scans }) => [value, scans]));
  const values = [...new Set<Value>([...scansOf.keys(), ...previousOf.keys(), ...(by === 'code' ? codes : [])])]
    .map((value) => ({ value, scans: scansOf.get(value) ?? 0, previous: before ? (previousOf.get(value) ?? 0) : null }))
    .sort((a, b) => b.scans - a.scans || (b.previous ?? 0) - (a.previous ?? 0) || compareValues(a.value, b.value));
  // A line for a single value would be no shorter than the value itself.
  const shown = top === undefined || values.length <= top + 1 ? values : values.slice(0, top);
  const rows = shown.map((row) => figure({ by, ...row }, current.total()));
  const sum = (key: 'scans' | 'previous') => shown.reduce((all, row) => all + (row[key] ?? 0), 0);
  const rest = { scans: current.total() - sum('scans'), previous: before ? before.tally.total() - sum('previous') : null };
  // F3: scans without a row of their own, or whose value is uncertain, are in the last row.
  if (rest.scans > 0 || (rest.previous ?? 0) > 0) {
    rows.push({ ...figure({ by, value: 'other', ...rest }, current.total()), isRest: true });
  }
  return { by, rows, isApproximate };
}

function compareValues(a: Value, b: Value): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  return a < b ? -1 : 1;
}

type Counted = Pick<Figure, 'by' | 'value' | 'scans' | 'previous'> & { isPart?: boolean };

function figure({ by, value, scans, previous, isPart = false }: Counted, total: number): Figure {
  return {
    ...{ by, value, scans },
    share: total < LEAST_SCANS ? null : fraction(scans, total),
    previous,
    change: isPart ? null : changeOf(scans, previous),
    ...(isPart ? { isPart } : {}),
  };
}

/** Returns the growth as a fraction; null if it is based on too few scans. */
export function changeOf(scans: number, previous: number | null): number | null {
  return previous === null || previous < LEAST_SCANS ? null : fraction(scans - previous, previous);
}

/** To a millionth: further digits are noise. */
function fraction(part: number, whole: number): number {
  return Math.round((part / whole) * 1e6) / 1e6;
}
