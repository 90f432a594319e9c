import { MOST_ROWS } from '#base/bounds';
import { NotFoundError } from '#base/errors';
import { fetchInOrder } from '#base/parallel';
import { formatClosing } from '#base/run/closing-line';
import { keepMemoryFlat } from '#base/run/v8-flags';
import { keyPrefix } from '#base/text/key';
import { countOf } from '#base/text/quote';
import { formatDuration } from '#base/time/time';
import { chooseLabelsOfLog } from '#commands/choose-codes';
import { CODE_ARGUMENTS, defineCommand } from '#commands/define';
import { FILES_READ } from '#commands/input-option';
import { openSink } from '#commands/output-options';
import { RANGE_FORMS } from '#commands/range-options';
import type { Context } from '#context';
import type { Column } from '#files/formats/columns';
import { LOCAL_TIME } from '#scans/export/added-columns';
import {
  describeFailures,
  explainFailure,
  notRebuilt,
  partly,
  separateDeleted,
  wereDeleted,
} from '#scans/export/code-failures';
import type { CodeFailure, CodeLabel } from '#scans/export/export-codes';
import { codesOfLog, type ExportPlan, refuseKept, savedPositions } from '#scans/export/export-plan';
import { countRange } from '#scans/export/truncated-total';
import { formatLocalRange } from '#scans/format-local-range';
import { waitMsFor } from '#service/rate-limit/rate-limit';
import type { Service } from '#service/service';
import { MAX_SCANS_PAGE } from '#service/shapes';
import type { Progress } from '#terminal/console';
import { COST_COLUMNS, costRecord, printPlan, rangeRecord, scanOutputs } from './columns.ts';
import { type ExportFlags, options, planExport } from './plan-export.ts';

const PLAN_COLUMNS: readonly Column[] = [
  ...['codes', 'since', 'until', 'scans'].map((name) => ({ name })),
  ...COST_COLUMNS,
];

export const command = defineCommand({
  description:
    'Exports raw scans, oldest first, complete or not at all.\n\n' +
    `If an export cannot be verified as complete, it fails and changes no file. ${FILES_READ} ${RANGE_FORMS}`,
  arguments: CODE_ARGUMENTS,
  options,
  columns: [...scanOutputs([LOCAL_TIME]), { when: '--dry-run', columns: PLAN_COLUMNS }],
  examples: [
    [
      'qrctl scans export --all --during last-month -o last-month.csv',
      "Export last month's scans of every code",
    ],
    [
      'qrctl scans export spring-menu -o scans.csv --append --quiet',
      'Append new scans, for example in an hourly cron job',
    ],
    [
      'qrctl scans export --all --output-dir lake -f parquet --partition-by day',
      'Write a dataset for DuckDB, Spark or BigQuery',
    ],
  ],
  async run(context, { args, options: flags }) {
    const started = context.clock.monotonic();
    const plan = await planExport(context, args, flags);
    await refuseKept(plan, args);
    if (flags.input) return convert(context, plan, [...flags.input, ...args]);
    await exportChosen(context, args, flags, plan, started);
    if (!flags.verify || flags.dryRun) return;
    const { verifyAppended } = await import('./verify.ts');
    await verifyAppended(context, args, flags, flags.output ?? flags.outputDir ?? '');
  },
});

async function convert(context: Context, plan: ExportPlan, paths: readonly string[]): Promise<void> {
  const [{ convertLogs }, { listLogs }] = await Promise.all([
    import('#scans/dataset/convert-logs'),
    import('#scans/verify/scan-log'),
  ]);
  const { directory, partition } = plan;
  if (directory === undefined || !partition) return;
  const logs = await listLogs(context, paths);
  for (const log of logs)
    context.files.use(...log.paths.map((path) => ({ flag: '--input', path, writes: false })));
  await convertLogs(context, { ...plan, directory, partition }, logs, await context.service());
}

async function exportChosen(
  context: Context,
  names: readonly string[],
  flags: ExportFlags,
  plan: ExportPlan,
  started: number,
): Promise<void> {
  const service = await context.service();
  const { profile, apiKey } = await context.connected();
  const progress = context.console.progress('scans');
  try {
    progress.update({ done: 0, detail: 'finding the codes' });
    const need = { isWanted: plan.named, doubt: plan.proveBeyond ? ('any' as const) : ('usual' as const) };
    const codes = await chooseLabelsOfLog(context, names, flags, need, await codesOfLog(plan));
    if (flags.dryRun) return await printDryRun(context, plan, codes, service);
    await exportAll(context, plan, codes, await sourceOf(plan, codes, service), { started, progress });
  } catch (error) {
    const { added = 0, files = [] } = context.facts;
    await explainFailure(context.signal.aborted ? context.signal.reason : error, {
      profile,
      key: keyPrefix(apiKey),
      place: plan.directory ?? plan.append?.path ?? plan.output.path,
      isAppend: plan.append !== undefined,
      added,
      files: files.length,
      isPerCode: plan.directory !== undefined && plan.partition === undefined,
    });
    throw error;
  } finally {
    progress.stop();
  }
}

async function sourceOf(plan: ExportPlan, codes: readonly CodeLabel[], service: Service): Promise<Service> {
  if (plan.output.format !== 'xlsx') return service;
  const { requireWorkbookRows } = await import('#scans/export/workbook-rows');
  return requireWorkbookRows(service, codes, plan);
}

