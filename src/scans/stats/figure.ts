import type { CodeFailure, CodeLabel } from '#scans/export/export-codes';
import { type ClosedSpan, countDays, type DayCounts, type Span, type Zone } from './calendar.ts';
import type { CodeName } from './code-of-scans.ts';
import type { NoneIs } from './code-table.ts';
import { type Coverage, coveredPart, type DataPart, isCovered } from './coverage.ts';
import type { GroupBy } from './dimensions.ts';
import type { CodeGroups } from './filters.ts';
import type { Tally } from './tally.ts';
import type { Value } from './value-counter.ts';

export interface Compared {
  scans: number;
  /** Average per day; null if the data covers none of the period. */
  perDay: number | null;
  /** Scans in the previous period or unit; null if there is none, or if it has no data. */
  previous: number | null;
  previousPerDay: number | null;
  /** Change as a fraction. Compares averages if lengths differ; null if misleading (F16). */
  change: number | null;
  /** Set if `previous` may be too low: the data begins later. */
  isBeforeData?: true;
}

export interface Figure extends Compared {
  by: string;
  value: Value;
  /** Fraction of the total; null if there are too few scans. */
  share: number | null;
  name: string | null;
  destination?: string;
  by2?: string;
  value2?: Value;
  isPart?: true;
  isRest?: true;
}

export type Section = GroupBy & {
  rows: Figure[];
  comparesAverages: boolean;
  noneIs?: NoneIs;
  isApproximate: boolean;
  isSparse?: true;
};

const LEAST_SCANS = 30;
/** Maximum difference in days between periods of equal length, because counting takes time. */
const SAME_LENGTH = 5 / (24 * 60);

export interface Counts {
  scans: number;
  days: number;
  previous: number | null;
  previousDays: number;
  isPart?: boolean;
  isPreviousPart?: boolean;
  isBeforeData?: boolean;
}

/** F17: returns whether periods differ in length, so that averages must be compared. */
export function differInLength({ days, previous, previousDays }: Omit<Counts, 'scans'>): boolean {
  return previous !== null && Math.abs(days - previousDays) > SAME_LENGTH;
}

/** F16: compares counts. The change is null for few scans, incomplete periods and periods before the data. */
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

export function figure(
  { by, value, name, isRest }: Pick<Figure, 'by' | 'value' | 'isRest'> & { name?: string },
  counts: Counts,
  total: number,
): Figure {
  return {
    by,
    value,
    name: name ?? null,
    share: total < LEAST_SCANS ? null : fraction(counts.scans, total),
    ...compare(counts),
    ...(counts.isPart && { isPart: true }),
    ...(isRest && { isRest }),
  };
}

export function average(scans: number, days: number): number | null {
  return days > 0 ? fraction(scans, days) : null;
}

function fraction(part: number, whole: number): number {
  return Math.round((part / whole) * 1e6) / 1e6;
}

export interface FiguresOptions extends Zone, Partial<Pick<Counted, 'data' | 'names' | 'codeGroups'>> {
  current: Tally;
  span: Span;
  before?: { tally: Tally; span: Span };
  top?: number;
  /** IDs of the codes that get a row even without scans. */
  codes?: readonly string[];
  nowMs?: number;
}

interface Period {
  tally: Tally;
  part?: ClosedSpan;
  days: DayCounts;
}

export type Periods = ReturnType<typeof periodsOf>;

const NO_DAYS: DayCounts = { all: 0, ofWeekday: () => 0, ofHour: () => 0, ofHourOnWeekday: () => 0 };

export function periodsOf(options: FiguresOptions) {
  const { current, span, before, data = {} } = options;
  const periodOf = (tally: Tally, span: Span): Period => {
    const part = coveredPart(span, { ...options, tally, data });
    return { tally, part, days: part ? countDays(part, options.offsetMs) : NO_DAYS };
  };
  const period = periodOf(current, span);
  const previous = before && periodOf(before.tally, before.span);
  const beginsBeforeData = (sinceMs: number | undefined) => !isCovered({ sinceMs }, data);
  return {
    current: period,
    previous,
    beginsBeforeData,
    countsOf: (
      scans: number,
      scansBefore: number | undefined,
      daysOf = ({ all }: DayCounts) => all,
    ): Counts => ({
      scans,
      days: daysOf(period.days),
      previous: previousScans(previous, scansBefore),
      previousDays: previous ? daysOf(previous.days) : 0,
      isBeforeData: beginsBeforeData(before?.span.sinceMs),
    }),
  };
}

export function previousScans(
  previous: Period | undefined,
  scans = 0,
  isCovered = previous?.part !== undefined,
): number | null {
  return scans === 0 && !isCovered ? null : scans;
}

export interface Counted {
  current: Tally;
  span: Span;
  before?: { tally: Tally; span: ClosedSpan; isCovered: boolean };
  data: DataPart;
  codes?: readonly CodeLabel[];
  failures: readonly CodeFailure[];
  names: ReadonlyMap<string, CodeName>;
  codeGroups: CodeGroups;
  coverage?: Coverage;
  /** Time of the count. Periods that end later are not over. */
  nowMs: number;
}
