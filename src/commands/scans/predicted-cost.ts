/** Columns of `scans … --dry-run`: the range, and the requests and the time that it costs. */
import { formatDuration, formatInstant } from '../../base/time/time.ts';
import type { Context } from '../../context.ts';
import type { Column } from '../../files/formats/columns.ts';
import type { OutputPlan } from '../../files/formats/plan-output.ts';
import type { Row } from '../../files/formats/row-sink.ts';
import { costOf } from '../../service/rate-limit/rate-limit.ts';
import type { Service } from '../../service/service.ts';
import { printRecord } from '../output-options.ts';

export const COST_COLUMNS: readonly Column[] = [
  { name: 'requests' },
  { name: 'requests_per_minute' },
  {
    name: 'seconds',
    format: (value) => (typeof value === 'number' ? `about ${formatDuration(value * 1000)}` : ''),
  },
];

/** Returns their values; `workMs` is the time that the requests take without a limit. */
export function costOfRequests(service: Pick<Service, 'rateLimit'>, requests: number, workMs = 0) {
  const limit = service.rateLimit();
  const seconds = Math.ceil((costOf(requests, limit).waitMs + workMs) / 1000);
  return { requests, requests_per_minute: limit.limit ?? null, seconds };
}

/** Prints the record of a dry run. A format that fits only scans is none for it. */
export function printCost(
  context: Context,
  record: Row,
  columns: readonly Column[],
  { format }: OutputPlan,
): Promise<void> {
  return printRecord(context, record, columns, {
    format: format === 'ids' || format === 'xlsx' ? undefined : format,
  });
}

export function rangeColumns(sinceMs: number | undefined, untilMs: number | undefined) {
  const instant = (ms: number | undefined) => (ms === undefined ? null : formatInstant(ms));
  return { since: instant(sinceMs), until: instant(untilMs) };
}
