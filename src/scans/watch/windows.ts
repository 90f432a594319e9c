/** The weeks that a code is judged by: they end at one instant for all codes of a run. */
import { type Span, zoned } from '../stats/calendar.ts';
import { BASELINE_WEEKS } from './normal-range.ts';

/** Instants in ms since the epoch, rising. */
export interface Windows {
  /** Start of the eight weeks before the last seven days. */
  startMs: number;
  /** Middle of the eight weeks. */
  middleMs: number;
  /** Start of the last seven days. */
  weekMs: number;
  endMs: number;
}

/** Returns the windows up to `endMs`. W6: they begin at the same local time, so that each has every hour of every weekday equally often. */
export function windowsUntil(endMs: number, timezone: string): Windows {
  const end = zoned(endMs, timezone);
  const before = (weeks: number) => end.subtract({ weeks }).epochMilliseconds;
  return {
    startMs: before(1 + BASELINE_WEEKS),
    middleMs: before(1 + BASELINE_WEEKS / 2),
    weekMs: before(1),
    endMs,
  };
}

/** The nine weeks as a range. */
export function spanOf({ startMs, endMs }: Windows): Span {
  return { sinceMs: startMs, untilMs: endMs };
}
