import type { ScanRun } from '#scans/scan-run';
import { spanBefore } from './calendar.ts';
import { type CodeName, type CodeOfScans, keyOfCode, tellApart } from './code-of-scans.ts';
import { type Coverage, coverageOf, coveredLogs, isCovered, partOfFiles } from './coverage.ts';
import { fieldsOf } from './dimensions.ts';
import type { Counted } from './figure.ts';
import { codeGroupsOf, createScanTest, valuesOfCodes } from './filters.ts';
import { filesOf, type InputLog } from './input/input-log.ts';
import { readInputs } from './input/read-scans.ts';
import type { CountRequest } from './readings.ts';
import { createTallies, type Tallies } from './tally.ts';

export interface FilesCount extends Counted {
  coverage: Coverage;
}

export async function countFiles(
  { clock, console, signal }: ScanRun,
  {
    groups,
    pairs,
    filters = [],
    isChosen,
    table,
    local,
    span,
    compare,
    destinationOf = () => null,
  }: CountRequest,
  logs: readonly InputLog[],
): Promise<FilesCount> {
  const nowMs = clock.now();
  const { sinceMs, untilMs = nowMs } = span;
  const isCompared = compare !== 'none' && sinceMs !== undefined;
  const earlier = isCompared ? spanBefore({ sinceMs, untilMs }, compare, local.zone, nowMs) : undefined;
  const used = [...groups, ...filters.map(({ group }) => group)];
  const values = valuesOfCodes(used, table, destinationOf);
  const isCounted =
    filters.length > 0 || isChosen ? createScanTest(filters, values, local.offsetMs, isChosen) : undefined;
  const start = () => createTallies(groups, values, local.offsetMs, span, earlier, isCounted, pairs);
  let tallies = start();
  const names = new Map<string, CodeName>();
  const progress = console.progress('scans');
  const read = readInputs({
    ...filesOf(logs),
    fields: fieldsOf(used),
    start() {
      tallies = start();
      return naming(tallies.add, names);
    },
    note: console.note,
    signal,
    onPiece() {
      const done = tallies.current.total() + tallies.before.total();
      progress.update({ done, total: undefined, detail: '0 requests' });
    },
  });
  const spans = await read.finally(progress.stop);
  const coverage = coverageOf(await coveredLogs(logs, spans), span, earlier);
  const data = partOfFiles(coverage, local);
  const noneIn = (by: string) => table?.noneIn(by) ?? 'empty';
  return {
    current: tallies.current,
    span,
    before: earlier && { tally: tallies.before, span: earlier, isCovered: isCovered(earlier, data) },
    data,
    codes: undefined,
    names: tellApart(names),
    codeGroups: codeGroupsOf(values, noneIn, { codes: [], ofCode: undefined }),
    coverage,
    nowMs,
  };
}

const MOST_NAMES = 10_000;

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
