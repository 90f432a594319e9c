/** Determines the range that a range is compared with. */
import { periodOfRange, periodYearBefore, previousPeriod } from '../../base/time/periods.ts';
import { type ClosedSpan, zoned } from './calendar.ts';

export type { ClosedSpan } from './calendar.ts';

export const COMPARISONS = ['previous', 'year', 'none'] as const;
export type Comparison = (typeof COMPARISONS)[number];

/**
 * Returns the range before `span`: the previous calendar unit, as many whole days, or the same duration. With `year`, the
 * same range a year earlier. If `span` ends after `nowMs`, the range is cut to the part that has elapsed.
 */
export function spanBefore(
  span: ClosedSpan,
  comparison: Exclude<Comparison, 'none'>,
  timezone: string,
  nowMs: number,
): ClosedSpan {
  const whole = wholeBefore(span, comparison === 'year', timezone);
  if (nowMs >= span.untilMs || nowMs <= span.sinceMs) return whole;
  // By local time: the part up to noon on the 22nd is compared with the same part of the earlier period, regardless of clock changes.
  const passed = zoned(span.sinceMs, timezone).until(zoned(nowMs, timezone), { largestUnit: 'days' });
  const endMs = zoned(whole.sinceMs, timezone).add(passed).epochMilliseconds;
  return { sinceMs: whole.sinceMs, untilMs: Math.min(whole.untilMs, endMs) };
}

function wholeBefore(span: ClosedSpan, isYear: boolean, timezone: string): ClosedSpan {
  const { sinceMs, untilMs } = span;
  const period = periodOfRange(span, timezone);
  if (period) {
    const before = isYear ? periodYearBefore(period) : previousPeriod(period);
    return { sinceMs: before.sinceMs, untilMs: before.untilMs };
  }
  const since = zoned(sinceMs, timezone);
  const until = zoned(untilMs, timezone);
  if (isYear) {
    const yearBefore = (time: typeof since) => time.subtract({ years: 1 }).epochMilliseconds;
    return { sinceMs: yearBefore(since), untilMs: yearBefore(until) };
  }
  const areWholeDays = [since, until].every(
    (time) => time.startOfDay().epochMilliseconds === time.epochMilliseconds,
  );
  if (!areWholeDays) return { sinceMs: sinceMs - (untilMs - sinceMs), untilMs: sinceMs };
  const { days } = since.toPlainDate().until(until.toPlainDate());
  return { sinceMs: since.subtract({ days }).epochMilliseconds, untilMs: sinceMs };
}
