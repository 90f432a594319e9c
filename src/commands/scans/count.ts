/** Plans, runs and describes the count that `scans stats` and `scans report` share. */
import { InvalidArgumentError } from 'commander';
import { sum } from '#base/collections';
import { NotFoundError, UnprovenError, UsageError } from '#base/errors';
import { formatClosing } from '#base/run/closing-line';
import { countOf, listSome, shown } from '#base/text/quote';
import { createLocalTime } from '#base/time/local-time';
import { parsePeriod } from '#base/time/periods';
import { chooseLabels } from '#commands/choose-codes';
import { choiceOptions } from '#commands/code-choice';
import { inputFile, integer, repeated, text, texts, type Values } from '#commands/define';
import { checkInputChoice, inputOptions, listInputFiles } from '#commands/input-option';
import { planRange, rangeOptions } from '#commands/range-options';
import type { Context } from '#context';
import type { CodeLabel } from '#scans/export/export-codes';
import { formatLocalRange } from '#scans/format-local-range';
import { COMPARISONS, type Comparison } from '#scans/stats/calendar';
import type { CodeTable } from '#scans/stats/code-table';
import { codeOfScans, countFiles, countService } from '#scans/stats/count-scans';
import { type Coverage, describeCoverage, noteCoverage } from '#scans/stats/coverage';
import { DIMENSIONS, type Dimension } from '#scans/stats/dimensions';
import type { Counted } from '#scans/stats/figure';
import type { FiguresOptions } from '#scans/stats/figures';
import { createCodeTest, describeFilters, valuesOfCodes } from '#scans/stats/filters';
import type { InputLog } from '#scans/stats/input/input-log';
import { chooseGroups, type Where } from './choose-groups.ts';
import { chooseInFiles, divideNames } from './choose-in-files.ts';

const TOP_BOUNDS = { min: 1, max: 10_000 };

export const countOptions = {
  ...choiceOptions,
  ...inputOptions,
  input: { ...inputOptions.input, conflicts: ['--all', '--status', '--type'] },
  by: { ...texts('--by <dimension>', 'Count by, also as A,B'), choices: DIMENSIONS },
  where: repeated('--where <dim=value>', 'Count only scans such as country=DE', parseWhere),
  join: inputFile('--join <file|->', 'Columns for --by and --where, by id or slug (or -)', {
    requires: [['--by', '--add-by', '--where', '--split-by']],
  }),
  top: integer('--top <n>', 'Show the top N values; group the rest as "other"', TOP_BOUNDS),
  compare: { ...text('--compare <period>', 'Compare with FROM..TO, or'), choices: COMPARISONS },
  ...rangeOptions,
};

function parseWhere(raw: string): Where[] {
  const at = raw.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('DIMENSION=VALUE, such as country=DE');
  return [[raw.slice(0, at).trim(), raw.slice(at + 1).trim()]];
}

export type CountFlags = Values<typeof countOptions>;

export type CountPlan = Awaited<ReturnType<typeof planCount>>;

export async function planCount(
  context: Context,
  names: readonly string[],
  flags: CountFlags,
  byDefault: readonly Dimension[],
) {
  checkInputChoice(names, flags);
  const { sinceMs, untilMs, timezone } = await planRange(context, flags);
  const local = createLocalTime(timezone());
  const compare = parseComparison(flags.compare ?? 'none', sinceMs, timezone(), context.clock.now());
  if (compare !== 'none' && sinceMs === undefined)
    throw new UsageError(`--compare ${flags.compare} requires a range with a start`, {
      hint: 'Add --during this-month or --since 30d.',
    });
  const { files, codes } = flags.input ? await divideNames(names) : { files: names, codes: names };
  const logs = await listInputFiles(context, files, flags);
  const chosen = await chooseGroups(context, flags, byDefault, timezone());
  if (compare !== 'none' && chosen.pairs.length > 0)
    throw new UsageError("--compare can't be used with two dimensions in one --by", {
      hint: 'Omit --compare, or count by each dimension alone.',
    });
  const used = [...chosen.groups, ...chosen.filters.map(({ group }) => group)];
  return {
    ...chosen,
    logs,
    inFiles: logs && (await chooseInFiles(context, codes, flags)),
    choice: flags,
    names: logs ? [] : names,
    chosen: undefined as readonly CodeLabel[] | undefined,
    /** Whether slugs and names are required, even for codes specified by ID. */
    needsLabels: compare !== 'none' || used.some(({ kind }) => kind !== 'value' && kind !== 'time'),
    span: { sinceMs, untilMs },
    compare,
    local,
  };
}

