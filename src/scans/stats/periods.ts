/** The two periods that figures compare: their parts that the data covers, and the days of these. */
import type { Span } from './calendar.ts';
import type { CodeGroup } from './code-groups.ts';
import type { CodeName } from './code-of-scans.ts';
import type { ClosedSpan } from './compare-span.ts';
import { ALL_COVERED, coveredPart, type DataPart, isCovered, type Zone } from './data-part.ts';
import { countDays, type DayCounts } from './day-counts.ts';
import type { Tally } from './tally.ts';

export interface FiguresOptions extends Zone {
  current: Tally;
  span: Span;
  /** Comparison: tally and range. */
  before?: { tally: Tally; span: Span } | undefined;
  /** Time that the data covers; all of it if omitted. */
  data?: DataPart | undefined;
  /** Maximum number of rows of a dimension with many values; undefined: all. */
  top: number | undefined;
  /** Keys of the requested codes: those without scans have a row as well. */
  codes?: readonly string[] | undefined;
  /** Names of codes by their keys, as far as they are known. */
  names?: ReadonlyMap<string, CodeName> | undefined;
  /** Groups of codes, by their names. */
  codeGroups?: ReadonlyMap<string, CodeGroup> | undefined;
  /** End of the data if the range is open: periods that end later are not finished. */
  nowMs: number | undefined;
}

/** One of the two periods. */
export interface Period {
  tally: Tally;
  /** Part that the data covers; undefined if it covers nothing. */
  part: ClosedSpan | undefined;
  days: DayCounts;
}

export interface Periods {
  current: Period;
  previous: Period | undefined;
  /** The previous period, or the given part of it, begins before the data. */
  beginsBeforeData(sinceMs: number | undefined): boolean;
}

const NO_DAYS: DayCounts = { all: 0, ofWeekday: () => 0, ofHour: () => 0, ofHourOnWeekday: () => 0 };

/** Returns the periods of a comparison, or of a range alone. */
export function periodsOf({
  current,
  span,
  before,
  data = ALL_COVERED,
  nowMs,
  timezone,
  offsetAt,
}: FiguresOptions): Periods {
  const periodOf = (tally: Tally, span: Span): Period => {
    const part = coveredPart(span, { tally, data, nowMs, timezone, offsetAt });
    return { tally, part, days: part ? countDays(part, offsetAt) : NO_DAYS };
  };
  return {
    current: periodOf(current, span),
    previous: before && periodOf(before.tally, before.span),
    beginsBeforeData: (sinceMs) => !isCovered({ sinceMs, untilMs: undefined }, data),
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
