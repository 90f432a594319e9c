import { UsageError } from '#base/errors';
import { chooseTimeZone, timeZoneToShow } from '#base/time/time-zone';
import type { Context } from '#context';
import { inGroup, text, type Values } from './define.ts';

export const RANGE_FLAGS = 'Range flags:';

export const rangeOptions = inGroup(RANGE_FLAGS, {
  since: text('--since <time>', 'Include only scans at or after TIME'),
  until: text('--until <time>', 'Include only scans before TIME'),
  during: text('--during <period>', 'Include only PERIOD, such as 2026-10, last-month', {
    conflicts: ['--since', '--until'],
  }),
  timezone: text('--timezone <zone>', 'Time zone for periods, and for times without one'),
});

export const RANGE_FORMS = 'Times and periods: see `qrctl help time-ranges`.';

type RangeFlags = Partial<Values<typeof rangeOptions>>;

export type PlannedRange = Awaited<ReturnType<typeof planRange>>;

/**
 * Resolves flags to a half-open range in ms, or throws UsageError. Without `untilMs`, callers choose the end.
 */
export async function planRange(context: Context, flags: RangeFlags) {
  const { since, until, during } = flags;
  const { timezone: setting } = await context.settings();
  const inputs = { flag: flags.timezone, setting, TZ: context.env.TZ };
  const timezone = () => chooseTimeZone(inputs);
  const nowMs = context.clock.now();
  if (flags.timezone !== undefined) timezone();
  if (during !== undefined) {
    const { parsePeriod } = await import('#base/time/periods');
    const { sinceMs, untilMs } = parsePeriod(during, { flag: '--during', nowMs, timezone: timezone() });
    return { sinceMs, untilMs, zone: timezone, timezone };
  }
  if (since === undefined && until === undefined)
    return { sinceMs: undefined, untilMs: undefined, zone: () => timeZoneToShow(inputs), timezone };
  const { isDate, isInUtc, parseMoment } = await import('#base/time/moments');
  const moment = (flag: string, text: string | undefined) =>
    text === undefined ? undefined : parseMoment(text, { flag, nowMs, timezone });
  const [sinceMs, untilMs] = [moment('--since', since), moment('--until', until)];
  if (sinceMs !== undefined && untilMs !== undefined && sinceMs >= untilMs) {
    throw new UsageError(`--since ${since} must be before --until ${until}`);
  }
  if (until !== undefined && untilMs !== undefined && isDate(until))
    await noteExcludedEnd(context, { until, sinceMs, untilMs }, timezone());
  const typedInUtc =
    flags.timezone === undefined && [since, until].every((text) => text === undefined || isInUtc(text));
  return { sinceMs, untilMs, zone: () => (typedInUtc ? 'UTC' : timeZoneToShow(inputs)), timezone };
}

async function noteExcludedEnd(
  context: Context,
  { until, sinceMs, untilMs }: { until: string; sinceMs: number | undefined; untilMs: number },
  zone: string,
): Promise<void> {
  const { dayAfter, periodOfRange } = await import('#base/time/periods');
  const next = dayAfter(untilMs, zone);
  const period = sinceMs === undefined ? undefined : periodOfRange({ sinceMs, untilMs: next.sinceMs }, zone);
  const ways = [`--until ${next.name}`, ...(period ? [`--during ${period.name}`] : [])];
  context.console.note(`--until ${until} excludes ${until} itself. To include it, use ${ways.join(' or ')}`);
}
