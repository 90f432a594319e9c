/** What the flags of a count ask for together: checked before anything is read or sent. */
import type { Context } from '../../../context.ts';
import { UsageError } from '../../../errors.ts';
import { createLocalTime, type LocalTime } from '../../../local-time.ts';
import type { Span } from '../../../stats/calendar.ts';
import type { Comparison } from '../../../stats/compare-span.ts';
import type { Dimension } from '../../../stats/dimensions.ts';
import type { InputLog } from '../../../stats/input/input-log.ts';
import { listInputs } from '../../../stats/input/list-inputs.ts';
import { chooseTimeZone } from '../../../time-zone.ts';
import { planRange } from '../../range-options.ts';
import type { CountFlags } from './count-options.ts';

export interface CountPlan {
  /** Files to count, or undefined where the service is asked. */
  logs: readonly InputLog[] | undefined;
  all: boolean;
  names: readonly string[];
  dimensions: readonly Dimension[];
  top: number | undefined;
  /** Ends that are undefined are open. */
  span: Span;
  compare: Comparison;
  /** The clock by which days are days. */
  local: LocalTime;
}

/** Throws UsageError on flags that contradict each other, on ranges and zones that are none, and on files that are not there. */
export async function planCount(
  context: Context,
  names: readonly string[],
  flags: CountFlags,
  byDefault: readonly Dimension[],
): Promise<CountPlan> {
  const { timezone } = await context.settings();
  refuseContradictions(names, flags);
  const zone = chooseTimeZone({ flag: flags.timezone, setting: timezone, TZ: context.env.TZ });
  const { sinceMs, untilMs } = await planRange(context, flags, timezone);
  const compare = flags.compare ?? 'none';
  const { note, warn } = context.console;
  if (compare !== 'none' && sinceMs === undefined) {
    throw new UsageError(`--compare ${compare} needs to know where the range begins`, {
      hint: 'add --during this-month, or --since 30d',
    });
  }
  return {
    // A shell makes several words of `--input *.csv`.
    logs: flags.input ? await listInputs([...flags.input, ...names], { rotated: flags.rotated ?? true, note, warn }) : undefined,
    all: flags.all ?? false,
    names: flags.input ? [] : names,
    dimensions: [...new Set(flags.by ?? byDefault)],
    top: flags.top,
    span: { sinceMs, untilMs },
    compare,
    local: createLocalTime(zone),
  };
}

function refuseContradictions(names: readonly string[], { all, input, rotated }: CountFlags): void {
  if (rotated === false && !input)
    throw new UsageError('--no-rotated requires --input', { hint: 'omit --no-rotated, or specify --input scans.csv' });
  if (all && input) throw new UsageError('--all asks the service, --input reads files: choose one');
  if (all && names.length > 0) throw new UsageError('--all counts every code: leave out the codes, or --all');
  if (all || input || names.length > 0) return;
  throw new UsageError('which code?', {
    hint: 'name codes by id or slug, or add --all, or --input scans.csv; `qrctl qr list` shows the codes',
  });
}
