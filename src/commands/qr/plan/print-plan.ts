/** Prints the plan of any verb, in any format, before a run or after it. */
import { inChunks } from '../../../base/collections.ts';
import { exitCodeOf, Failure, messageOf } from '../../../base/errors.ts';
import { addFile } from '../../../base/run/run-summary.ts';
import { clean } from '../../../base/text/clean.ts';
import { countOf } from '../../../base/text/quote.ts';
import type { RowEnd } from '../../../codes/engine/executor/job.ts';
import type { Plan } from '../../../codes/engine/plan/model.ts';
import type { PlanRow } from '../../../codes/engine/results/explain.ts';
import { reasonOfPlan } from '../../../codes/engine/results/run-failure.ts';
import type { Context } from '../../../context.ts';
import type { Column } from '../../../files/formats/columns.ts';
import { textOf } from '../../../files/formats/formatter.ts';
import type { OutputFlags, OutputPlan } from '../../../files/formats/plan-output.ts';
import type { Row } from '../../../files/formats/row-sink.ts';
import { writeWholeFile } from '../../../files/formats/whole-file.ts';
import { wrapWords } from '../../../terminal/wrap-words.ts';
import { loadFormatter, openSink, planOutput, writeAll } from '../../output-options.ts';
import { arrangeRows } from './arrange-rows.ts';
import { formatMarkdown } from './plan-markdown.ts';
import {
  APPLIED_COLUMNS,
  codeOf,
  entryOf,
  PLAN_COLUMNS,
  type PrintedPlan,
  type Reason,
  recordsOf,
  TABLE_COLUMNS,
  tableRow,
} from './plan-records.ts';

const TITLES = { 0: 'No changes', 8: 'Changes', 9: 'Needs your decision' } as const;

/** Returns what a dry run prints, also of a run that a brake stopped before anything was sent. */
export function plannedRun(plan: Plan, { name, verb }: Pick<PrintedPlan, 'name' | 'verb'>): PrintedPlan {
  const { exit, message, hint } = reasonOfPlan(plan, verb);
  const title = plan.brakes.length > 0 ? 'Nothing would be sent' : TITLES[exit];
  const reasons = [{ title: `${title} (exit code ${exit} with --exit-code)`, message }];
  if (hint !== undefined) reasons.push({ title: 'Next step', message: hint });
  const rows = plan.items.map((item): PlanRow => ({ item }));
  return { name, verb, rows, unmanaged: plan.unmanaged, absent: plan.absent, reasons };
}

/** Returns what is printed after a run. `failure`: error at its end, as of `failureOfRun`. */
export function endedRun(
  plan: Plan,
  ends: readonly RowEnd[],
  { name, verb, failure }: Pick<PrintedPlan, 'name' | 'verb'> & { failure: unknown },
): PrintedPlan {
  const rows = ends.map((end): PlanRow => ({ item: end.item, end }));
  return { name, verb, rows, unmanaged: plan.unmanaged, absent: plan.absent, reasons: reasonsOf(failure) };
}

function reasonsOf(failure: unknown): Reason[] {
  if (failure === undefined) return [];
  const [message = ''] = messageOf(failure).split('\n');
  const reasons = [{ title: `Not finished (exit code ${exitCodeOf(failure)})`, message }];
  if (failure instanceof Failure && failure.hint !== undefined)
    reasons.push({ title: 'Next step', message: failure.hint });
  return reasons;
}

/** Number of new codes on a terminal by default, so that the lines below them stay visible. */
const MOST_CREATIONS = 10;

/** Number of rows that are formatted at once: the records of all would be larger than the plan. */
const ROWS_AT_ONCE = 1000;

/** Open output of a plan. */
export interface PlanPrinter {
  /** The output states why the plan ends as it does. */
  readonly hasReasons: boolean;
  print(printed: PrintedPlan): Promise<void>;
  /** Number of requests of a run besides those of the plan; known after `print`. */
  moreRequests?(): number;
  /** Leaves a file as it was; without effect after `print`. */
  discard(): Promise<void>;
}

