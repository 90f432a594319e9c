/** The range that a range is compared with. */
import { periodOfRange, periodYearBefore, previousPeriod } from '../time/periods.ts';
import { type Span, zoned } from './calendar.ts';

/** What `--compare` takes. */
export const COMPARISONS = ['previous', 'year', 'none'] as const;
export type Comparison = (typeof COMPARISONS)[number];

/** A range with both ends, ms since the epoch. */
export interface ClosedSpan extends Span {
  sinceMs: number;
  untilMs: number;
}

/**
 * The range before `span`: of a unit of the calendar the one before; of whole days as many days; else as long a time. With `year` the
 * same a year earlier. Where `span` ends after `nowMs`, as much of the other as has passed of it.
 */
export function spanBefore(
  span: ClosedSpan,
  comparison: Exclude<Comparison, 'none'>,
  timezone: string,
  nowMs: number,
): ClosedSpan {
  const whole = wholeBefore(span, comparison, timezone);
  if (nowMs >= span.untilMs || nowMs <= span.sinceMs) return whole;
  // By the clock on the wall: what has passed until the 22nd at noon is compared with what had passed then, whenever clocks changed.
  const passed = zoned(span.sinceMs, timezone).until(zoned(nowMs, timezone), { largestUnit: 'days' });
  const endMs = zoned(whole.sinceMs, timezone).add(passed).epochMilliseconds;
  return { sinceMs: whole.sinceMs, untilMs: Math.min(whole.untilMs, endMs) };
}

function wholeBefore({ sinceMs, untilMs }: ClosedSpan, comparison: Exclude<Comparison, 'none'>, timezone: string): ClosedSpan {
  const period = periodOfRange({ sinceMs, untilMs }, timezone);
  if (period) {
    const { sinceMs, untilMs } = comparison === 'year' ? periodYearBefore(period) : previousPeriod(period);
    return { sinceMs, untilMs };
  }
  const [since, until] = [zoned(sinceMs, timezone), zoned(untilMs, timezone)];
  if (comparison === 'year') {
    const [from, to] = [since, until].map((time) => time.subtract({ years: 1 }).epochMilliseconds) as [number, number];
    return { sinceMs: from, untilMs: to };
  }
  const areWholeDays = [since, until].every((time) => time.startOfDay().epochMilliseconds === time.epochMilliseconds);
  if (!areWholeDays) return { sinceMs: sinceMs - (untilMs - sinceMs), untilMs: sinceMs };
  const { days } = since.toPlainDate().until(until.toPlainDate());
  return { sinceMs: since.subtract({ days }).epochMilliseconds, untilMs: sinceMs };
}
