/** Judges the codes of exported files: no service, no key, no request. */
import { UnprovenError } from '../../../base/errors.ts';
import { countOf } from '../../../base/text/quote.ts';
import type { Context } from '../../../context.ts';
import type { InputLog } from '../../../scans/stats/input/input-log.ts';
import { readFilesEvidence } from '../../../scans/watch/evidence-of-files.ts';
import { judge } from '../../../scans/watch/judge.ts';
import { type WatchRow, watchRow } from '../../../scans/watch/watch-rows.ts';
import { windowsUntil } from '../../../scans/watch/windows.ts';
import { tellCoverage } from '../counting/coverage-words.ts';
import { createPause } from '../pause.ts';
import type { Watched, WatchPlan } from './plan-watch.ts';

/** Throws like `readInputs`, UnprovenError if the files have no scans, and the signal's reason. */
export async function watchFiles(
  context: Context,
  plan: WatchPlan,
  logs: readonly InputLog[],
): Promise<Watched> {
  const { console, signal } = context;
  const { timezone, untilMs, quietForMs } = plan;
  const found = await readFilesEvidence({
    ...{ logs, untilMs, nowMs: context.clock.now(), signal, note: console.note },
    windowsUntil: (endMs) => windowsUntil(endMs, timezone),
    pause: createPause(signal),
  });
  if (!found)
    throw new UnprovenError('these files have no scans before that time, so no code can be judged', {
      hint: 'Use --input with files that cover that time, or omit --input to query the service.',
    });
  const { windows, codes, coverage, future } = found;
  const { startMs, weekMs, endMs } = windows;
  tellCoverage(console, untilMs === undefined ? { ...coverage, endsEarlyMs: endMs - 1 } : coverage, timezone);
  if (future > 0)
    console.warn(`${countOf(future, 'scan')} dated in the future ${future === 1 ? 'is' : 'are'} not judged`);
  const rows: WatchRow[] = [];
  for (const { code, evidence } of codes) {
    const { id = null, slug = null, name = null, value } = code;
    const verdict = await judge(evidence, { startMs, endMs, quietForMs });
    rows.push(watchRow({ id, slug: slug ?? (id === null ? value : null), name }, verdict, endMs));
  }
  return { rows, failures: [], range: { sinceMs: weekMs, untilMs: endMs } };
}
