import { type Span, zoned } from '../stats/calendar.ts';
import { BASELINE_WEEKS } from './normal-range.ts';

/** Instants in ms since the epoch, rising. */
export interface Windows {
  startMs: number;
  middleMs: number;
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

export function spanOf({ startMs, endMs }: Windows): Span {
  return { sinceMs: startMs, untilMs: endMs };
}
