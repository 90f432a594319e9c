/** `scans verify` from checked flags to the summary. */
import { UsageError } from '../../../base/errors.ts';
import { addFile, addRows } from '../../../base/run/run-summary.ts';
import { countOf } from '../../../base/text/quote.ts';
import type { Context } from '../../../context.ts';
import type { Column } from '../../../files/formats/columns.ts';
import type { TimedRows } from '../../../files/formats/row-sink.ts';
import type { CodeLabel } from '../../../scans/export/export-codes.ts';
import type { Range } from '../../../scans/export/range.ts';
import type { LogIndex } from '../../../scans/verify/log-index.ts';
import { verifyCodes } from '../../../scans/verify/verify-codes.ts';
import { fetchUnlisted } from '../../choose-codes.ts';
import { checkChoice, everyOf } from '../../code-choice.ts';
import { openSink, planOutput, writeAll } from '../../output-options.ts';
import { formatRange, type PlannedRange, planRange } from '../../range-options.ts';
import { rangeColumns } from '../predicted-cost.ts';
import { chooseLogged } from './choose-logged.ts';
import type { VerifyFlags } from './flags.ts';
import { indexLogs, readLogs } from './index-logs.ts';
import { openLog } from './open-log.ts';
import { covers, keptRange, listLogs, type ScanLog } from './scan-log.ts';
import { COLUMNS, failureOf, rowsOf, tellTotals, totalsOf, type VerifiedCode } from './tell-results.ts';

/**
 * Compares, and prints the codes and the days that differ. Throws PartialError if something differs, UnprovenError if a code can't be compared,
 * UsageError for files that are not of these codes or this workspace, and as listed in errors.ts.
 */
export async function runVerify(
  context: Context,
  names: readonly string[],
  flags: VerifyFlags,
): Promise<void> {
  checkChoice(names, flags);
  const settings = await context.settings();
  const range = await planRange(context, flags, settings.timezone);
  const output = await planOutput(context, { ...flags, output: undefined }, COLUMNS, 'list');
  const job = await planJob(context, names, { ...flags, places: placesOf(flags) }, range);
  if (flags.dryRun && !flags.repair) return printPlan(context, job, flags);
  const isRepair = flags.repair === true && !flags.dryRun;
  const results = await verify(context, {
    ...job,
    isRepair,
    accepts: flags.acceptGone === true && !flags.dryRun,
  });
  const { logged, added } = totalsOf(results);
  Object.assign(context.facts, { codes: results.length, rows: logged + added, added });
  const failure = await report(context, job, results, isRepair);
  // Under --quiet, cron mails only what differs.
  if (failure || !context.flags.quiet)
    await writeAll(await openSink(context, output), [results.flatMap(rowsOf)]);
  if (failure) throw failure;
}

type AppendedFlags = Pick<
  VerifyFlags,
  'outputDir' | 'all' | 'from' | 'name' | 'status' | 'type' | 'timezone'
> & {
  output?: string;
};

/** `scans export --append --verify`: compares and repairs what the export wrote. Throws like `runVerify`. */
export async function verifyAppended(
  context: Context,
  names: readonly string[],
  flags: AppendedFlags,
): Promise<void> {
  const settings = await context.settings();
  const { zone } = await planRange(context, { timezone: flags.timezone }, settings.timezone);
  const places = [flags.output ?? flags.outputDir ?? ''];
  const job = await planJob(
    context,
    names,
    { ...flags, places },
    { sinceMs: undefined, untilMs: undefined, zone },
  );
  const failure = await report(context, job, await verify(context, { ...job, isRepair: true }), true);
  if (failure) throw failure;
}

function placesOf({ input = [], outputDir }: VerifyFlags): string[] {
  const places = [...input, ...(outputDir === undefined ? [] : [outputDir])];
  if (places.length > 0) return places;
  throw new UsageError('missing --input or --output-dir', {
    hint: 'Specify the exported file with --input scans.csv, or the directory with --output-dir DIR.',
  });
}

interface Job {
  logs: readonly ScanLog[];
  /** Every code: rows of others are of codes that were deleted. */
  isAll: boolean;
  codes: readonly CodeLabel[];
  range: PlannedRange;
  movedFrom: string | undefined;
  isRepair?: boolean;
  /** Accepts deleted codes without reporting them. */
  accepts?: boolean;
}

async function planJob(
  context: Context,
  names: readonly string[],
  flags: Omit<AppendedFlags, 'output'> &
    Partial<Pick<VerifyFlags, 'movedFrom'>> & { places: readonly string[] },
  range: PlannedRange,
): Promise<Job> {
  const { places, movedFrom } = flags;
  // Without a key, no file is read.
  await context.service();
  const logs = await listLogs(context, places);
  const codes = await chooseLogged(context, names, { choice: flags, logs, places, movedFrom });
  return { logs, codes, range, movedFrom, isAll: everyOf(names, flags) === true };
}

async function verify(context: Context, job: Job): Promise<VerifiedCode[]> {
  const { logs, codes, isRepair, accepts } = job;
  if (!isRepair && !accepts) return verifyLogs(context, job);
  const results: VerifiedCode[] = [];
  for (const log of logs) {
    const own = codes.filter(({ id }) => covers(log, id));
    for (const result of await changeLog(context, log, { ...job, codes: own })) results.push(result);
  }
  const others = codes.filter(({ id }) => !logs.some((log) => covers(log, id)));
  return others.length === 0
    ? results
    : [...results, ...(await verifyLogs(context, { ...job, codes: others, isAll: false }))];
}

