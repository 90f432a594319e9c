/** `scans export --dry-run`: what would be read, and how long that takes. */

import type { CodeLabel } from '../../../complete/export-codes.ts';
import type { Context } from '../../../context.ts';
import { costOf } from '../../../limit/rate-limit.ts';
import type { Column } from '../../../output/columns.ts';
import { fetchInOrder } from '../../../service/fetch-in-order.ts';
import { MAX_SCANS_PAGE } from '../../../service/shapes.ts';
import { formatDuration, formatInstant } from '../../../time.ts';
import { printRecord } from '../../output-options.ts';
import { fileOf } from './open-sinks.ts';
import type { ExportPlan } from './plan-export.ts';

const COLUMNS: readonly Column[] = [
  { name: 'codes' },
  { name: 'since' },
  { name: 'until' },
  { name: 'scans' },
  { name: 'requests' },
  { name: 'requests_per_minute' },
  { name: 'seconds', format: (value) => (typeof value === 'number' ? `about ${formatDuration(value * 1000)}` : '') },
];

/** Asks for the number of scans of each code, a request each, and prints one record. */
export async function printDryRun(context: Context, plan: ExportPlan, codes: readonly CodeLabel[]): Promise<void> {
  const service = await context.service();
  const { concurrency } = await context.settings();
  const positions = await savedPositions(plan, codes);
  const count = ({ id }: CodeLabel) =>
    service.listScans(id, { page: 1, limit: 1, sinceMs: positions.get(id) ?? plan.sinceMs, untilMs: plan.untilMs });
  let scans = 0;
  let requests = 0;
  for await (const { total } of fetchInOrder(codes, count, concurrency)) {
    scans += total;
    requests += Math.ceil(total / MAX_SCANS_PAGE) + 1;
  }
  const endMs = plan.untilMs ?? service.nowMs();
  const record = {
    codes: codes.length,
    since: plan.sinceMs === undefined ? null : formatInstant(plan.sinceMs),
    until: endMs === undefined ? null : formatInstant(endMs),
    ...{ scans, requests },
    requests_per_minute: service.rateLimit().limit ?? null,
    seconds: Math.ceil(costOf(requests, service.rateLimit()).waitMs / 1000),
  };
  await printRecord(context, record, COLUMNS, { format: plan.output.format === 'ids' ? undefined : plan.output.format });
  context.console.note('nothing was exported');
}

/** From when on an append would read, by the state beside each file; a code without one is read from the beginning. */
async function savedPositions(
  { append, directory, output, untilMs }: ExportPlan,
  codes: readonly CodeLabel[],
): Promise<Map<string, number>> {
  if (!append || append.restart) return new Map();
  const { readPositions } = await import('../../../append/append-file.ts');
  const files = directory === undefined ? [append.path] : codes.map((code) => fileOf(directory, code, output));
  const found = await Promise.all(files.map((file) => readPositions(file, append.overlapMs, untilMs)));
  return new Map(found.flatMap((positions) => [...positions]));
}
