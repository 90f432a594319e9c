/** Reads files twice: for the last scan of each code, and for the counts that it requires. */
import { getOrAdd } from '../../base/collections.ts';
import { contains } from '../export/range.ts';
import { type CodeOfScans, keyOfCode } from '../stats/code-of-scans.ts';
import { coverageOf, coveredLogs } from '../stats/coverage.ts';
import { closedFiles, type InputLog } from '../stats/input/input-log.ts';
import { type FileSpan, readInputs } from '../stats/input/read-scans.ts';
import { EARLIER_WEEKS, type Evidence, hoursBefore, spanOf, type Windows } from './judge.ts';

interface FilesJob {
  logs: readonly InputLog[];
  untilMs?: number;
  nowMs: number;
  windowsUntil(endMs: number): Windows;
  note(line: string): void;
  pause(): Promise<void>;
  signal: AbortSignal;
}

interface Found {
  code: CodeOfScans;
  firstMs: number;
  lastMs: number;
  earlierMs: number;
  recent: number;
  baseline: number;
  sameHours: Map<number, number>;
}

export async function readFilesEvidence(job: FilesJob) {
  // W12: a scan that is dated in the future must not be the end of all codes.
  const untilMs = job.untilMs ?? job.nowMs + 1;
  let codes = new Map<string, Found>();
  let future = 0;
  const spans = await readAll(job, () => {
    codes = new Map();
    future = 0;
    return (ms, code) => {
      if (ms >= untilMs) {
        future += 1;
        return;
      }
      const found = getOrAdd(codes, keyOfCode(code), () => newFound(code));
      if (ms >= found.lastMs) found.code = code;
      found.lastMs = Math.max(found.lastMs, ms);
      found.firstMs = Math.min(found.firstMs, ms);
    };
  });
  const newestMs = [...codes.values()].reduce((newest, { lastMs }) => Math.max(newest, lastMs), -Infinity);
  if (codes.size === 0) return undefined;
  const windows = job.windowsUntil(job.untilMs ?? newestMs + 1);
  await readAll({ ...job, note: () => undefined }, () => {
    for (const found of codes.values()) Object.assign(found, NOTHING, { sameHours: new Map() });
    return (ms, code) => {
      const found = codes.get(keyOfCode(code));
      if (found && ms < windows.endMs) count(ms, found, windows);
    };
  });
  const coverage = coverageOf(await coveredLogs(job.logs, spans), spanOf(windows), undefined);
  return {
    windows,
    coverage,
    future: job.untilMs === undefined ? future : 0,
    codes: [...codes.values()].map((found) => ({ code: found.code, evidence: evidenceOf(found, windows) })),
  };
}

async function readAll(
  { logs, note, pause, signal }: FilesJob,
  start: () => (ms: number, code: CodeOfScans) => void,
): Promise<Map<string, FileSpan>> {
  return readInputs({
    paths: logs.flatMap(({ paths }) => paths),
    closed: closedFiles(logs),
    fields: [],
    note,
    pause,
    signal,
    start() {
      const take = start();
      return (ms, _scan, code) => take(ms, code);
    },
  });
}

const NOTHING = { recent: 0, baseline: 0, earlierMs: -Infinity };

function newFound(code: CodeOfScans): Found {
  return {
    ...NOTHING,
    code,
    firstMs: Infinity,
    lastMs: -Infinity,
    sameHours: new Map(),
  };
}

function count(ms: number, found: Found, { startMs, weekMs, endMs }: Windows): void {
  if (ms >= weekMs) found.recent += 1;
  else if (ms >= startMs) found.baseline += 1;
  else found.earlierMs = Math.max(found.earlierMs, ms);
  for (const weeks of EARLIER_WEEKS)
    if (contains(hoursBefore(weeks, found.lastMs, endMs), ms))
      found.sameHours.set(weeks, (found.sameHours.get(weeks) ?? 0) + 1);
}

function evidenceOf(found: Found, { startMs }: Windows): Evidence {
  const { recent, baseline, lastMs, firstMs, earlierMs, sameHours } = found;
  const last = lastMs >= startMs ? { ms: lastMs } : ('none' as const);
  const hasEarlier = Number.isFinite(earlierMs);
  return {
    recent,
    baseline,
    isCapped: false,
    last,
    isYoung: firstMs >= startMs,
    findLast: async () => last,
    countSameHours: async (weeks) => sameHours.get(weeks) ?? 0,
    hasSince: async (sinceMs) => lastMs >= sinceMs,
    hasEarlier: async () => hasEarlier,
    findEarlier: async () => (hasEarlier ? { ms: earlierMs } : 'none'),
  };
}
