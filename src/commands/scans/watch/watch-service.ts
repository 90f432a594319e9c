/** Judges codes from the totals of the service. */
import { fetchInOrder } from '../../../base/parallel.ts';
import { countOf } from '../../../base/text/quote.ts';
import { parseInstant } from '../../../base/time/time.ts';
import type { Context } from '../../../context.ts';
import type { CodeFailure } from '../../../scans/export/export-codes.ts';
import type { ReadScans } from '../../../scans/export/range.ts';
import { readEvidence } from '../../../scans/watch/evidence-of-service.ts';
import { judge } from '../../../scans/watch/judge.ts';
import { inactiveRow, type WatchRow, watchRow } from '../../../scans/watch/watch-rows.ts';
import { type Windows, windowsUntil } from '../../../scans/watch/windows.ts';
import type { Service } from '../../../service/service.ts';
import type { QrCode } from '../../../service/shapes.ts';
import { chooseCodes } from '../../choose-codes.ts';
import { isOfOneCode } from '../tell-failures.ts';
import type { Watched, WatchPlan } from './plan-watch.ts';

/** Throws as listed in errors.ts if a failure concerns all codes; the result contains those of single codes. */
export async function watchService(context: Context, plan: WatchPlan): Promise<Watched> {
  const { choice, names, timezone, quietForMs } = plan;
  const service = await context.service();
  const chosen = await chooseCodes(context, names, choice, { mayBeNone: true });
  const codes = [...new Map(chosen.map((code) => [code.id, code])).values()];
  // W9: one instant for all codes, by the clock of the service; nothing is known of what comes later.
  const nowMs = service.nowMs() ?? context.clock.now();
  const windows = windowsUntil(Math.min(plan.untilMs ?? nowMs, nowMs), timezone);
  const rows: WatchRow[] = [];
  const failures: CodeFailure[] = [];
  const progress = context.console.progress('codes');
  const watch = async (code: QrCode) =>
    judgeCode(service, code, windows, { choice, quietForMs }).catch((error) => ofOneCode(code, error));
  try {
    for await (const result of fetchInOrder(codes, watch, service.concurrency)) {
      if ('error' in result) failures.push(result);
      else rows.push(result.row);
      const detail = countOf(service.stats().requests, 'request');
      progress.update({ done: rows.length + failures.length, total: codes.length, detail });
    }
  } finally {
    progress.stop();
  }
  const [failure] = failures;
  if (failure && failures.length === codes.length) throw failure.error;
  return { rows, failures, range: { sinceMs: windows.weekMs, untilMs: windows.endMs } };
}

/** Statuses of codes that are not meant to be scanned. */
const INACTIVE = ['paused', 'expired'];

async function judgeCode(
  service: Service,
  code: QrCode,
  windows: Windows,
  { choice, quietForMs }: Pick<WatchPlan, 'choice' | 'quietForMs'>,
): Promise<{ row: WatchRow }> {
  const { id, slug, name, status } = code;
  // W11: costs no request, unless the status was asked for.
  if (INACTIVE.includes(status) && !choice.status?.includes(status))
    return { row: inactiveRow({ id, slug, name }, status) };
  const read: ReadScans = (request) => service.listScans(id, request);
  const evidence = await readEvidence({ read, createdMs: parseInstant(code.created_at), windows });
  const { startMs, endMs } = windows;
  return { row: watchRow({ id, slug, name }, await judge(evidence, { startMs, endMs, quietForMs }), endMs) };
}

function ofOneCode(code: QrCode, error: unknown): CodeFailure {
  if (!isOfOneCode(error)) throw error;
  return { code, error };
}
