/** A bulk run, and its files: the input, the results that appear whole at the end, and the journal that one run has at a time. */
import { ClosedPipeError, Failure, PartialError, UnprovenError, UsageError } from '../../base/errors.ts';
import { isDone, type RowResult } from '../../codes/input/outcomes.ts';
import type { ResultsCommand } from '../../codes/input/results-writer.ts';
import type { Context } from '../../context.ts';
import { acquireLock } from '../../files/durable/lock.ts';
import { type Checked, type Fault, type Input, type InputRow, refuseChecked } from '../../files/formats/read/input.ts';
import { isWrittenDirectly } from '../../files/formats/whole-file.ts';
import { withFlatMemory } from '../../service/v8-flags.ts';
import { readInput } from '../bulk-input.ts';
import { type BulkFlags, journalOf, resultsPathOf } from './bulk-flags.ts';
import { openBulkOutput } from './bulk-output.ts';
import { noteResults, outranked, tellHowFar, tellSummary, throwIfStopped } from './bulk-progress.ts';
import { checkResultsPlace, openResultsBefore, type ResultsBefore } from './earlier-results.ts';
import { requireServiceFor, tellColumns, tellOffline, tellWarnings } from './tell-checked.ts';

/** A file of rows that was checked and has no faults. */
export interface BulkRun<R> {
  input: Input;
  rows: readonly R[];
  /** Of the results; undefined if they are only printed. */
  path: string | undefined;
  /** Content of the file at that path; undefined without one. */
  before: ResultsBefore | undefined;
  /**
   * Warnings about the rows. A command that finds more with the help of the service adds them, and prints them unless this is a dry run.
   */
  warnings: Fault[];
}

/** Differences between create, update and delete. */
interface BulkVerb<R extends InputRow> {
  command: ResultsCommand;
  /** Its input may be a list of ids or slugs. */
  bareNames?: boolean;
  check(input: Input, signal: AbortSignal): Promise<Checked<R>>;
  /** `--dry-run`; prints the warnings too. */
  preview(run: BulkRun<R>): Promise<void>;
  /** Sends the rows. `failure` is thrown after the results are written; an error that is thrown directly leaves them unwritten. */
  send(run: BulkRun<R>): Promise<{ results: readonly RowResult[]; failure: unknown }>;
  /** Rows to print, if not all; if there are none, nothing is printed, so that cron sends no mail. */
  isNews?: (result: RowResult) => boolean;
}

/**
 * Checks everything, sends the rows, and writes the results. Throws as listed in errors.ts; after rows were sent, only when the results are
 * written.
 */
export function runBulk<R extends InputRow>(context: Context, from: string, flags: BulkFlags, verb: BulkVerb<R>): Promise<void> {
  return withFlatMemory(() => run(context, from, flags, verb));
}

async function run<R extends InputRow>(context: Context, from: string, flags: BulkFlags, verb: BulkVerb<R>): Promise<void> {
  const { input, checked } = await readChecked(context, from, flags, verb);
  const path = resultsPathOf(context.files, from, flags, input.form);
  tellColumns(context, checked);
  if (flags.offline) return tellOffline(context, input, checked);
  const before = path === undefined ? undefined : openResultsBefore(path);
  const checkedRun: BulkRun<R> = { input, rows: checked.rows, path, before, warnings: checked.warnings };
  // The printed rows may be fewer, or more.
  const countRows = () => {
    context.facts.rows = checkedRun.rows.length;
  };
  if (flags.dryRun) {
    await requireServiceFor(context, input);
    return verb.preview(checkedRun).finally(countRows);
  }
  tellWarnings(context, input, checkedRun.warnings);
  const replaced =
    path === undefined || before === undefined
      ? undefined
      : await checkResultsPlace({ path, before, command: verb.command, overwrite: flags.overwrite === true });

  await context.service();
  const output = await openBulkOutput(context, input, path, flags);
  try {
    const { results, failure: sent } = await verb.send(checkedRun);
    noteResults(context, results);
    const kind = path === undefined ? 'stream' : 'file';
    if (path !== undefined) throwIfStopped(context, results, kind);
    const failure = path === undefined ? withoutRerun(context, sent, results) : sent;
    await output.commit(results, verb.isNews).catch((error) => {
      if (path === undefined || !(error instanceof ClosedPipeError)) tellHowFar(context, results, kind);
      throw outranked(error, failure);
    });
    await tellSummary(context, results, checkedRun);
    // The other commands know from their journals which rows were done before; this one has no other record.
    if (verb.command === 'qr update' && replaced !== undefined)
      context.console.note(`Replaced the results of an earlier run in ${path}: ${replaced}`);
    if (failure !== undefined) throw failure;
  } finally {
    await output.discard();
    countRows();
  }
}

/** Reads and checks the input. Its rows are the checked ones, which say the same, so that they are in memory once. Throws UsageError. */
async function readChecked<R extends InputRow>(context: Context, from: string, flags: BulkFlags, verb: BulkVerb<R>) {
  const read = await readInput(context, from, { ...flags, bareNames: verb.bareNames });
  const checked = await verb.check(read, context.signal);
  refuseChecked(read, checked, flags.strict);
  return { input: { ...read, rows: checked.rows }, checked };
}

/** Advice about unfinished rows of standard input: the same command line would create the others a second time. */
const RESUMABLE = 'To make a run resumable, save the rows in a file and use --from FILE, or add --results FILE.';

/** Returns the error at the end of a run that cannot be resumed, also after an interruption: its hint must not suggest to run it again. */
function withoutRerun({ signal }: Context, sent: unknown, results: readonly RowResult[]): unknown {
  const failure = signal.aborted ? signal.reason : sent;
  if (!(failure instanceof Failure) || results.every(isDone)) return failure;
  const isRowsOwn = failure instanceof PartialError || failure instanceof UnprovenError;
  const rows = `Check the output for completed rows. ${RESUMABLE}`;
  failure.hint = failure.hint === undefined || isRowsOwn ? rows : `${failure.hint}\n${rows}`;
  return failure;
}

/** Throws UsageError if the results are not a regular file: the next run reads them, and the journal is next to them. */
async function refuseDevice(path: string): Promise<void> {
  if (!(await isWrittenDirectly(path))) return;
  throw new UsageError(`cannot write results to ${path}: it is not a regular file`, {
    hint: 'Specify a regular file with --results.',
  });
}

/**
 * Runs `work` with the journal of these results, exclusively, or without one if there is no results file. Throws UsageError if the results
 * are not a regular file.
 */
export async function withJournal<T>(
  context: Context,
  results: string | undefined,
  work: (path: string | undefined) => Promise<T>,
): Promise<T> {
  if (results === undefined) return work(undefined);
  const { clock, signal, console } = context;
  await refuseDevice(results);
  const path = journalOf(results);
  const onWait = () => console.note(`Waiting for another run that is using ${path}`);
  const lock = await acquireLock(path, { clock, signal, onWait });
  try {
    return await work(path);
  } finally {
    await lock.release();
  }
}
