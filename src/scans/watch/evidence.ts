import { getOrAdd } from '#base/collections';
import { orderOf } from '#scans/export/export-scans';
import { contains, cut, pageReader, pageSizeOf, type ReadScans } from '#scans/export/range';
import { countRange, type RangeCount } from '#scans/export/truncated-total';
import { type CodeOfScans, keyOfCode } from '#scans/stats/code-of-scans';
import { coverageOf, coveredLogs } from '#scans/stats/coverage';
import { filesOf, type InputLog } from '#scans/stats/input/input-log';
import { readInputs, type TakeScan } from '#scans/stats/input/read-scans';
import type { ScanPage } from '#service/shapes';
import { EARLIER_WEEKS, type Evidence, hoursBefore, type LastScan, type Windows } from './judge.ts';

interface EvidenceJob {
  read: ReadScans;
  createdMs?: number;
  windows: Windows;
}

export async function readEvidence({ read, createdMs, windows }: EvidenceJob): Promise<Evidence> {
  const { startMs, middleMs, weekMs, endMs } = windows;
  const all = await look(startMs, endMs);
  let before: Promise<RangeCount> | undefined;
  const earlier = () => {
    before ??= look(undefined, startMs);
    return before;
  };
  const common = {
    isYoung: (createdMs ?? startMs) > startMs,
    async countSameHours(weeks: number, lastMs: number) {
      const { sinceMs, untilMs } = hoursBefore(weeks, lastMs, endMs);
      return (await look(sinceMs, untilMs)).scans;
    },
    hasSince: async (sinceMs: number) => (await look(sinceMs, endMs)).scans > 0,
    hasEarlier: async () => (await earlier()).scans > 0,
    async findEarlier(): Promise<LastScan> {
      const found = await earlier();
      return found.scans === 0 ? 'none' : (newestOf(found, startMs) ?? (await lastPageOf(found, startMs)));
    },
  };
  if (all.isWhole) {
    const recent = cut(all.page, { sinceMs: weekMs, untilMs: endMs }).rows.length;
    const last = newestOf(all, endMs) ?? 'none';
    const baseline = all.scans - recent;
    return { ...common, recent, baseline, isCapped: false, last, findLast: async () => last };
  }
  const week = await look(weekMs, endMs);
  const parts = all.isCapped ? await splitWeeks(week) : undefined;
  const baseline = parts ? parts.older.scans + parts.newer.scans : Math.max(0, all.scans - week.scans);
  const last = newestOf(week, endMs) ?? newestOf(all, endMs) ?? 'unknown';
  const latest = parts ? [week, parts.newer, parts.older].find(({ scans }) => scans > 0) : all;
  const findLast = async () => (latest ? lastPageOf(latest, endMs, all) : 'unknown');
  const isCapped = parts?.isCapped ?? false;
  return { ...common, recent: week.scans, baseline, isCapped, last, findLast };

  /** W8: counts scans in a range with margins, because the service may round its bounds. */
  function look(sinceMs: number | undefined, untilMs: number): Promise<RangeCount> {
    return countRange(read, { sinceMs, untilMs });
  }

  /** W7: counts the earlier weeks in halves. A total below that for all weeks is not capped. */
  async function splitWeeks(week: RangeCount) {
    const older = await look(startMs, middleMs);
    const newer = await look(middleMs, weekMs);
    return { older, newer, isCapped: [older, newer, week].some(({ page }) => page.total >= all.page.total) };
  }

  async function lastPageOf(
    { asked, page, isCapped }: RangeCount,
    untilMs: number,
    of?: RangeCount,
  ): Promise<LastScan> {
    const { total } = page;
    if (orderOf(page) !== 'ascending' || (isCapped && total >= (of?.page.total ?? 0))) return 'unknown';
    const last = await pageReader({ read, asked }, page)(Math.ceil(total / pageSizeOf(page)));
    return newestIn(last, untilMs) ?? 'unknown';
  }
}

function newestOf({ page, isWhole }: RangeCount, untilMs: number): { ms: number } | undefined {
  return isWhole || orderOf(page) === 'descending' ? newestIn(page, untilMs) : undefined;
}

function newestIn({ times }: ScanPage, untilMs: number): { ms: number } | undefined {
  const ms = times.reduce((newest, time) => (time < untilMs ? Math.max(newest, time) : newest), -Infinity);
  return Number.isFinite(ms) ? { ms } : undefined;
}

interface FilesJob {
  logs: readonly InputLog[];
  untilMs?: number;
  nowMs: number;
  windowsUntil(endMs: number): Windows;
  note(line: string): void;
  signal: AbortSignal;
}

type Found = ReturnType<typeof newFound>;

/** Reads files twice, because the second reading requires the last scan of each code. */
export async function readFilesEvidence(job: FilesJob) {
  // W12: a scan dated in the future must not set the end of the windows.
  const untilMs = job.untilMs ?? job.nowMs + 1;
  let codes = new Map<string, Found>();
  let future = 0;
  const files = { ...filesOf(job.logs), fields: [], note: job.note, signal: job.signal };
  const start = (): TakeScan => {
    codes = new Map();
    future = 0;
    return (ms, _, code) => {
      if (ms >= untilMs) {
        future += 1;
        return;
      }
      const found = getOrAdd(codes, keyOfCode(code), () => newFound(code));
      if (ms >= found.lastMs) found.code = code;
      found.lastMs = Math.max(found.lastMs, ms);
      found.firstMs = Math.min(found.firstMs, ms);
    };
  };
  const spans = await readInputs({ ...files, start });
  const newestMs = [...codes.values()].reduce((newest, { lastMs }) => Math.max(newest, lastMs), -Infinity);
  if (codes.size === 0) return undefined;
  const windows = job.windowsUntil(job.untilMs ?? newestMs + 1);
  const startAgain = (): TakeScan => {
    for (const found of codes.values()) Object.assign(found, NOTHING, { sameHours: new Map() });
    return (ms, _, code) => {
      const found = codes.get(keyOfCode(code));
      if (found && ms < windows.endMs) count(ms, found, windows);
    };
  };
  await readInputs({ ...files, note: () => undefined, start: startAgain });
  const span = { sinceMs: windows.startMs, untilMs: windows.endMs };
  const coverage = coverageOf(await coveredLogs(job.logs, spans), span);
  return {
    windows,
    coverage,
    future: job.untilMs === undefined ? future : 0,
    codes: [...codes.values()].map((found) => ({ code: found.code, evidence: evidenceOf(found, windows) })),
  };
}

const NOTHING = { recent: 0, baseline: 0, earlierMs: -Infinity };

function newFound(code: CodeOfScans) {
  return { ...NOTHING, code, firstMs: Infinity, lastMs: -Infinity, sameHours: new Map<number, number>() };
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