/** V8: the log is locked before its first row is read, so no other run adds the same scans. */
async function changeLog(context: Context, log: ScanLog, job: Job): Promise<VerifiedCode[]> {
  const isRefused = log.fault !== undefined && !log.isUnfinished;
  if (isRefused) return verifyLogs(context, { ...job, logs: [log] });
  const file = await openLog(context, log, job, await context.service());
  try {
    // It may have been rotated while this run waited for the lock.
    const logs = log.paths.length === 0 ? [log] : await listLogs(silent(context), [log.place, ...log.paths]);
    const results = await verifyLogs(context, { ...job, logs }, job.isRepair ? file.add : undefined);
    // A43: a service that returns 404 for every code may be another one, or broken.
    const mayAccept = job.accepts || job.codes.some(({ missing }) => !missing);
    if (mayAccept) for (const { code, outcome } of results) if (outcome === 'gone') file.noteGone(code.id);
    await file.commit();
    if (results.some(({ added }) => added > 0)) addFile(context.facts, file.path);
    return results;
  } finally {
    await file.discard();
    addRows(context.facts, file.contents().added);
  }
}

/** The same files were listed before. */
function silent(context: Context): Context {
  return { ...context, console: { ...context.console, warn: () => undefined } };
}

type Repair = (code: CodeLabel, batch: TimedRows) => Promise<number>;

async function verifyLogs(context: Context, job: Job, repair?: Repair): Promise<VerifiedCode[]> {
  const { logs, codes, range, isAll, accepts = false } = job;
  const service = await context.service();
  const covered = await indexLogs(context, job, { sinceMs: range.sinceMs, untilMs: range.untilMs });
  const states = logs.flatMap(({ state }) => state ?? []);
  const logged = new Set([
    ...covered.index.codes(),
    ...states.flatMap(({ overlaps }) => [...overlaps.keys()]),
  ]);
  // V7: also codes that the service no longer lists.
  const others = isAll ? await fetchUnlisted(service, codes, logged) : [];
  refuseForeign(job, covered.index);
  if (!job.isRepair && !accepts) refuseOutside(job, covered.rangeOf);
  const progress = context.console.progress('codes');
  try {
    const results = await verifyCodes({
      ...{ ...covered, codes: [...codes, ...others], service, width: service.concurrency, repair },
      readRows: (take) => readLogs(context, job, take),
      note: context.console.note,
      progress: (done) => progress.update({ done, total: codes.length }),
    });
    const isTold = (id: string) => states.some(({ overlaps }) => overlaps.get(id)?.isGone);
    return results.map((result) => ({ ...result, isAccepted: accepts || isTold(result.code.id) }));
  } finally {
    progress.stop();
  }
}

/** V13: throws UsageError for files without a state whose rows are all of other codes: they may be of another workspace. */
function refuseForeign({ logs, codes }: Job, index: LogIndex): void {
  const [log] = logs;
  const found = [...index.codes()];
  if (!log || found.length === 0 || logs.some(({ state }) => state) || codes.some(({ id }) => index.of(id)))
    return;
  throw new UsageError(
    `cannot verify ${log.place}: it has scans of ${countOf(found.length, 'other code')} only`,
    {
      hint: 'Specify the codes of the file, and the --profile of their workspace.',
    },
  );
}

/** V12: throws UsageError if no code has a range that can be compared. */
function refuseOutside({ logs, codes, range }: Job, rangeOf: (code: string) => Range | undefined): void {
  const [log] = logs;
  if (!log || codes.length === 0 || codes.some(({ id, missing }) => missing || rangeOf(id))) return;
  const kept = codes.flatMap(({ id }) => keptRange(log, id) ?? [])[0];
  const of = kept ? `the scans ${formatRange(kept, range.zone())}` : 'no scans';
  throw new UsageError(`cannot verify ${log.place}: it has ${of}, and none of the range to compare`, {
    hint: kept
      ? 'Pass a range that the file covers, or omit it.'
      : 'Export the scans first with `qrctl scans export`.',
  });
}

/** Notes what was compared. Resolves to the failure for differences that remain. */
async function report(
  context: Context,
  { logs, range }: Pick<Job, 'logs' | 'range'>,
  results: readonly VerifiedCode[],
  isRepair: boolean,
): Promise<Error | undefined> {
  const { requests } = (await context.service()).stats();
  tellTotals(context, results, { logs, zone: range.zone(), requests });
  return failureOf(results, { logs, isRepair });
}

/** Columns of `--dry-run`. */
export const PLAN_COLUMNS: readonly Column[] = [
  { name: 'id', importance: 1, keepWhole: true },
  { name: 'slug', importance: 5, keepWhole: true },
  { name: 'logged', importance: 4, align: 'right' },
  { name: 'since', importance: 2 },
  { name: 'until', importance: 3 },
];

/** `--dry-run`: what would be compared, by the files alone. */
async function printPlan(context: Context, job: Job, flags: VerifyFlags): Promise<void> {
  const output = await planOutput(context, { ...flags, output: undefined }, PLAN_COLUMNS, 'list');
  const { index, rangeOf } = await indexLogs(context, job, job.range);
  refuseOutside(job, rangeOf);
  const rows = job.codes.flatMap(({ id, slug = null }) => {
    const covered = rangeOf(id);
    if (!covered) return [];
    return [{ id, slug, logged: index.of(id)?.rows ?? 0, ...rangeColumns(covered.sinceMs, covered.untilMs) }];
  });
  await writeAll(await openSink(context, output), [rows]);
  context.console.note(
    `Would verify ${countOf(rows.length, 'code')} with about ${countOf(rows.length, 'request')}, and more if the files differ`,
  );
}
