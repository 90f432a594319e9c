/** A bulk run, and its files: the input, the results that appear whole at the end, and the journal that one run has at a time. */
import { type Fault, formatFault, type Input } from '../../bulk/input.ts';
import { isDone, type RowResult } from '../../bulk/results.ts';
import type { ResultsCommand } from '../../bulk/results-writer.ts';
import type { Context } from '../../context.ts';
import { acquireLock } from '../../durable/lock.ts';
import { ClosedPipeError, Failure, PartialError, UnprovenError, UsageError } from '../../errors.ts';
import { isWrittenDirectly } from '../../output/whole-file.ts';
import { inQuotes } from '../../quote.ts';
import { type BulkFlags, journalOf, resultsPathOf } from './bulk-flags.ts';
import { readInput } from './bulk-input.ts';
import { openBulkOutput } from './bulk-output.ts';
import { outranked, tellHowFar, tellSummary, throwIfStopped } from './bulk-progress.ts';
import { checkResultsPlace, isJournal } from './earlier-results.ts';

/** What differs between create, update and delete; `path` is that of the results, undefined if they are only printed. */
interface BulkVerb<R> {
  command: ResultsCommand;
  /** Its input may be a list of ids or slugs. */
  bareNames?: boolean;
  /** Throws UsageError with every fault of the rows. */
  check(input: Input): { rows: R[]; warnings: readonly Fault[]; unread: readonly string[] };
  /** `--dry-run` */
  preview(rows: readonly R[], path: string | undefined): Promise<void>;
  /** Sends the rows. `failure` is what to throw once the results are written; whatever is thrown at once leaves them unwritten. */
  send(rows: readonly R[], path: string | undefined): Promise<{ results: readonly RowResult[]; failure: unknown }>;
  /** What is printed, where that is not every row; where there is none, nothing is, so that cron has nothing to mail. */
  isNews?: (result: RowResult) => boolean;
}

/** Checks everything, sends what is to be sent, and writes the results. Throws what errors.ts lists, after that where rows were sent. */
export async function runBulk<R>(context: Context, from: string, flags: BulkFlags, verb: BulkVerb<R>): Promise<void> {
  const input = await readInput(context, from, { ...flags, bareNames: verb.bareNames });
  const { rows, warnings, unread } = verb.check(input);
  const path = resultsPathOf(from, flags, input.form);
  await refuseJournals([path, flags.output]);
  tellHidden(context, input);
  tellWarnings(context, warnings);
  if (unread.length > 0) context.console.note(`not read: ${unread.map(shownColumn).join(', ')}`);
  if (flags.dryRun) return verb.preview(rows, path);
  const replaced =
    path === undefined
      ? undefined
      : await checkResultsPlace({ path, command: verb.command, overwrite: flags.overwrite === true });

  await context.service();
  const output = await openBulkOutput(context, input, path, flags);
  try {
    const { results, failure: sent } = await verb.send(rows, path);
    const kind = path === undefined ? 'stream' : 'file';
    if (path !== undefined) throwIfStopped(context, results, kind);
    const failure = path === undefined ? withoutRerun(context, sent, results) : sent;
    await output.commit(results, verb.isNews).catch((error) => {
      if (path === undefined || !(error instanceof ClosedPipeError)) tellHowFar(context, results, kind);
      throw outranked(error, failure);
    });
    await tellSummary(context, results, path);
    // The others know from their journals what was done before; nothing else does here.
    if (verb.command === 'qr update' && replaced !== undefined)
      context.console.note(`Replaced the results of an earlier run in ${path}: ${replaced}`);
    if (failure !== undefined) throw failure;
  } finally {
    await output.discard();
  }
}

/** What to do about rows of standard input that are not done: running the same line again would create those that are a second time. */
const RESUMABLE = 'to make a run resumable, save the rows in a file and use --from FILE, or add --results FILE';

/** What to throw at the end of a run that cannot be resumed, also if somebody stopped it: its hint must not say to run it again. */
function withoutRerun({ signal }: Context, sent: unknown, results: readonly RowResult[]): unknown {
  const failure = signal.aborted ? signal.reason : sent;
  if (!(failure instanceof Failure) || results.every(isDone)) return failure;
  const isRowsOwn = failure instanceof PartialError || failure instanceof UnprovenError;
  const rows = `the output says which rows are done; ${RESUMABLE}`;
  failure.hint = failure.hint === undefined || isRowsOwn ? rows : `${failure.hint}\n${rows}`;
  return failure;
}

/** Throws UsageError where the results are to go into what is no file: the next run reads them, and its journal lies beside them. */
async function refuseDevice(path: string): Promise<void> {
  if (!(await isWrittenDirectly(path))) return;
  throw new UsageError(`cannot keep results in ${path}: it is not a regular file`, { hint: 'name a file with --results' });
}

/** Throws UsageError where a file that would be replaced is the journal of a run: what was sent would be forgotten. */
async function refuseJournals(paths: readonly (string | undefined)[]): Promise<void> {
  for (const path of paths) {
    if (path === undefined || !(await isJournal(path))) continue;
    throw new UsageError(`${path} is the journal of a bulk run, and would be overwritten`, { hint: 'name another file' });
  }
}

/** A person who filtered a sheet means the rows that are left. */
function tellHidden({ console }: Context, { name, rows, hiddenRows = 0 }: Input): void {
  if (hiddenRows === 0) return;
  const [count, verb] = [`${hiddenRows} of ${rows.length} rows`, hiddenRows === 1 ? 'is' : 'are'];
  console.warn(`${count} in ${name} ${verb} hidden and ${verb} included: omit hidden rows with --visible-only`);
}

const MOST_WARNINGS = 10;

/** One line a warning, up to a screenful. */
function tellWarnings({ console }: Context, warnings: readonly Fault[]): void {
  for (const warning of warnings.slice(0, MOST_WARNINGS)) console.warn(formatFault(warning));
  if (warnings.length > MOST_WARNINGS) console.warn(`and ${warnings.length - MOST_WARNINGS} more like these`);
}

/** As it stands in the file, where it is a plain word. */
function shownColumn(column: string): string {
  return /^[\p{L}\p{N} ._-]{1,60}$/u.test(column) ? column : inQuotes(column);
}

/** Does `work` with the journal of these results, while no other run uses it, or without results with none. Throws UsageError where they are to go into no file. */
export async function withJournal<T>(
  context: Context,
  results: string | undefined,
  work: (path: string | undefined) => Promise<T>,
): Promise<T> {
  if (results === undefined) return work(undefined);
  const { clock, signal, console } = context;
  await refuseDevice(results);
  const path = journalOf(results);
  const onWait = () => console.note(`another run is working on ${path}: waiting for it`);
  const lock = await acquireLock(path, { clock, signal, onWait });
  try {
    return await work(path);
  } finally {
    await lock.release();
  }
}
