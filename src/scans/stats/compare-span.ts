/** Determines the range that a range is compared with. */
import { periodOfRange, periodYearBefore, previousPeriod } from '../../base/time/periods.ts';
import { type Span, zoned } from './calendar.ts';

/** Values of `--compare`. */
export const COMPARISONS = ['previous', 'year', 'none'] as const;
export type Comparison = (typeof COMPARISONS)[number];

/** Range with both ends, ms since the epoch. */
export interface ClosedSpan extends Span {
  sinceMs: number;
  untilMs: number;
}

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
  const whole = wholeBefore(span, comparison, timezone);
  if (nowMs >= span.untilMs || nowMs <= span.sinceMs) return whole;
  // By local time: the part up to noon on the 22nd is compared with the same part of the earlier period, regardless of clock changes.
  const passed = zoned(span.sinceMs, timezone).until(zoned(nowMs, timezone), { largestUnit: 'days' });
  const endMs = zoned(whole.sinceMs, timezone).add(passed).epochMilliseconds;
  return { sinceMs: whole.sinceMs, untilMs: Math.min(whole.untilMs, endMs) };
}

function wholeBefore(
  { sinceMs, untilMs }: ClosedSpan,
  comparison: Exclude<Comparison, 'none'>,
  timezone: string,
): ClosedSpan {
  const period = periodOfRange({ sinceMs, untilMs }, timezone);
  if (period) {
    const { sinceMs, untilMs } = comparison === 'year' ? periodYearBefore(period) : previousPeriod(period);
    return { sinceMs, untilMs };
  }
  const [since, until] = [zoned(sinceMs, timezone), zoned(untilMs, timezone)];
  if (comparison === 'year') {
    const [from, to] = [since, until].map((time) => time.subtract({ years: 1 }).epochMilliseconds) as [
      number,
      number,
    ];
    return { sinceMs: from, untilMs: to };
  }
  const areWholeDays = [since, until].every(
    (time) => time.startOfDay().epochMilliseconds === time.epochMilliseconds,
  );
  if (!areWholeDays) return { sinceMs: sinceMs - (untilMs - sinceMs), untilMs: sinceMs };
  const { days } = since.toPlainDate().until(until.toPlainDate());
  return { sinceMs: since.subtract({ days }).epochMilliseconds, untilMs: sinceMs };
}
