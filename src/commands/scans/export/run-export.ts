/** `scans export` from checked flags to the summary. */

import { keepMemoryFlat } from '../../../base/run/v8-flags.ts';
import { keyPrefix } from '../../../base/text/key.ts';
import { countOf } from '../../../base/text/quote.ts';
import { formatDuration } from '../../../base/time/time.ts';
import type { Context } from '../../../context.ts';
import type { CodeLabel } from '../../../scans/export/export-codes.ts';
import { costOf } from '../../../service/rate-limit/rate-limit.ts';
import type { Service } from '../../../service/service.ts';
import type { Progress } from '../../../terminal/console.ts';
import { chooseLabelsOfLog } from '../../choose-codes.ts';
import { formatRange } from '../../range-options.ts';
import { codesOfLog, separateDeleted, wereDeleted } from './deleted-codes.ts';
import type { ExportFlags } from './flags.ts';
import { openSinks } from './open-sinks.ts';
import { type ExportPlan, planExport } from './plan-export.ts';
import { refuseKept } from './refuse-kept.ts';

/** Checks everything, then exports. Throws as listed in errors.ts; PartialError if some codes failed and others are done. */
export async function runExport(
  context: Context,
  names: readonly string[],
  flags: ExportFlags,
): Promise<void> {
  // The measured time begins here: the codes are looked up first.
  const started = context.clock.monotonic();
  const plan = await planExport(context, names, flags);
  await refuseKept(plan, names, flags);
  const service = await context.service();
  const { profile, apiKey } = await context.connected();
  const place = plan.directory ?? plan.append?.path ?? plan.output.path;
  const progress = context.console.progress('scans');
  try {
    progress.update({ done: 0, detail: 'finding the codes' });
    const doubt = plan.proveBeyond ? 'any' : 'usual';
    const known = await codesOfLog(plan);
    const chosen = await chooseLabelsOfLog(context, names, flags, { isWanted: plan.named, doubt }, known);
    const { codes } = chosen;
    if (!flags.dryRun) {
      const source = plan.output.format === 'xlsx' ? await forWorkbook(service, codes, plan) : service;
      return await exportAll(context, plan, codes, source, { started, progress });
    }
    const { printDryRun } = await import('./dry-run.ts');
    await printDryRun(context, plan, chosen);
  } catch (error) {
    const { explainFailure } = await import('./explain-failure.ts');
    const { added = 0, files = [] } = context.facts;
    await explainFailure(context.signal.aborted ? context.signal.reason : error, {
      ...{
        profile,
        key: keyPrefix(apiKey),
        place,
        append: plan.append !== undefined,
        added,
        files: files.length,
      },
      ofCodes: plan.directory !== undefined && plan.partition === undefined,
    });
    throw error;
  } finally {
    progress.stop();
  }
}

async function forWorkbook(
  service: Service,
  codes: readonly CodeLabel[],
  plan: ExportPlan,
): Promise<Service> {
  const { requireWorkbookRows } = await import('./workbook-rows.ts');
  return requireWorkbookRows(service, codes, plan);
}

async function exportAll(
  context: Context,
  plan: ExportPlan,
  codes: readonly CodeLabel[],
  service: Service,
  { started, progress }: { started: number; progress: Progress },
) {
  const [{ exportCodes }, { fetchInOrder }] = await Promise.all([
    import('../../../scans/export/export-codes.ts'),
    import('../../../base/parallel.ts'),
  ]);
  const sinks = await openSinks(context, plan, codes, service);
  const keepFlat = keepMemoryFlat();
  try {
    const summary = await exportCodes({
      ...{ service, codes, fetchInOrder, width: service.concurrency },
      untilMs: plan.untilMs,
      proveBeyond: plan.proveBeyond,
      now: context.clock.now,
      openSink: sinks.open,
      note: context.console.note,
      progress({ rows, total, estimate, codes: done, range }) {
        Object.assign(context.facts, { codes: done, range });
        keepFlat();
        const { requests } = service.stats();
        const part = codes.length > 1 ? `, ${done} of ${countOf(codes.length, 'code')}` : '';
        const toAsk = rows === 0 ? 0 : Math.ceil((requests * ((total ?? estimate) - rows)) / rows);
        const { waitMs } = costOf(toAsk, service.rateLimit());
        progress.update({
          done: rows,
          total,
          estimate,
          waitMs,
          detail: `${countOf(requests, 'request')}${part}`,
        });
      },
    });
    Object.assign(context.facts, { codes: summary.codes, range: summary.range });
    if (summary.codes === 0 && summary.failures[0]) throw summary.failures[0].error;
    // A file that lacks the scans of a code must not replace one that has them.
    if (summary.failures.length > 0 && plan.append?.restart && plan.directory === undefined) {
      const { notRebuilt } = await import('./explain-failure.ts');
      throw notRebuilt(summary.failures, codes.length, plan.append.path);
    }
    const { failed, deleted } = await separateDeleted(summary.failures, { sinks, service });
    await sinks.commit();
    progress.stop();
    const ms = context.clock.monotonic() - started;
    context.console.note(
      inOneLine({ ...summary, range: formatRange(summary.range, plan.zone()) }, service, ms, sinks.place),
    );
    if (failed.length > 0) {
      const { partly } = await import('./explain-failure.ts');
      throw partly([...failed, ...deleted], codes.length, plan.append !== undefined);
    }
    if (deleted.length > 0) throw wereDeleted(deleted, codes.length);
  } finally {
    await sinks.discard();
    for (const line of sinks.remarks) context.console.warn(line, true);
    Object.assign(context.facts, sinks.contents());
  }
}

function inOneLine(
  { scans, codes, range }: { scans: number; codes: number; range: string },
  service: Service,
  ms: number,
  place = 'standard output',
): string {
  const { requests, pauses, pausedMs } = service.stats();
  const paused =
    pauses === 0 ? '0 pauses' : `${countOf(pauses, 'pause')} totaling ${formatDuration(pausedMs)}`;
  const cost = [countOf(requests, 'request'), paused, `${(ms / 1000).toFixed(1)} s`].join(', ');
  return `Exported ${countOf(scans, 'scan')} of ${countOf(codes, 'code')} ${range} to ${place} (${cost})`;
}
