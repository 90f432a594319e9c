/** `scans stats --dry-run`: the codes, range, scans and requests of a count, and its duration. */
import { fetchInOrder } from '../../../base/parallel.ts';
import type { Context } from '../../../context.ts';
import type { Column } from '../../../files/formats/columns.ts';
import type { OutputPlan } from '../../../files/formats/plan-output.ts';
import { requestsAfter } from '../../../scans/export/export-scans.ts';
import { cut } from '../../../scans/export/range.ts';
import { cheaperByTotals, planReadings } from '../../../scans/stats/readings.ts';
import { requestsForTotals } from '../../../scans/stats/totals.ts';
import { requestsToName } from '../../choose-codes.ts';
import { codesOf } from '../counting/count-scans.ts';
import { askFirst } from '../counting/count-service.ts';
import type { CountPlan } from '../counting/plan-count.ts';
import { COST_COLUMNS, costOfRequests, printCost, rangeColumns } from '../predicted-cost.ts';

/** Columns of `--dry-run`. */
export const COLUMNS: readonly Column[] = [
  { name: 'codes' },
  { name: 'files' },
  { name: 'since' },
  { name: 'until' },
  { name: 'scans' },
  { name: 'by_totals' },
  ...COST_COLUMNS,
];

/** Asks for page 1 of each code, as the count does, and prints one record. Files are not opened. */
export async function printDryRun(context: Context, plan: CountPlan, output: OutputPlan): Promise<void> {
  const record = plan.logs
    ? ofFiles(
        plan,
        plan.logs.flatMap(({ paths }) => paths),
      )
    : await ofService(context, plan);
  await printCost(context, record, COLUMNS, output);
  context.console.note('nothing was counted');
}

function ofFiles({ span }: CountPlan, files: readonly string[]) {
  return {
    ...{ codes: null, files: files.length },
    ...rangeColumns(span.sinceMs, span.untilMs),
    ...{ scans: null, by_totals: null, requests: 0, requests_per_minute: null, seconds: 0 },
  };
}

async function ofService(context: Context, plan: CountPlan) {
  const service = await context.service();
  const { codes, names } = await codesOf(context, plan);
  let requests = await requestsToName(service, names, plan.needsLabels);
  let scans = 0;
  let byTotals = 0;
  const { readings, untilMs } = planReadings(plan, service.nowMs() ?? context.clock.now(), service.nowMs());
  for (const reading of readings) {
    const { cuts } = reading;
    const range = reading.range ?? { sinceMs: reading.sinceMs, untilMs: Number.POSITIVE_INFINITY };
    const ask = (code: (typeof codes)[number]) =>
      askFirst(service, code, reading.range ?? { sinceMs: reading.sinceMs });
    const there = codes.filter(({ missing }) => !missing);
    for await (const first of fetchInOrder(there, ask, service.concurrency)) {
      requests += 1;
      if (!first) continue;
      scans += first.total - (first.rows.length - cut(first, range).rows.length);
      const isByTotals = cuts !== undefined && cheaperByTotals(first, cuts);
      if (isByTotals) byTotals += 1;
      requests += isByTotals
        ? requestsForTotals(first, cuts)
        : requestsAfter(first, { isKnown: true, proveBeyond: false });
    }
  }
  return {
    ...{ codes: codes.length, files: null },
    ...rangeColumns(readings[0]?.sinceMs, untilMs),
    ...{ scans, by_totals: byTotals, ...costOfRequests(service, requests) },
  };
}
