/** Counts files: no service, no key, no request. */
import type { Context } from '../../../context.ts';
import { keepMemoryFlat } from '../../../service/v8-flags.ts';
import { spanBefore } from '../../../stats/compare-span.ts';
import { type Counted, createTallies } from '../../../stats/counted.ts';
import { coverageOf } from '../../../stats/coverage.ts';
import { coveredLogs } from '../../../stats/covered-logs.ts';
import type { InputLog } from '../../../stats/input/input-log.ts';
import { readInputs } from '../../../stats/input/read-scans.ts';
import { letSignalsIn } from '../../../time/time.ts';
import { refuseUncovered, tellCoverage } from './coverage-words.ts';
import type { CountPlan } from './plan-count.ts';

/** Throws like `readInputs`, UnprovenError for a period without scans that the files don't cover, and the signal's reason. */
export async function countFiles(context: Context, plan: CountPlan, logs: readonly InputLog[]): Promise<Counted> {
  const { dimensions, local, span, compare } = plan;
  const nowMs = context.clock.now();
  const { sinceMs, untilMs = nowMs } = span;
  const isCompared = compare !== 'none' && sinceMs !== undefined;
  const earlier = isCompared ? spanBefore({ sinceMs, untilMs }, compare, local.zone, nowMs) : undefined;
  const start = () => createTallies(dimensions, local.offsetMs, span, earlier);
  let tallies = start();
  const progress = context.console.progress('scans');
  const keepFlat = keepMemoryFlat();
  try {
    const spans = await readInputs({
      paths: logs.flatMap(({ paths }) => paths),
      dimensions,
      start() {
        tallies = start();
        return tallies.add;
      },
      note: context.console.note,
      signal: context.signal,
      async pause() {
        keepFlat();
        progress.update({ done: tallies.current.total() + tallies.before.total(), total: undefined, detail: '0 requests' });
        await letSignalsIn(context.signal);
      },
    });
    progress.stop();
    const coverage = coverageOf(await coveredLogs(logs, spans), span, earlier);
    const before = earlier && { tally: tallies.before, span: earlier };
    const counted = { current: tallies.current, span, before, codes: undefined, coverage, nowMs };
    refuseUncovered(counted, local.zone);
    tellCoverage(context.console, coverage, local.zone);
    return counted;
  } finally {
    progress.stop();
  }
}
