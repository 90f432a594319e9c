/** `scans verify` from checked flags to the summary. */
import type { CodeLabel } from '../../../complete/export-codes.ts';
import type { Range } from '../../../complete/range.ts';
import type { Context } from '../../../context.ts';
import { UsageError } from '../../../errors.ts';
import type { Column } from '../../../rows/columns.ts';
import type { TimedRows } from '../../../rows/row-sink.ts';
import { addFile, addRows } from '../../../run/run-summary.ts';
import type { Service } from '../../../service/service.ts';
import { countOf } from '../../../text/quote.ts';
import { type CodeResult, verifyCodes } from '../../../verify/verify-codes.ts';
import { chooseLabels, fetchLabels } from '../../choose-codes.ts';
import { checkChoice, everyOf } from '../../code-choice.ts';
import { openSink, planOutput, writeAll } from '../../output-options.ts';
import { planRange } from '../../range-options.ts';
import { rangeColumns } from '../predicted-cost.ts';
import type { VerifyFlags } from './flags.ts';
import { openLog } from './open-log.ts';
import { indexLogs, listLogs, readLogs, type ScanLog } from './scan-log.ts';
import { COLUMNS, failureOf, rowsOf, tellTotals, totalsOf, type WayOn } from './tell-results.ts';

/**
 * Compares, and prints the codes and the days that differ. Throws PartialError if something differs, UnprovenError if a code can't be compared,
 * UsageError for files that are not of these codes, and as listed in errors.ts.
 */
export async function runVerify(context: Context, names: readonly string[], flags: VerifyFlags): Promise<void> {
  checkChoice(names, flags);
  const place = placeOf(flags);
  const settings = await context.settings();
  const range = await planRange(context, flags, settings.timezone);
  const output = await planOutput(context, { ...flags, output: undefined }, COLUMNS, 'list');
  const service = await context.service();
  const { codes } = await chooseLabels(context, names, flags, { isWanted: true });
  const logs = await listLogs(context, place, codes);
  if (flags.dryRun && !flags.repair) return printPlan(context, { logs, codes, range }, flags);
  const isRepair = flags.repair === true && !flags.dryRun;
  const results = await verify(context, { logs, codes, range, service, isRepair, isAll: everyOf(names, flags) === true });
  await writeAll(await openSink(context, output), [results.flatMap(rowsOf)]);
  const { logged, added } = totalsOf(results);
  Object.assign(context.facts, { codes: results.length, rows: logged + added, added });
  const canRepair = logs.every(({ state }) => state !== undefined);
  report(context, results, service, place, isRepair ? undefined : canRepair ? 'add' : 'export');
}

/** `scans export --append --verify`: compares and repairs what the export wrote. Throws like `runVerify`. */
export async function verifyAppended(
  context: Context,
  names: readonly string[],
  flags: Pick<VerifyFlags, 'output' | 'outputDir' | 'all' | 'from' | 'name' | 'status' | 'type'>,
): Promise<void> {
  const place = placeOf(flags);
  const service = await context.service();
  const { codes } = await chooseLabels(context, names, flags, { isWanted: true });
  const logs = await listLogs(context, place, codes);
  const results = await verify(context, {
    logs,
    codes,
    range: {},
    service,
    isRepair: true,
    isAll: everyOf(names, flags) === true,
  });
  report(context, results, service, place, undefined);
}

function placeOf({ output, outputDir }: Pick<VerifyFlags, 'output' | 'outputDir'>): string {
  if (output !== undefined && outputDir !== undefined)
    throw new UsageError("--output can't be used with --output-dir", { hint: 'Omit either --output or --output-dir.' });
  const place = output ?? outputDir;
  if (place === undefined || place === '-')
    throw new UsageError('missing --output or --output-dir', {
      hint: 'Specify the exported file with -o scans.csv, or the directory with --output-dir DIR.',
    });
  return place;
}

interface Job {
  logs: readonly ScanLog[];
  /** Every code: rows of others are of codes that were deleted. */
  isAll: boolean;
  codes: readonly CodeLabel[];
  range: Partial<Range>;
  service: Service;
  isRepair: boolean;
}

