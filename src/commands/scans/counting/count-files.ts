/** Counts files: no service, no key, no request. */
import type { Context } from '../../../context.ts';
import { keepMemoryFlat } from '../../../start/v8-flags.ts';
import { spanBefore } from '../../../stats/compare-span.ts';
import { readInputs } from '../../../stats/input/read-scans.ts';
import { letSignalsIn } from '../../../time.ts';
import { type Counted, createTallies } from './counted.ts';
import type { CountPlan } from './plan-count.ts';

/** Throws what `readInputs` does, and the signal's reason. */
export async function countFiles(context: Context, plan: CountPlan, paths: readonly string[]): Promise<Counted> {
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
    await readInputs({
      paths,
      dimensions,
      start() {
        tallies = start();
        return tallies.add;
      },
      note: context.console.note,
      async pause() {
        keepFlat();
        progress.update({ done: tallies.current.total() + tallies.before.total(), total: undefined, detail: '0 requests' });
        await letSignalsIn(context.signal);
      },
    });
  } finally {
    progress.stop();
  }
  const before = earlier && { tally: tallies.before, span: earlier };
  return { current: tallies.current, span, before, codes: undefined, nowMs };
}
