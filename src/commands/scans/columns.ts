import { formatDuration, instantOrNull } from '#base/time/time';
import type { OutputColumns } from '#commands/define';
import { openOutput } from '#commands/output-options';
import type { Context } from '#context';
import type { Column } from '#files/formats/columns';
import type { OutputPlan } from '#files/formats/plan-output';
import type { Row } from '#files/formats/row-sink';
import { CODE_COLUMNS } from '#scans/export/added-columns';
import { waitMsFor } from '#service/rate-limit/rate-limit';
import type { Service } from '#service/service';
import { SCAN_FIELDS } from '#service/shapes';

export function scanColumns(hasCodes: boolean): Column[] {
  return [...(hasCodes ? CODE_COLUMNS : []), ...SCAN_FIELDS].map((name) => ({ name }));
}

export function scanOutputs(optional: readonly string[] = []): OutputColumns[] {
  return [
    { columns: scanColumns(false), optional },
    { when: '--all, or CODE CODE…', columns: scanColumns(true), optional },
  ];
}

export const COST_COLUMNS: readonly Column[] = [
  { name: 'requests' },
  { name: 'requests_per_minute' },
  { name: 'seconds', format: (seconds) => `about ${formatDuration(Number(seconds) * 1000)}` },
];

/** Estimates the cost of requests. `workMs` is their time in ms without the rate limit. */
export function costRecord(service: Pick<Service, 'rateLimit'>, requests: number, workMs = 0) {
  const limit = service.rateLimit();
  const seconds = Math.ceil((waitMsFor(requests, limit) + workMs) / 1000);
  return { requests, requests_per_minute: limit.limit ?? null, seconds };
}

export function rangeRecord(sinceMs: number | undefined, untilMs: number | undefined) {
  return { since: instantOrNull(sinceMs), until: instantOrNull(untilMs) };
}

export async function printPlan(
  context: Context,
  { format }: OutputPlan,
  record: Row,
  columns: readonly Column[],
): Promise<void> {
  const isText = format !== 'ids' && format !== 'xlsx' && format !== 'parquet';
  const flags = { format: isText ? format : undefined };
  await (await openOutput(context, flags, columns, 'record')).print([record]);
}
