/** One row of figures: its share, its averages per day, and its change, each only if it means something. */
import type { NoneIs } from './code-groups.ts';
import type { GroupBy } from './dimensions.ts';
import type { Value } from './value-counter.ts';

/** Scans of a period beside those of the previous one. */
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

/** Row of `scans stats` in every format. */
export interface Figure extends Compared {
  by: string;
  value: Value;
  /** Fraction of all scans; null where those are too few for a percentage. */
  share: number | null;
  /** Name of the code, if counted by code and known. */
  name: string | null;
  /** A period that the range cuts, or one that is not over: its scans are not all. */
  isPart?: true;
  /** The row of all values that have none of their own. */
  isRest?: true;
}

/** The rows of one dimension. */
export type Section = GroupBy & {
  rows: Figure[];
  /** Changes are those of the averages per day, because the periods differ in length. */
  comparesAverages: boolean;
  /** Why codes have no value, if counted by a group of codes. */
  noneIs?: NoneIs;
  /** There were too many values to count each: the scans of a row are a minimum, and the remainder is in `other`. */
  isApproximate: boolean;
  /** The range has too many units for a row each: those without scans are left out. */
  isSparse?: true;
};

/** No percentage is made of fewer scans. */
const LEAST_SCANS = 30;
/** Periods whose lengths differ by less, in days, are equally long: a count takes some time, and ends a period that is not over. */
const SAME_LENGTH = 5 / (24 * 60);

/** Counts of a period and of the previous one, with their days. */
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
  const isWhole = !isPart && !isPreviousPart && !isBeforeData;
  const isMeaningful = isWhole && previous !== null && Math.min(scans, previous) >= LEAST_SCANS;
  const [weight, previousWeight] = differInLength(counts) ? [days, previousDays] : [1, 1];
  const canDivide = weight > 0 && previousWeight > 0;
  return {
    scans,
    perDay: average(scans, days),
    previous,
    previousPerDay: previous === null ? null : average(previous, previousDays),
    change:
      isMeaningful && canDivide
        ? fraction(scans * previousWeight - previous * weight, previous * weight)
        : null,
    ...(isBeforeData && { isBeforeData }),
  };
}

/** Returns the row of a value; `total`: all scans of the range. */
export function figure(
  row: Pick<Figure, 'by' | 'value' | 'isRest'> & { name?: string | undefined },
  counts: Counts,
  total: number,
): Figure {
  return {
    ...{ by: row.by, value: row.value, name: row.name ?? null },
    share: total < LEAST_SCANS ? null : fraction(counts.scans, total),
    ...compare(counts),
    ...(counts.isPart && { isPart: true }),
    ...(row.isRest && { isRest: true }),
  };
}

/** Returns an average per day; null without days. */
export function average(scans: number, days: number): number | null {
  return days > 0 ? fraction(scans, days) : null;
}

/** To a millionth: further digits are noise. */
function fraction(part: number, whole: number): number {
  return Math.round((part / whole) * 1e6) / 1e6;
}
