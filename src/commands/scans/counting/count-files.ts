/** Counts files: no service, no key, no request. */
import type { Context } from '../../../context.ts';
import { type CodeName, type CodeOfScans, keyOfCode, tellApart } from '../../../scans/stats/code-of-scans.ts';
import { spanBefore } from '../../../scans/stats/compare-span.ts';
import { type Counted, createTallies, type Tallies } from '../../../scans/stats/counted.ts';
import { coverageOf } from '../../../scans/stats/coverage.ts';
import { coveredLogs } from '../../../scans/stats/covered-logs.ts';
import { isCovered, partOfFiles } from '../../../scans/stats/data-part.ts';
import { fieldsOf } from '../../../scans/stats/dimensions.ts';
import { codeGroupsOf, valuesOfCodes } from '../../../scans/stats/group-codes.ts';
import { closedFiles, type InputLog } from '../../../scans/stats/input/input-log.ts';
import { readInputs } from '../../../scans/stats/input/read-scans.ts';
import { createPause } from '../pause.ts';
import { refuseUncovered, tellCoverage } from './coverage-words.ts';
import type { CountPlan } from './plan-count.ts';

/** Throws like `readInputs`, UnprovenError for a period without scans that the files don't cover, and the signal's reason. */
export async function countFiles(
  context: Context,
  plan: CountPlan,
  logs: readonly InputLog[],
): Promise<Counted> {
  const { groups, table, local, span, compare } = plan;
  const nowMs = context.clock.now();
  const { sinceMs, untilMs = nowMs } = span;
  const isCompared = compare !== 'none' && sinceMs !== undefined;
  const earlier = isCompared ? spanBefore({ sinceMs, untilMs }, compare, local.zone, nowMs) : undefined;
  const values = valuesOfCodes(groups, table, plan.destinationOf ?? (() => null));
  const start = () => createTallies(groups, values, local.offsetMs, span, earlier);
  let tallies = start();
  const names = new Map<string, CodeName>();
  const progress = context.console.progress('scans');
  const pause = createPause(context.signal);
  try {
    const spans = await readInputs({
      paths: logs.flatMap(({ paths }) => paths),
      closed: closedFiles(logs),
      fields: fieldsOf(groups),
      start() {
        tallies = start();
        return naming(tallies.add, names);
      },
      note: context.console.note,
      signal: context.signal,
      pause() {
        progress.update({
          done: tallies.current.total() + tallies.before.total(),
          total: undefined,
          detail: '0 requests',
        });
        return pause();
      },
    });
    progress.stop();
    const coverage = coverageOf(await coveredLogs(logs, spans), span, earlier);
    const data = partOfFiles(coverage, { timezone: local.zone, offsetAt: local.offsetMs });
    const before = earlier && { tally: tallies.before, span: earlier, isCovered: isCovered(earlier, data) };
    const codeGroups = codeGroupsOf(values, (by) => table?.noneIn(by) ?? 'empty', {
      codes: [],
      ofCode: undefined,
    });
    const counted = {
      current: tallies.current,
      span,
      before,
      data,
      codes: undefined,
      names: tellApart(names),
      codeGroups,
      coverage,
      nowMs,
    };
    refuseUncovered(counted, local.zone);
    tellCoverage(context.console, coverage, local.zone);
    return counted;
  } finally {
    progress.stop();
  }
}

/** More names than anybody reads; codes beyond them are shown by their IDs. */
const MOST_NAMES = 10_000;

/** Keeps the slug and the name of each code as in its last scan. */
function naming(add: Tallies['add'], names: Map<string, CodeName>): Tallies['add'] {
  let last: CodeOfScans | undefined;
  return (ms, scan, code) => {
    if (code !== last) {
      const key = keyOfCode(code);
      const known = names.get(key);
      const { slug = known?.value ?? code.value, name = known?.name } = code;
      if (known || names.size < MOST_NAMES) names.set(key, { value: slug, name });
      last = code;
    }
    add(ms, scan, code);
  };
}
