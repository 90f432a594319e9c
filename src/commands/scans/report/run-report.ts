/** `scans report` from checked flags to a page. */
import type { Context } from '../../../context.ts';
import { UsageError } from '../../../errors.ts';
import { composeReport, type ReportFigures } from '../../../report/compose-report.ts';
import { renderHtml } from '../../../report/html/render-html.ts';
import { writeWholeFile } from '../../../rows/whole-file.ts';
import { addFile } from '../../../run/run-summary.ts';
import type { Span } from '../../../stats/calendar.ts';
import type { Dimension } from '../../../stats/dimensions.ts';
import { figuresOf } from '../../../stats/figures.ts';
import { asSentence } from '../../../text/sentence.ts';
import { formatRange } from '../../range-options.ts';
import { closingWords, readRange } from '../counting/closing-line.ts';
import { type CountedCodes, countScans } from '../counting/count-scans.ts';
import { coverageWords } from '../counting/coverage-words.ts';
import { figuresInput } from '../counting/figures-input.ts';
import { type CountPlan, planCount } from '../counting/plan-count.ts';
import type { ReportFlags } from './flags.ts';

const BY: readonly Dimension[] = ['day', 'code', 'country', 'city', 'device', 'os', 'browser', 'weekday', 'hour', 'referrer'];
const TOP = 10;

/** Counts, and writes the page; the file is replaced atomically, only after every code is counted. Throws as listed in errors.ts. */
export async function runReport(context: Context, names: readonly string[], flags: ReportFlags): Promise<void> {
  const path = flags.output;
  if (path === undefined) throw new UsageError('missing --output', { hint: 'Add -o report.html.' });
  if (path !== '-' && !/\.html?$/i.test(path)) {
    throw new UsageError(`--output must end in .html: ${path}`, {
      hint: 'Use a name such as report.html, or use `qrctl scans stats` for data.',
    });
  }
  const plan = await planCount(context, names, flags, BY);
  const counted = await countScans(context, plan);
  const [failure] = counted.failures;
  if (failure) throw failure.error;
  const page = renderHtml(composeReport(figuresIn(plan, counted, flags)));
  if (path === '-') await context.console.write(page);
  else {
    await writeWholeFile(path, page, { processes: context.processes });
    addFile(context.facts, path);
  }
  context.console.note(`${await closingWords(context, counted, plan.local.zone)}: ${path === '-' ? 'standard output' : path}`);
}

function figuresIn(plan: CountPlan, counted: CountedCodes, flags: ReportFlags): ReportFigures {
  const { current, before, codes, nowMs } = counted;
  const { zone } = plan.local;
  // Independent of the clock: if the range has no end of its own, it ends with the last scan.
  const span: Span = plan.span;
  const input = {
    ...figuresInput(plan, counted, plan.top ?? TOP),
    ...{ span, nowMs: span.untilMs === undefined ? undefined : nowMs },
  };
  const sections = plan.groups
    .map((group) => figuresOf(group, input))
    .filter(({ kind, rows }) => kind !== 'code' || rows.length > 1);
  const counts = new Map(
    current.values
      .get('code')
      ?.counts()
      .map(({ value, scans }) => [value, scans]),
  );
  const silent =
    plan.groups.some(({ kind }) => kind === 'code') && input.codes ? input.codes.filter((code) => !counts.get(code)) : [];
  const untilMs = span.untilMs ?? (current.span()?.lastMs ?? -1) + 1;
  return {
    title: flags.title ?? 'Scans of our QR codes',
    range: readRange(counted, zone) || 'no scans',
    coverage: Object.values(coverageWords(counted.coverage, zone)).flatMap((words) =>
      words === undefined ? [] : [asSentence(words)],
    ),
    comparedWith: before && formatRange({ sinceMs: before.span.sinceMs, untilMs: before.span.untilMs ?? untilMs }, zone),
    total: current.total(),
    previous: before?.tally.total(),
    sections,
    silent,
    codes: codes?.length,
  };
}