function parseComparison(
  raw: string,
  startMs: number | undefined,
  timezone: string,
  nowMs: number,
): Comparison {
  const known = COMPARISONS.find((name) => name === raw.toLowerCase());
  if (known !== undefined) return known;
  const [from = '', to = from] = raw.split(/\.\.(.*)/);
  const periodOf = (text: string) => parsePeriod(text, { flag: '--compare', nowMs, timezone });
  const [{ sinceMs }, { untilMs }] = [periodOf(from), periodOf(to)];
  if (sinceMs < untilMs && untilMs <= (startMs ?? untilMs)) return { sinceMs, untilMs };
  const fault = sinceMs < untilMs ? 'must end before the counted period begins' : 'ends before it begins';
  throw new UsageError(`--compare ${shown(raw)} ${fault}`, {
    hint: 'Use two dates such as 2026-09-01..2026-09-14. Both are included.',
  });
}

/**
 * Returns the chosen codes that pass the filters. Throws like `chooseLabels`, and if codes were chosen but
 * none passes.
 */
export async function codesOf(context: Context, plan: CountPlan): Promise<readonly CodeLabel[]> {
  const { choice, names, filters, table, needsLabels } = plan;
  const chosen = plan.chosen ?? (await chooseLabels(context, names, choice, { isWanted: needsLabels }));
  const groups = filters.map(({ group }) => group);
  const isMeant = createCodeTest(
    filters,
    valuesOfCodes(groups, table, ({ destination }) => destination ?? null),
  );
  const codes = chosen.filter((code) => code.missing || isMeant(codeOfScans(code)));
  if (codes.length > 0 || chosen.length === 0) return codes;
  throw new NotFoundError(`no code matches --where ${shown(describeFilters(filters))}`, {
    hint: 'List the codes with `qrctl qr list`, and correct --where.',
  });
}

/**
 * Counts scans in files or on the service. Throws UnprovenError if the files may lack the range, and the
 * first error if all codes fail on the service.
 */
export async function countScans(context: Context, plan: CountPlan): Promise<Counted> {
  const { facts } = context;
  const counted = plan.logs ? await countInput(context, plan, plan.logs) : await countCodes(context, plan);
  const { span, nowMs, codes, failures } = counted;
  facts.range = { sinceMs: span.sinceMs, untilMs: span.untilMs ?? nowMs };
  if (codes) facts.codes = (facts.codes ?? 0) + codes.length - failures.length;
  return counted;
}

export function noteCount({ console }: Context, plan: CountPlan, counted: Counted): void {
  const { format, zone } = plan.local;
  const { span, nowMs, coverage } = counted;
  plan.inFiles?.noteUnseen(console);
  if (coverage) noteCoverage(console, coverage, zone);
  const { sinceMs = -Infinity, untilMs = 0 } = span;
  if (sinceMs > nowMs) console.warn(`the period begins in the future, at ${format(sinceMs)} (${zone})`);
  else if (!isOver(counted)) console.note(`The period is not over: it ends at ${format(untilMs)} (${zone})`);
  if (plan.table) noteJoin(console, plan.table);
  if (plan.filters.length > 0 && counted.current.total() === 0 && counted.current.span())
    console.warn(`no scan matches ${describeFilters(plan.filters)}`);
}

async function countInput(context: Context, plan: CountPlan, logs: readonly InputLog[]): Promise<Counted> {
  const counted = await countFiles(context, { ...plan, isChosen: plan.inFiles?.isChosen }, logs);
  refuseUncovered(counted, counted.coverage, plan.local.zone);
  return counted;
}