/** Opens the output before the first request, so that flags and files that can't be used cost none. `isRun`: the plan is carried out. */
export async function openPlanOutput(
  context: Context,
  flags: OutputFlags,
  isRun: boolean,
  columns: readonly Column[] = isRun ? APPLIED_COLUMNS : PLAN_COLUMNS,
): Promise<PlanPrinter> {
  const plan = await planOutput(context, flags, columns, 'list');
  if (plan.format === 'markdown' && !plan.chosen)
    return textPrinter(context, plan.path, async (printed) => formatMarkdown(printed));
  if (plan.format === 'table' && !plan.chosen) {
    const isCut = context.console.isTerminal && plan.path === undefined && flags.format === undefined;
    const options = { plan, isRun, most: isCut ? MOST_CREATIONS : undefined };
    return textPrinter(context, plan.path, (printed) => formatTable(context, printed, options));
  }
  const sink = await openSink(context, plan);
  const toRows = rowsFor(plan);
  return {
    hasReasons: false,
    async print({ rows, verb }) {
      const { first, creations, quiet } = arrangeRows(rows, verb);
      await writeAll(sink, recordBatches([first, creations, quiet], toRows));
      if (plan.path !== undefined) addFile(context.facts, plan.path);
    },
    discard: sink.discard,
  };
}

/** JSON has one entry per row, unless columns are chosen. A list of IDs has each ID once. */
function rowsFor({ format, chosen }: OutputPlan): (row: PlanRow) => readonly Row[] {
  if (format === 'ids') return (row) => [codeOf(row)].filter(({ id }) => id !== undefined);
  if ((format === 'json' || format === 'ndjson') && !chosen) return (row) => [entryOf(row)];
  return recordsOf;
}

function* recordBatches(groups: readonly (readonly PlanRow[])[], toRows: (row: PlanRow) => readonly Row[]) {
  for (const group of groups) for (const rows of inChunks(group, ROWS_AT_ONCE)) yield rows.flatMap(toRows);
}

function textPrinter(
  { console, processes, facts }: Context,
  path: string | undefined,
  format: (printed: PrintedPlan) => Promise<string>,
): PlanPrinter {
  return {
    hasReasons: path === undefined,
    async print(printed) {
      const text = await format(printed);
      if (path === undefined) return console.write(console.harmless(text));
      await writeWholeFile(path, text, { processes });
      addFile(facts, path);
    },
    discard: async () => undefined,
  };
}

interface TableFormat {
  readonly plan: OutputPlan;
  readonly isRun: boolean;
  /** Maximum number of new codes; undefined for all. */
  readonly most: number | undefined;
}

/** Returns the table, and the reasons below it. After a run they are in its error. */
async function formatTable(
  context: Context,
  { rows, verb, reasons }: PrintedPlan,
  { plan, isRun, most }: TableFormat,
): Promise<string> {
  const { first, creations } = arrangeRows(rows, verb);
  const shown = [...first, ...creations.slice(0, most)].map(tableRow);
  const columns = TABLE_COLUMNS.filter(({ name }) => shown.some((row) => row[name] !== null));
  const formatter = (await loadFormatter(context, { ...plan, columns }))();
  const left = first.length + creations.length - shown.length;
  const width = context.console.isTerminal && plan.path === undefined ? context.console.width : undefined;
  const lines = [
    ...(left > 0 ? [`and ${countOf(left, 'more new code')} (--format table shows all)`] : []),
    ...(isRun ? [] : reasons).map(({ title, message }) => `${title}: ${clean(message)}`),
  ];
  const table = [formatter.begin(), formatter.rows(shown), formatter.end()]
    .map((piece) => textOf(piece))
    .join('');
  return table + lines.map((line) => `${wrapWords(line, width)}\n`).join('');
}
