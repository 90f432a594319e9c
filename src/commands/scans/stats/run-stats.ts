/** `scans stats` from checked flags to figures. */
import { addFile } from '../../../base/run/run-summary.ts';
import type { Context } from '../../../context.ts';
import type { Column } from '../../../files/formats/columns.ts';
import type { OutputPlan } from '../../../files/formats/plan-output.ts';
import { writeWholeFile } from '../../../files/formats/whole-file.ts';
import { isRunning } from '../../../scans/stats/calendar.ts';
import { type Figure, figuresOf, type Section, totalOf } from '../../../scans/stats/figures.ts';
import { openSink, planOutput, writeAll } from '../../output-options.ts';
import {
  closingWords,
  countScans,
  figuresInput,
  isOver,
  previousRange,
  readRange,
} from '../counting/count-scans.ts';
import { planCount } from '../counting/plan-count.ts';
import { someFailed } from '../tell-failures.ts';
import type { Picture } from './draw-figures.ts';
import type { StatsFlags } from './flags.ts';

export const COLUMNS: readonly Column[] = [
  { name: 'by', importance: 3 },
  { name: 'value', importance: 9 },
  { name: 'scans', importance: 8, align: 'right' },
  { name: 'share', importance: 5, align: 'right' },
  { name: 'previous', importance: 4, align: 'right' },
  { name: 'change', importance: 4, align: 'right' },
  { name: 'name', importance: 3 },
  { name: 'per_day', importance: 2, align: 'right' },
  { name: 'previous_per_day', importance: 1, align: 'right' },
  { name: 'complete', importance: 0 },
];

/** On a screen, only the beginning of a long list of values is useful. */
const TOP_OF_TABLE = 10;

/** Counts, and prints. Throws as listed in errors.ts; PartialError if some codes failed and others are counted. */
export async function runStats(context: Context, names: readonly string[], flags: StatsFlags): Promise<void> {
  const output = await planOutput(context, flags, COLUMNS, 'list');
  const isPicture = output.format === 'table' && !output.chosen;
  const plan = await planCount(context, names, flags, ['day']);
  if (flags.dryRun) {
    const { printDryRun } = await import('./dry-run.ts');
    return printDryRun(context, plan, output);
  }
  const counted = await countScans(context, plan);
  const top = plan.top ?? (isPicture ? TOP_OF_TABLE : undefined);
  const input = figuresInput(plan, counted, top);
  const sections = plan.groups.map((group) => figuresOf(group, input));
  noteLimits(context, sections);
  if (isPicture) {
    await printPicture(context, output, {
      sections,
      total: totalOf(input),
      isCompared: counted.before !== undefined,
      range: readRange(counted, plan.local.zone),
      previousRange: previousRange(counted, plan.local.zone),
      file: plan.table?.name,
    });
    context.facts.rows = sections.reduce((sum, { rows }) => sum + rows.length, 0);
    if (output.path !== undefined) addFile(context.facts, output.path);
  } else {
    await writeAll(await openSink(context, output), [
      sections.flatMap((section) => recordsOf(section, isOver(counted))),
    ]);
  }
  // The drawing ends with the number of scans and their range.
  const isSeen = isPicture && context.console.isTerminal && output.path === undefined;
  context.console.note(await closingWords(context, counted, isSeen ? undefined : plan.local.zone));
  const { failures } = counted;
  const hint = 'Run the command again, or omit these codes.';
  if (failures.length > 0)
    throw someFailed(
      failures,
      Math.max(names.length, failures.length),
      'could not be counted; the others were',
      hint,
    );
}

/** Of a file, which has no width of its own. */
const FILE_WIDTH = 100;

/** Prints to the terminal, in its width, or into the file of the plan. */
async function printPicture(context: Context, { path }: OutputPlan, picture: Picture): Promise<void> {
  const [{ drawFigures }, { loadColours }] = await Promise.all([
    import('./draw-figures.ts'),
    import('../../../terminal/colour.ts'),
  ]);
  const { console, env, processes } = context;
  const toTerminal = console.isTerminal && path === undefined;
  const text = drawFigures(picture, {
    width: toTerminal ? console.width : FILE_WIDTH,
    style: console.isAccessible && path === undefined ? 'words' : env.TERM === 'dumb' ? 'ascii' : 'blocks',
    colours: await loadColours(console.colour && path === undefined),
  });
  if (path === undefined) await console.write(console.harmless(text));
  else await writeWholeFile(path, text, { processes });
}

/** The columns of the contract alone. `complete`: the range has all of the period of the row, which is over. */
function recordsOf({ kind, by, rows }: Section, isOver: boolean) {
  const hasPeriods = kind === 'time' && isRunning(by);
  return rows.map(
    ({ by, value, scans, share, previous, change, name, perDay, previousPerDay, isPart }: Figure) => {
      const complete = hasPeriods ? !isPart : isOver;
      return {
        by,
        value,
        scans,
        share,
        previous,
        change,
        name,
        per_day: perDay,
        previous_per_day: previousPerDay,
        complete,
      };
    },
  );
}

function noteLimits(context: Context, sections: readonly Section[]): void {
  for (const { by } of sections.filter(({ isApproximate }) => isApproximate)) {
    context.console.note(
      `Too many values to count by ${by} exactly: each count is a minimum, and the rest is in "other"`,
    );
  }
  for (const { by } of sections.filter(({ isSparse }) => isSparse)) {
    context.console.note(`The range is too long for a row per ${by}. Rows without scans are omitted`);
  }
}