async function exportAll(
  context: Context,
  plan: ExportPlan,
  codes: readonly CodeLabel[],
  service: Service,
  { started, progress }: { started: number; progress: Progress },
): Promise<void> {
  const [{ exportCodes }, { openSinks }] = await Promise.all([
    import('#scans/export/export-codes'),
    import('#scans/export/open-sinks'),
  ]);
  const { facts, console, clock, signal } = context;
  const openDocument = (output: ExportPlan['output']) => openSink(context, output);
  const sinks = await openSinks(context, plan, { codes, service, openDocument });
  const keepFlat = keepMemoryFlat();
  try {
    const summary = await exportCodes({
      service,
      codes,
      untilMs: plan.untilMs,
      proveBeyond: plan.proveBeyond,
      clock,
      signal,
      openSink: sinks.open,
      note: console.note,
      progress({ rows, total, estimate, codes: done, range }) {
        Object.assign(facts, { codes: done, range });
        keepFlat();
        const { requests } = service.stats();
        const left = rows === 0 ? 0 : Math.ceil((requests * ((total ?? estimate) - rows)) / rows);
        const waitMs = waitMsFor(left, service.rateLimit());
        const part = codes.length > 1 ? `, ${done} of ${countOf(codes.length, 'code')}` : '';
        const detail = `${countOf(requests, 'request')}${part}`;
        progress.update({ done: rows, total, estimate, waitMs, detail });
      },
    });
    Object.assign(facts, { codes: summary.codes, range: summary.range });
    if (summary.codes === 0 && summary.failures[0]) throw summary.failures[0].error;
    // With --restart of a single file, keeps the old file if the new one lacks the scans of a code.
    if (summary.failures.length > 0 && plan.append?.restart && plan.directory === undefined)
      throw notRebuilt(summary.failures, codes.length, plan.append.path);
    const { failed, deleted } = await separateDeleted(summary.failures, sinks, service);
    await sinks.commit();
    progress.stop();
    const what = `${countOf(summary.scans, 'scan')} of ${countOf(summary.codes, 'code')}`;
    const range = formatLocalRange(summary.range, plan.zone());
    const cost = costWords(service, clock.monotonic() - started);
    const { place } = sinks;
    const label = plan.directory === undefined ? 'File' : 'Directory';
    console.note(formatClosing(`Exported ${what} ${range}`, cost, place && `${label}: ${place}`));
    if (failed.length > 0) throw partly([...failed, ...deleted], codes.length, plan.append !== undefined);
    if (deleted.length > 0) throw wereDeleted(deleted, codes.length);
  } finally {
    await sinks.discard();
    for (const line of sinks.remarks) console.warn(line, true);
    Object.assign(facts, sinks.contents());
  }
}

function costWords(service: Service, ms: number): string[] {
  const { requests, pauses, pausedMs } = service.stats();
  const paused =
    pauses === 0 ? '0 pauses' : `${countOf(pauses, 'pause')} totaling ${formatDuration(pausedMs)}`;
  return [countOf(requests, 'request'), paused, `${(ms / 1000).toFixed(1)} s`];
}

async function printDryRun(
  context: Context,
  plan: ExportPlan,
  codes: readonly CodeLabel[],
  service: Service,
): Promise<void> {
  const { console, clock } = context;
  const positions = await savedPositions(plan, codes);
  const began = clock.monotonic();
  let endMs = plan.untilMs ?? service.nowMs();
  let { requests } = service.stats();
  let scans = 0;
  const failures = codes.flatMap((code): CodeFailure[] =>
    code.missing ? [{ code, error: code.missing }] : [],
  );
  const there = codes.filter(({ missing }) => !missing);
  const count = async (code: CodeLabel): Promise<number> => {
    const range = { sinceMs: positions.get(code.id) ?? plan.sinceMs, untilMs: endMs };
    const { scans, page } = await countRange((request) => service.listScans(code.id, request), range);
    endMs ??= service.nowMs();
    if (page.total === 0 && code.slug === undefined) await service.getCode(code.id);
    return scans;
  };
  const countAlone = (code: CodeLabel) =>
    count(code).catch((error) => {
      if (!(error instanceof NotFoundError)) throw error;
      failures.push({ code, error });
      return 0;
    });
  for await (const found of fetchInOrder(there, countAlone, service.concurrency)) {
    requests += Math.max(1, Math.ceil(found / MAX_SCANS_PAGE)) + (plan.proveBeyond ? 1 : 0);
    scans += found;
  }
  if (failures[0] && failures.length === codes.length) throw failures[0].error;
  if (plan.output.format === 'xlsx' && scans > MOST_ROWS) {
    const { tooManyRows } = await import('#files/formats/xlsx/workbook-sink');
    throw tooManyRows(scans);
  }
  const workMs = there.length === 0 ? 0 : ((clock.monotonic() - began) * requests) / there.length;
  const record = {
    codes: codes.length,
    ...rangeRecord(plan.sinceMs, endMs),
    scans,
    ...costRecord(service, requests, workMs),
  };
  await printPlan(context, plan.output, record, PLAN_COLUMNS);
  if (failures.length > 0)
    for (const line of describeFailures(failures, codes.length, 'would fail; the others would be exported'))
      console.warn(line);
  console.note('Nothing was exported');
}