async function verify(context: Context, job: Job): Promise<CodeResult[]> {
  const { logs, codes, isRepair } = job;
  if (!isRepair) return verifyLogs(context, job);
  const results: CodeResult[] = [];
  for (const log of logs) {
    // Codes of other files are not in this one.
    const isOwn = ({ id }: CodeLabel) => logs.length === 1 || id === log.codeId || log.state?.newestMs.has(id) === true;
    for (const result of await repairLog(context, log, { ...job, codes: codes.filter(isOwn) })) results.push(result);
  }
  return results;
}

/** V8: the log is locked before its first row is read, so no other run adds the same scans. */
async function repairLog(context: Context, log: ScanLog, job: Job): Promise<CodeResult[]> {
  const file = await openLog(context, log, job.codes, job.service);
  try {
    const place = log.keptBy && ('directory' in log.keptBy ? log.keptBy.directory : log.keptBy.file);
    // It may have been rotated while this run waited for the lock.
    const logs = place === undefined ? [log] : await listLogs(silent(context), place, job.codes);
    const results = await verifyLogs(context, { ...job, logs }, file.add);
    await file.commit();
    if (results.some(({ added }) => added > 0)) addFile(context.facts, file.path);
    return results;
  } finally {
    await file.discard();
    addRows(context.facts, file.contents().added);
  }
}

/** The same files were named before. */
function silent(context: Context): Context {
  return { ...context, console: { ...context.console, note: () => undefined } };
}

type Repair = (code: CodeLabel, batch: TimedRows) => Promise<number>;

async function verifyLogs(context: Context, { logs, codes, range, service, isAll }: Job, repair?: Repair): Promise<CodeResult[]> {
  const { index, rangeOf } = await indexLogs(context, logs, range);
  const others = isAll ? await deletedCodes(service, codes, [...index.codes()]) : [];
  const progress = context.console.progress('codes');
  try {
    return await verifyCodes({
      ...{ codes: [...codes, ...others], index, rangeOf, service, width: service.concurrency, repair },
      readRows: (take) => readLogs(context, logs, take),
      note: context.console.note,
      progress: (done) => progress.update({ done, total: codes.length }),
    });
  } finally {
    progress.stop();
  }
}

/** V7: codes of which the log has rows and that are not listed; each is requested, because it may have been created since. */
async function deletedCodes(
  service: Pick<Service, 'getCode' | 'concurrency'>,
  codes: readonly CodeLabel[],
  logged: readonly string[],
): Promise<CodeLabel[]> {
  const listed = new Set(codes.map(({ id }) => id));
  return fetchLabels(
    service,
    logged.filter((id) => !listed.has(id)),
  );
}

/** Notes what was compared. Throws for differences that remain. */
function report(
  context: Context,
  results: readonly CodeResult[],
  service: Pick<Service, 'stats'>,
  place: string,
  wayOn: WayOn,
): void {
  tellTotals(context, results, service.stats().requests);
  const failure = failureOf(results, place, wayOn);
  if (failure) throw failure;
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
async function printPlan(
  context: Context,
  { logs, codes, range }: Pick<Job, 'logs' | 'codes' | 'range'>,
  flags: VerifyFlags,
): Promise<void> {
  const output = await planOutput(context, { ...flags, output: undefined }, PLAN_COLUMNS, 'list');
  const { index, rangeOf } = await indexLogs(context, logs, range);
  const rows = codes.flatMap(({ id, slug = null }) => {
    const covered = rangeOf(id);
    if (!covered) return [];
    return [{ id, slug, logged: index.of(id)?.rows ?? 0, ...rangeColumns(covered.sinceMs, covered.untilMs) }];
  });
  await writeAll(await openSink(context, output), [rows]);
  context.console.note(
    `Would verify ${countOf(rows.length, 'code')} with about ${countOf(rows.length, 'request')}, and more if the files differ`,
  );
}