async function countCodes(context: Context, plan: CountPlan): Promise<Counted> {
  const codes = await codesOf(context, plan);
  const counted = await countService(context, await context.service(), plan, codes);
  const [failure] = counted.failures;
  if (failure && counted.failures.length === codes.length) throw failure.error;
  return counted;
}

/** Throws UnprovenError if a requested period has no scans, unless the files are known to cover it. */
function refuseUncovered({ current, span }: Counted, coverage: Coverage, zone: string): void {
  const { sinceMs, untilMs } = span;
  if (current.span() || coverage.isWhole || (sinceMs === undefined && untilMs === undefined)) return;
  const range =
    untilMs === undefined
      ? `since ${createLocalTime(zone).format(sinceMs ?? 0)} (${zone})`
      : formatLocalRange({ sinceMs, untilMs }, zone);
  const { start, end } = describeCoverage(coverage, zone);
  const lines = [`no scans ${range} in these files, and their coverage could not be verified`, start, end];
  throw new UnprovenError(lines.filter(Boolean).join('\n'), {
    hint: 'Use --input with files that cover this range, or omit --input to query the service.',
  });
}

export function isOver({ span: { untilMs }, nowMs }: Counted): boolean {
  return untilMs === undefined || untilMs <= nowMs;
}

const MOST_NAMED = 3;

function noteJoin(
  { note }: Context['console'],
  { name, unlisted, unusedRows, namelessRows }: CodeTable,
): void {
  const codes = unlisted().map(shown);
  if (codes.length > 0)
    note(`${countOf(codes.length, 'code')} not found in ${name}: ${listSome(codes, MOST_NAMED)}`);
  const unused = unusedRows();
  if (unused > 0)
    note(`${countOf(unused, 'row')} of ${name} ${unused === 1 ? 'matches' : 'match'} no counted code`);
  if (namelessRows > 0) note(`${countOf(namelessRows, 'row')} of ${name} skipped: no ID and no slug`);
}

export function figuresInput(
  { local }: CountPlan,
  { codes, failures, ...counted }: Counted,
  top: number | undefined,
): FiguresOptions {
  const failed = new Set(failures.map(({ code }) => code.id));
  const left = codes?.filter(({ id }) => !failed.has(id)).map(({ id }) => id.toLowerCase());
  return { ...counted, ...local, top, codes: left };
}

/** Formats the counted range. A range without an end ends at the last scan, or without scans is empty. */
export function readRange({ span, current }: Counted, zone: string): string {
  if (current.total() === 0 && span.untilMs === undefined) return '';
  const untilMs = span.untilMs ?? (current.span()?.lastMs ?? 0) + 1;
  return formatLocalRange({ sinceMs: span.sinceMs, untilMs }, zone);
}

export function previousRange({ before }: Counted, zone: string): string {
  return formatLocalRange(before?.span, zone);
}

/** Returns `Counted 1,000 scans from … to … (4 requests)`. Omits the range if `zone` is undefined. */
export async function closingWords(
  context: Context,
  { filters }: CountPlan,
  parts: readonly [Counted, ...Counted[]],
  zone: string | undefined,
  place?: string,
): Promise<string> {
  const [counted] = parts;
  const requests = counted.codes ? (await context.service()).stats().requests : 0;
  const earlier = parts.flatMap(({ before }) => before?.tally.total() ?? []);
  const scans = `Counted ${countOf(sum(parts.map(({ current }) => current.total())), 'scan')}`;
  const range = zone === undefined ? '' : ` ${readRange(counted, zone)}`.trimEnd();
  const only = filters.length > 0 ? `, only ${shown(describeFilters(filters))}` : '';
  const compared =
    earlier.length > 0 && zone !== undefined
      ? `, compared with ${countOf(sum(earlier), 'scan')} ${previousRange(counted, zone)}`
      : '';
  return formatClosing(scans + range + only + compared, [countOf(requests, 'request')], place);
}
