import { inChunks } from '#base/collections';
import { exitCodeOf, Failure, messageOf } from '#base/errors';
import { clean } from '#base/text/clean';
import { countOf, quote } from '#base/text/quote';
import { formatDuration } from '#base/time/time';
import type { RowEnd } from '#codes/engine/executor/job';
import { describeBrakes } from '#codes/engine/plan/brakes';
import type { Plan } from '#codes/engine/plan/model';
import type { PlanRow, Verb } from '#codes/engine/results/explain';
import {
  countRequests,
  describeExisting,
  failureOfPlan,
  reasonOfPlan,
} from '#codes/engine/results/run-failure';
import { loadFormatter, openSink, planOutput, writeAll, writeText } from '#commands/output-options';
import { noteWarnings } from '#commands/qr/rows/notes';
import type { Context } from '#context';
import type { Column } from '#files/formats/columns';
import { textOf } from '#files/formats/formatter';
import type { OutputFlags, OutputPlan } from '#files/formats/plan-output';
import type { Fault, Source } from '#files/formats/read/input';
import type { Row } from '#files/formats/row-sink';
import { waitMsFor } from '#service/rate-limit/rate-limit';
import { wrapWords } from '#terminal/wrap-words';
import { arrangeRows, describeAbsent, describeRows } from './arrange-rows.ts';
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

export function plannedRun(plan: Plan, { name, verb }: Pick<PrintedPlan, 'name' | 'verb'>): PrintedPlan {
  const { exit, message, hint } = reasonOfPlan(plan, verb);
  const title = plan.brakes.length > 0 ? 'Nothing would be sent' : TITLES[exit];
  const isCount = exit !== 9 && hint === undefined;
  const reasons: Reason[] = [{ title: `${title} (exit code ${exit} with --exit-code)`, message, isCount }];
  if (hint !== undefined) reasons.push({ title: 'Next step', message: hint });
  const rows = plan.items.map((item): PlanRow => ({ item }));
  return { name, verb, rows, unmanaged: plan.unmanaged, absent: plan.absent, reasons };
}

export function endedRun(
  plan: Plan,
  ends: readonly RowEnd[],
  { name, verb, failure }: Pick<PrintedPlan, 'name' | 'verb'> & { failure: unknown },
): PrintedPlan {
  const { unmanaged, absent } = plan;
  return { name, verb, rows: ends, unmanaged, absent, reasons: reasonsOf(failure) };
}

function reasonsOf(failure: unknown): Reason[] {
  if (failure === undefined) return [];
  const [message = ''] = messageOf(failure).split('\n');
  const reasons = [{ title: `Not finished (exit code ${exitCodeOf(failure)})`, message }];
  if (failure instanceof Failure && failure.hint !== undefined)
    reasons.push({ title: 'Next step', message: failure.hint });
  return reasons;
}

/** Maximum number of new codes that a terminal shows by default, so that later lines stay visible. */
const MOST_CREATIONS = 10;

const ROWS_AT_ONCE = 1000;

export interface PlanPrinter {
  hasReasons: boolean;
  print(printed: PrintedPlan): Promise<void>;
  moreRequests?(): number;
  discard?(): Promise<void>;
}

export async function openPlanOutput(
  context: Context,
  flags: OutputFlags,
  isRun: boolean,
  columns: readonly Column[] = isRun ? APPLIED_COLUMNS : PLAN_COLUMNS,
): Promise<PlanPrinter> {
  const plan = await planOutput(context, flags, columns, 'list');
  if (plan.format === 'markdown' && !plan.chosen) return textPrinter(context, plan.path, formatMarkdown);
  if (plan.format === 'table' && !plan.chosen) {
    const isCut = context.console.isTerminal && flags.format === undefined;
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
    },
    discard: sink.discard,
  };
}

function rowsFor({ format, chosen }: OutputPlan): (row: PlanRow) => readonly Row[] {
  if (format === 'ids') return (row) => [codeOf(row)].filter(({ id }) => id !== undefined);
  if ((format === 'json' || format === 'ndjson') && !chosen) return (row) => [entryOf(row)];
  return recordsOf;
}

