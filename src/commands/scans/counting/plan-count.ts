/** Checks the flags of a count together, before anything is read or sent. */
import type { Context } from '../../../context.ts';
import { UsageError } from '../../../errors.ts';
import type { Dimension } from '../../../stats/dimensions.ts';
import type { InputLog } from '../../../stats/input/input-log.ts';
import { listInputs } from '../../../stats/input/list-inputs.ts';
import type { Counted } from '../../../stats/readings.ts';
import { createLocalTime } from '../../../time/local-time.ts';
import { chooseTimeZone } from '../../../time/time-zone.ts';
import { type CodeChoice, checkChoice, filterOf } from '../../code-choice.ts';
import { planRange } from '../../range-options.ts';
import { chooseGroups, type Groups } from './choose-groups.ts';
import type { CountFlags } from './count-options.ts';

export interface CountPlan extends Counted, Groups {
  /** Files to count, or undefined for the service. */
  logs: readonly InputLog[] | undefined;
  choice: CodeChoice;
  names: readonly string[];
  top: number | undefined;
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
    throw new UsageError(`--compare ${compare} requires a start of the range`, {
      hint: 'Add --during this-month or --since 30d.',
    });
  }
  return {
    // A shell makes several words of `--input *.csv`.
    logs: flags.input ? await listInputs([...flags.input, ...names], { rotated: flags.rotated ?? true, note, warn }) : undefined,
    choice: flags,
    names: flags.input ? [] : names,
    ...(await chooseGroups(context, flags, byDefault)),
    top: flags.top,
    span: { sinceMs, untilMs },
    compare,
    local: createLocalTime(zone),
  };
}

function refuseContradictions(names: readonly string[], flags: CountFlags): void {
  const { all, from, input, rotated } = flags;
  if (rotated === false && !input)
    throw new UsageError('--no-rotated requires --input', { hint: 'Omit --no-rotated, or specify --input scans.csv.' });
  if (!input) {
    checkChoice(names, flags);
    return;
  }
  // Words behind --input are files.
  const other = (all && '--all') ?? (from !== undefined ? '--from' : filterOf(flags));
  if (other)
    throw new UsageError(`${other} can't be used with --input: it chooses codes of the service`, {
      hint: `Omit ${other} to count all scans of the files, or omit --input.`,
    });
}
