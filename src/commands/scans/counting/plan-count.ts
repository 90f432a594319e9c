/** Checks the flags of a count together, before anything is read or sent. */
import { UsageError } from '../../../base/errors.ts';
import { createLocalTime } from '../../../base/time/local-time.ts';
import { chooseTimeZone } from '../../../base/time/time-zone.ts';
import type { Context } from '../../../context.ts';
import type { Dimension } from '../../../scans/stats/dimensions.ts';
import type { InputLog } from '../../../scans/stats/input/input-log.ts';
import type { Counted } from '../../../scans/stats/readings.ts';
import type { CodeChoice } from '../../code-choice.ts';
import { checkInputChoice, listInputFiles } from '../../input-option.ts';
import { planRange } from '../../range-options.ts';
import { chooseGroups, type Groups } from './choose-groups.ts';
import type { CountFlags } from './count-options.ts';

export interface CountPlan extends Counted, Groups {
  /** Files to count, or undefined for the service. */
  logs: readonly InputLog[] | undefined;
  choice: CodeChoice;
  names: readonly string[];
  top: number | undefined;
  /** Slugs, names and ages of codes are needed, also of those given by ID. */
  needsLabels: boolean;
}

/** Throws UsageError on flags that contradict each other, on ranges and zones that are none, and on files that are not there. */
export async function planCount(
  context: Context,
  names: readonly string[],
  flags: CountFlags,
  byDefault: readonly Dimension[],
): Promise<CountPlan> {
  const top = flags.top ?? flags.limit;
  const { timezone } = await context.settings();
  checkInputChoice(names, flags);
  const zone = chooseTimeZone({ flag: flags.timezone, setting: timezone, TZ: context.env.TZ });
  const { sinceMs, untilMs } = await planRange(context, flags, timezone);
  const compare = flags.compare ?? 'none';
  if (compare !== 'none' && sinceMs === undefined) {
    throw new UsageError(`--compare ${compare} requires a range with a start`, {
      hint: 'Add --during this-month or --since 30d.',
    });
  }
  const logs = await listInputFiles(context, names, flags);
  const chosen = await chooseGroups(context, flags, byDefault);
  return {
    ...{ logs, choice: flags, names: flags.input ? [] : names, ...chosen, top },
    needsLabels: compare !== 'none' || chosen.groups.some(({ kind }) => kind !== 'value'),
    span: { sinceMs, untilMs },
    compare,
    local: createLocalTime(zone),
  };
}
