/** Checks the flags of a watch together, before anything is read or sent. */
import { chooseTimeZone } from '../../../base/time/time-zone.ts';
import type { Context } from '../../../context.ts';
import type { CodeFailure } from '../../../scans/export/export-codes.ts';
import type { InputLog } from '../../../scans/stats/input/input-log.ts';
import type { WatchRow } from '../../../scans/watch/watch-rows.ts';
import type { CodeChoice } from '../../code-choice.ts';
import { checkInputChoice, listInputFiles } from '../../input-option.ts';
import { planRange } from '../../range-options.ts';
import type { WatchFlags } from './flags.ts';

export interface WatchPlan {
  /** Files to read, or undefined for the service. */
  logs: readonly InputLog[] | undefined;
  names: readonly string[];
  choice: CodeChoice;
  timezone: string;
  /** Instant that the last week ends at, ms since the epoch; undefined: now or, for files, the last scan. */
  untilMs: number | undefined;
  quietForMs: number | undefined;
}

/** What a run found. */
export interface Watched {
  rows: WatchRow[];
  failures: CodeFailure[];
  /** The seven days, ms since the epoch. */
  range: { sinceMs: number; untilMs: number };
}

/** Throws UsageError on flags that contradict each other, on times and zones that are none, and on files that are not there. */
export async function planWatch(
  context: Context,
  names: readonly string[],
  flags: WatchFlags,
): Promise<WatchPlan> {
  const { timezone: setting } = await context.settings();
  checkInputChoice(names, flags);
  const timezone = chooseTimeZone({ flag: flags.timezone, setting, TZ: context.env.TZ });
  const { untilMs } = await planRange(context, { until: flags.until, timezone: flags.timezone }, setting);
  const logs = await listInputFiles(context, names, flags);
  return { logs, names: logs ? [] : names, choice: flags, timezone, untilMs, quietForMs: flags.quietFor };
}
