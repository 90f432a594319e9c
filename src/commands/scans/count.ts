/** Plans, runs and describes the count that `scans stats` and `scans report` share. */

import { UnprovenError, UsageError } from '../../base/errors.ts';
import { formatClosing } from '../../base/run/closing-line.ts';
import { countOf, shown } from '../../base/text/quote.ts';
import { createLocalTime } from '../../base/time/local-time.ts';
import type { Context } from '../../context.ts';
import type { CodeFailure } from '../../scans/export/export-codes.ts';
import { formatLocalRange } from '../../scans/format-local-range.ts';
import { COMPARISONS } from '../../scans/stats/calendar.ts';
import type { CodeTable } from '../../scans/stats/code-table.ts';
import { countFiles, type FilesCount } from '../../scans/stats/count-files.ts';
import { countService } from '../../scans/stats/count-service.ts';
import { describeCoverage, noteCoverage } from '../../scans/stats/coverage.ts';
import { DIMENSIONS, type Dimension } from '../../scans/stats/dimensions.ts';
import type { Counted } from '../../scans/stats/figure.ts';
import type { FiguresOptions } from '../../scans/stats/figures.ts';
import type { InputLog } from '../../scans/stats/input/input-log.ts';
import type { CountRequest } from '../../scans/stats/readings.ts';
import { type ChosenCodes, chooseLabels } from '../choose-codes.ts';
import { choiceOptions } from '../code-choice.ts';
import { choice, integer, text, texts, type Values } from '../define.ts';
import { checkInputChoice, inputOptions, listInputFiles } from '../input-option.ts';
import { planRange, rangeOptions } from '../range-options.ts';
import { chooseGroups } from './choose-groups.ts';

const TOP_BOUNDS = { min: 1, max: 10_000 };

export const countOptions = {
  ...choiceOptions,
  ...inputOptions,
  by: { ...texts('--by <dimension>', 'Count by'), choices: DIMENSIONS },
  join: text('--join <file|->', 'File of codes with more columns for --by (or -)', {
    complete: 'files',
    requires: ['--by'],
  }),
  top: integer('--top <n>', 'Show the top N values; group the rest as "other"', TOP_BOUNDS),
  compare: choice('--compare <period>', 'Compare with (default: none)', COMPARISONS),
  ...rangeOptions,
};

export type CountFlags = Values<typeof countOptions>;

export interface CountPlan extends CountRequest {
  logs: readonly InputLog[] | undefined;
  choice: CountFlags;
  names: readonly string[];
  top: number | undefined;
  /** Slugs, names and ages of codes are required, also of those given by ID. */
  needsLabels: boolean;
}

/** Throws UsageError for contradicting flags, invalid ranges and zones, and missing files. */
export async function planCount(
  context: Context,
  names: readonly string[],
  flags: CountFlags,
  byDefault: readonly Dimension[],
): Promise<CountPlan> {
  checkInputChoice(names, flags);
  const { sinceMs, untilMs, timezone } = await planRange(context, flags);
  const local = createLocalTime(timezone());
  const { compare = 'none' } = flags;
  if (compare !== 'none' && sinceMs === undefined)
    throw new UsageError(`--compare ${compare} requires a range with a start`, {
      hint: 'Add --during this-month or --since 30d.',
    });
  const logs = await listInputFiles(context, names, flags);
  const chosen = await chooseGroups(context, flags, byDefault);
  return {
    ...chosen,
    logs,
    choice: flags,
    names: logs ? [] : names,
    top: flags.top,
    needsLabels: compare !== 'none' || chosen.groups.some(({ kind }) => kind !== 'value'),
    span: { sinceMs, untilMs },
    compare,
    local,
  };
}

export function codesOf(context: Context, { choice, names, needsLabels }: CountPlan): Promise<ChosenCodes> {
  return chooseLabels(context, names, choice, { isWanted: needsLabels });
}

export type CountedCodes = Counted & { failures: CodeFailure[] };

/**
 * Counts from files or from the service. Throws if all codes fail; the result contains the failures of some.
 */
export async function countScans(context: Context, plan: CountPlan): Promise<CountedCodes> {
  const { console, facts } = context;
  const { format, zone } = plan.local;
  const counted = plan.logs ? await countInput(context, plan, plan.logs) : await countCodes(context, plan);
  const { span, nowMs, codes, failures } = counted;
  facts.range = { sinceMs: span.sinceMs, untilMs: span.untilMs ?? nowMs };
  if (codes) facts.codes = codes.length - failures.length;
  const { sinceMs = Number.NEGATIVE_INFINITY, untilMs = 0 } = span;
  if (sinceMs > nowMs) console.warn(`the period begins in the future, at ${format(sinceMs)} (${zone})`);
  else if (!isOver(counted)) console.note(`The period is not over: it ends at ${format(untilMs)} (${zone})`);
  if (plan.table) noteJoin(console, plan.table);
  return counted;
}