function* recordBatches(groups: readonly (readonly PlanRow[])[], toRows: (row: PlanRow) => readonly Row[]) {
  for (const group of groups) for (const rows of inChunks(group, ROWS_AT_ONCE)) yield rows.flatMap(toRows);
}

function textPrinter(
  context: Context,
  path: string | undefined,
  format: (printed: PrintedPlan) => string | Promise<string>,
): PlanPrinter {
  return {
    hasReasons: path === undefined,
    print: async (printed) => writeText(context, path, await format(printed)),
  };
}

async function formatTable(
  context: Context,
  { rows, verb, reasons }: PrintedPlan,
  { plan, isRun, most }: { plan: OutputPlan; isRun: boolean; most?: number },
): Promise<string> {
  const { first, creations } = arrangeRows(rows, verb);
  const shown = [...first, ...creations.slice(0, most)].map(tableRow);
  const columns = TABLE_COLUMNS.filter(({ name }) => shown.some((row) => row[name] !== null));
  const formatter = await loadFormatter(context, { ...plan, columns });
  const left = first.length + creations.length - shown.length;
  const width = context.console.isTerminal && plan.path === undefined ? context.console.width : undefined;
  const lines = [
    ...(left > 0 ? [`and ${countOf(left, 'more new code')} (--format table shows all)`] : []),
    ...(isRun ? [] : reasons.filter(({ isCount }) => !isCount)).map(
      ({ title, message }) => `${title}: ${clean(message)}`,
    ),
  ];
  const table = [formatter.begin(), formatter.rows(shown), formatter.end()]
    .map((piece) => textOf(piece))
    .join('');
  return table + lines.map((line) => `${wrapWords(line, width)}\n`).join('');
}

export interface DryRun {
  plan: Plan;
  verb: Verb;
  file: Source;
  warnings: readonly Fault[];
  spent: number;
  exitCode: boolean;
}

/**
 * Prints a plan. With --exit-code, throws UnprovenError (9) for decisions and refused plans, and PartialError
 * (8) for changes.
 */
export async function endDryRun(context: Context, printer: PlanPrinter, run: DryRun): Promise<void> {
  const { plan, verb, file, warnings, spent, exitCode } = run;
  const printed = plannedRun(plan, { name: file.name, verb });
  await printer.print(printed);
  noteWarnings(context, file, [...warnings, ...plan.warnings]);
  notePlan(context, plan, verb);
  if (plan.brakes.length > 0 && !printer.hasReasons && !exitCode) {
    const { message, hint } = describeBrakes(plan.brakes);
    context.console.warn(`a run would send nothing: ${message}. ${hint}`);
  }
  const requests =
    spent + (plan.brakes.length > 0 ? 0 : countRequests(plan)) + (printer.moreRequests?.() ?? 0);
  const waitMs = waitMsFor(requests, (await context.service()).rateLimit());
  const wait = waitMs > 0 ? ` in ${formatDuration(waitMs)}` : '';
  const others = plan.unmanaged > 0 ? `; ${countOf(plan.unmanaged, 'other code')} in the workspace` : '';
  context.console.note(
    `${describeRows(printed.rows)} (about ${countOf(requests, 'request')}${wait})${others}. No changes were made`,
  );
  if (!exitCode) return;
  const failure = failureOfPlan(plan, verb);
  if (failure !== undefined) throw failure;
}

const MOST_NAMED = 5;

export function notePlan({ console }: Context, { items, absent }: Plan, verb: Verb): void {
  const existing = verb === 'create' ? items.filter(({ action }) => action === 'exists').length : 0;
  const note = describeExisting(existing);
  if (note !== undefined) console.note(note);
  const gone = items.filter(({ action }) => action === 'deleted').length;
  if (gone > 0) console.note(`No code exists for ${countOf(gone, 'row')}: deleted before, or never created`);
  const slugs = absent.map(({ slug }) => quote(slug));
  if (slugs.length > 0) console.note(describeAbsent(slugs, MOST_NAMED));
}
