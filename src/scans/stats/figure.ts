/** The two periods that figures compare, and one row of figures: its share, averages per day and change, each only if it means something. */

import type { CodeLabel } from '../export/export-codes.ts';
import { type ClosedSpan, countDays, type DayCounts, type Span, type Zone } from './calendar.ts';
import type { CodeGroup } from './code-groups.ts';
import type { CodeName } from './code-of-scans.ts';
import type { NoneIs } from './code-table.ts';
import type { Coverage } from './coverage.ts';
import { ALL_COVERED, coveredPart, type DataPart, isCovered } from './data-part.ts';
import type { GroupBy } from './dimensions.ts';
import type { Tally } from './tally.ts';
import type { Value } from './value-counter.ts';

export interface Compared {
  scans: number;
  /** Average number of scans per day; null if nothing of the period is covered by the data. */
  perDay: number | null;
  /** Scans in the previous period; null if there is none, if it lacks such a unit, or if all of it is before the data. */
  previous: number | null;
  previousPerDay: number | null;
  /** Growth as a fraction, of the averages if the periods differ in length; null if it would mislead (F16). */
  change: number | null;
  /** The previous period begins before the data: `previous` may be too low. */
  isBeforeData?: true;
}

export interface Figure extends Compared {
  by: string;
  value: Value;
  /** Fraction of all scans; null if they are too few for a percentage. */
  share: number | null;
  name: string | null;
  isPart?: true;
  /** The row of all values that have none of their own. */
  isRest?: true;
}

export type Section = GroupBy & {
  rows: Figure[];
  /** Changes are those of the averages per day, because the periods differ in length. */
  comparesAverages: boolean;
  /** Why codes have no value, if counted by a group of codes. */
  noneIs?: NoneIs;
  /** There were too many values to count each: the scans of a row are a minimum, and the remainder is in `other`. */
  isApproximate: boolean;
  /** The range has too many units for a row each: those without scans are omitted. */
  isSparse?: true;
};

const LEAST_SCANS = 30;
/** Difference in days up to which periods are equally long: a count takes some time, and ends a period that is not over. */
const SAME_LENGTH = 5 / (24 * 60);

export interface Counts {
  scans: number;
  days: number;
  previous: number | null;
  previousDays: number;
  /** The range cuts the period, or it is not over. */
  isPart?: boolean;
  isPreviousPart?: boolean;
  isBeforeData?: boolean;
}

/** F17: returns whether averages are compared, because the periods differ in length. */
export function differInLength({ days, previous, previousDays }: Omit<Counts, 'scans'>): boolean {
  return previous !== null && Math.abs(days - previousDays) > SAME_LENGTH;
}

/** Compares two periods. F16: the change is null if the previous period begins before the data, or one of both is cut or has few scans. */
export function compare(counts: Counts): Compared {
  const { scans, days, previous, previousDays, isPart, isPreviousPart, isBeforeData } = counts;
  const [weight, previousWeight] = differInLength(counts) ? [days, previousDays] : [1, 1];
  const isWhole = !isPart && !isPreviousPart && !isBeforeData && weight > 0 && previousWeight > 0;
  const isMeaningful = isWhole && previous !== null && Math.min(scans, previous) >= LEAST_SCANS;
  return {
    scans,
    perDay: average(scans, days),
    previous,
    previousPerDay: previous === null ? null : average(previous, previousDays),
    change: isMeaningful ? fraction(scans * previousWeight - previous * weight, previous * weight) : null,
    ...(isBeforeData && { isBeforeData }),
  };
}

/** Returns the row of a value; `total`: all scans of the range. */
export function figure(
  {
    by,
    value,
    name = null,
    isRest,
  }: Pick<Figure, 'by' | 'value' | 'isRest'> & { name?: string | undefined | null },
  counts: Counts,
  total: number,
): Figure {
  return {
    by,
    value,
    name,
    share: total < LEAST_SCANS ? null : fraction(counts.scans, total),
    ...compare(counts),
    ...(counts.isPart && { isPart: true }),
    ...(isRest && { isRest }),
  };
}

/** Returns an average per day; null without days. */
export function average(scans: number, days: number): number | null {
  return days > 0 ? fraction(scans, days) : null;
}

function fraction(part: number, whole: number): number {
  return Math.round((part / whole) * 1e6) / 1e6;
}

export interface FiguresOptions extends Zone, Partial<Pick<Counted, 'data' | 'names' | 'codeGroups'>> {
  current: Tally;
  span: Span;
  before?: { tally: Tally; span: Span } | undefined;
  /** Maximum number of rows of a dimension with many values; undefined: all. */
  top: number | undefined;
  /** Keys of the requested codes: those without scans have a row as well. */
  codes?: readonly string[] | undefined;
  /** End of the data if the range is open: periods that end later are not finished. */
  nowMs: number | undefined;
}

export interface Period {
  tally: Tally;
  part: ClosedSpan | undefined;
  days: DayCounts;
}

export interface Periods {
  current: Period;
  previous: Period | undefined;
  /** Returns whether the previous period, or the given part of it, begins before the data. */
  beginsBeforeData(sinceMs: number | undefined): boolean;
}

const NO_DAYS: DayCounts = { all: 0, ofWeekday: () => 0, ofHour: () => 0, ofHourOnWeekday: () => 0 };

/** Returns the periods of a comparison, or of a range alone. */
export function periodsOf(options: FiguresOptions): Periods {
  const { current, span, before, data = ALL_COVERED, nowMs, timezone, offsetAt } = options;
  const periodOf = (tally: Tally, span: Span): Period => {
    const part = coveredPart(span, { tally, data, nowMs, timezone, offsetAt });
    return { tally, part, days: part ? countDays(part, offsetAt) : NO_DAYS };
  };
  return {
    current: periodOf(current, span),
    previous: before && periodOf(before.tally, before.span),
    beginsBeforeData: (sinceMs) => !isCovered({ sinceMs }, data),
  };
}

/** Returns the scans of a previous period; null if there is none, or if all of it is before the data: what was not looked at is not zero. */
export function previousScans(
  previous: Period | undefined,
  scans: number,
  isCovered = previous?.part !== undefined,
): number | null {
  return scans === 0 && !isCovered ? null : scans;
}

export interface Counted {
  current: Tally;
  span: Span;
  /** The range it is compared with; `isCovered`: it does not begin before the data. */
  before: { tally: Tally; span: Span; isCovered: boolean } | undefined;
  data: DataPart;
  codes: readonly CodeLabel[] | undefined;
  names: ReadonlyMap<string, CodeName>;
  codeGroups: ReadonlyMap<string, CodeGroup>;
  /** Coverage of the range by the files; undefined for the service, which covers all of it. */
  coverage: Coverage | undefined;
  /** Best estimate of the time of the count, ms since the epoch: periods that end later are not over. */
  nowMs: number;
}