async function countInput(
  context: Context,
  plan: CountPlan,
  logs: readonly InputLog[],
): Promise<CountedCodes> {
  const counted = await countFiles(context, plan, logs);
  refuseUncovered(counted, plan.local.zone);
  noteCoverage(context.console, counted.coverage, plan.local.zone);
  return { ...counted, failures: [] };
}

async function countCodes(context: Context, plan: CountPlan): Promise<CountedCodes> {
  const { codes } = await codesOf(context, plan);
  const counted = await countService(context, await context.service(), plan, codes);
  const [failure] = counted.failures;
  if (failure && counted.failures.length === codes.length) throw failure.error;
  return counted;
}

/** Throws UnprovenError for a requested period without scans, unless the files are known to cover it. */
function refuseUncovered({ current, span, coverage }: FilesCount, zone: string): void {
  const { sinceMs, untilMs } = span;
  if (current.total() > 0 || coverage.isWhole || (sinceMs === undefined && untilMs === undefined)) return;
  const range =
    untilMs === undefined
      ? `since ${createLocalTime(zone).format(sinceMs ?? 0)} (${zone})`
      : formatLocalRange({ sinceMs, untilMs }, zone);
  const { start, end } = describeCoverage(coverage, zone);
  const lines = [`no scans ${range} in these files, and their coverage could not be verified`, start, end];
  throw new UnprovenError(lines.filter((line) => line !== undefined).join('\n'), {
    hint: 'Use --input with files that cover this range, or omit --input to query the service.',
  });
}

/** Tests whether a range has ended, so that its figures are final. */
export function isOver({ span: { untilMs }, nowMs }: Counted): boolean {
  return untilMs === undefined || untilMs <= nowMs;
}

function noteJoin(
  { note }: Context['console'],
  { name, unlisted, unusedRows, namelessRows }: CodeTable,
): void {
  const { count, first } = unlisted();
  const more = count > first.length ? ` and ${count - first.length} more` : '';
  if (count > 0)
    note(`${countOf(count, 'code')} not found in ${name}: ${first.map(shown).join(', ')}${more}`);
  const unused = unusedRows();
  if (unused > 0)
    note(`${countOf(unused, 'row')} of ${name} ${unused === 1 ? 'matches' : 'match'} no counted code`);
  if (namelessRows > 0) note(`${countOf(namelessRows, 'row')} of ${name} skipped: no ID and no slug`);
}

export function figuresInput(
  { local }: CountPlan,
  { codes, failures, ...counted }: CountedCodes,
  top: number | undefined,
): FiguresOptions {
  const failed = new Set(failures.map(({ code }) => code.id));
  return {
    ...counted,
    top,
    codes: codes?.filter(({ id }) => !failed.has(id)).map(({ id }) => id.toLowerCase()),
    timezone: local.zone,
    offsetAt: local.offsetMs,
  };
}

/** Returns the range with both ends; a missing end is the last scan. Empty if there is neither. */
export function readRange({ span, current }: Counted, zone: string): string {
  if (current.total() === 0 && span.untilMs === undefined) return '';
  const untilMs = span.untilMs ?? (current.span()?.lastMs ?? 0) + 1;
  return formatLocalRange({ sinceMs: span.sinceMs, untilMs }, zone);
}

export function previousRange({ before }: Counted, zone: string): string {
  const { sinceMs, untilMs } = before?.span ?? {};
  return untilMs === undefined ? '' : formatLocalRange({ sinceMs, untilMs }, zone);
}

/** Returns `Counted 1,000 scans from … to … (4 requests)`, without the range if there is no zone. */
export async function closingWords(
  context: Context,
  counted: Counted,
  zone: string | undefined,
  place?: string,
): Promise<string> {
  const requests = counted.codes ? (await context.service()).stats().requests : 0;
  const { current, before } = counted;
  const scans = `Counted ${countOf(current.total(), 'scan')}`;
  const range = zone === undefined ? '' : ` ${readRange(counted, zone)}`.trimEnd();
  const compared =
    before && zone !== undefined
      ? `, compared with ${countOf(before.tally.total(), 'scan')} ${previousRange(counted, zone)}`
      : '';
  return formatClosing(scans + range + compared, [countOf(requests, 'request')], place);
}
