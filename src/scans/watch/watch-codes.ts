import { isOfOneCode, UnprovenError } from '#base/errors';
import { fetchInOrder } from '#base/parallel';
import { countOf } from '#base/text/quote';
import { DAY_MS, formatDuration, formatInstant, parseInstant } from '#base/time/time';
import type { CodeFailure } from '#scans/export/export-codes';
import type { ReadScans } from '#scans/export/range';
import type { ScanRun } from '#scans/scan-run';
import { noteCoverage } from '#scans/stats/coverage';
import type { InputLog } from '#scans/stats/input/input-log';
import type { Service } from '#service/service';
import type { QrCode } from '#service/shapes';
import { readEvidence, readFilesEvidence } from './evidence.ts';
import {
  judge,
  LEAST_EXPECTED,
  type Unjudged,
  type Verdict,
  type WatchOutcome,
  windowsUntil,
} from './judge.ts';

export interface WatchPlan {
  timezone: string;
  untilMs?: number;
  quietForMs?: number;
}

const INACTIVE = ['paused', 'expired'];

export async function watchCodes(
  { clock, console }: ScanRun,
  service: Pick<Service, 'listScans' | 'nowMs' | 'stats' | 'concurrency'>,
  codes: readonly QrCode[],
  { timezone, untilMs, quietForMs }: WatchPlan,
  wanted: readonly string[] = [],
) {
  // W9: uses one end for all codes, which is not in the future by the service's clock.
  const nowMs = service.nowMs() ?? clock.now();
  const windows = windowsUntil(Math.min(untilMs ?? nowMs, nowMs), timezone);
  const { weekMs, startMs, endMs } = windows;
  const rows: WatchRow[] = [];
  const failures: CodeFailure[] = [];
  const judgeCode = async (code: QrCode): Promise<WatchRow | CodeFailure> => {
    const { id, slug, name, status } = code;
    // W11: an inactive code costs no request, unless its status was requested.
    if (INACTIVE.includes(status) && !wanted.includes(status)) return inactiveRow({ id, slug, name }, status);
    try {
      const read: ReadScans = (request) => service.listScans(id, request);
      const evidence = await readEvidence({ read, createdMs: parseInstant(code.created_at), windows });
      return watchRow({ id, slug, name }, await judge(evidence, { startMs, endMs, quietForMs }), endMs);
    } catch (error) {
      if (!isOfOneCode(error)) throw error;
      return { code, error };
    }
  };
  const progress = console.progress('codes');
  try {
    for await (const result of fetchInOrder(codes, judgeCode, service.concurrency)) {
      if ('error' in result) failures.push(result);
      else rows.push(result);
      const detail = countOf(service.stats().requests, 'request');
      progress.update({ done: rows.length + failures.length, total: codes.length, detail });
    }
  } finally {
    progress.stop();
  }
  const [failure] = failures;
  if (failure && failures.length === codes.length) throw failure.error;
  return { rows, failures, range: { sinceMs: weekMs, untilMs: endMs } };
}

export async function watchFiles(
  { clock, console, signal }: ScanRun,
  logs: readonly InputLog[],
  { timezone, untilMs, quietForMs }: WatchPlan,
): ReturnType<typeof watchCodes> {
  const found = await readFilesEvidence({
    logs,
    untilMs,
    nowMs: clock.now(),
    signal,
    note: console.note,
    windowsUntil: (endMs) => windowsUntil(endMs, timezone),
  });
  if (!found)
    throw new UnprovenError('these files have no scans before that time, so no code can be judged', {
      hint: 'Use --input with files that cover that time, or omit --input to query the service.',
    });
  const { windows, codes, coverage, future } = found;
  const { startMs, weekMs, endMs } = windows;
  noteCoverage(console, untilMs === undefined ? { ...coverage, endsEarlyMs: endMs - 1 } : coverage, timezone);
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

export type WatchRow = ReturnType<typeof watchRow> | ReturnType<typeof inactiveRow>;

type CodeCells = Record<'id' | 'slug' | 'name', string | null>;

export function watchRow(code: CodeCells, verdict: Verdict, endMs: number) {
  const { outcome, scans, expected, low, high, lastMs } = verdict;
  return {
    ...code,
    outcome,
    scans,
    expected: expected === undefined ? null : Math.round(expected * 10) / 10,
    low: low ?? null,
    high: high ?? null,
    last_scan: lastMs === undefined ? null : formatInstant(lastMs),
    note: noteOf(verdict, endMs),
  };
}

export function inactiveRow(code: CodeCells, status: string) {
  const figures = { scans: null, expected: null, low: null, high: null, last_scan: null };
  return { ...code, outcome: 'ok' as const, ...figures, note: `${NOT_JUDGED}: ${status}` };
}

const NOT_JUDGED = 'not judged';
const REASONS: Record<Unjudged, string> = {
  few: `fewer than ${LEAST_EXPECTED} scans expected per week`,
  none: 'no scans in nine weeks',
  capped: 'the service may cap its totals',
};

function noteOf({ outcome, unjudged, lastMs, quietSinceMs }: Verdict, endMs: number): string | null {
  if (outcome === 'quiet') {
    const quietMs = endMs - (lastMs ?? quietSinceMs ?? endMs);
    const time = quietMs < DAY_MS ? formatDuration(quietMs) : countOf(Math.floor(quietMs / DAY_MS), 'day');
    return `no scans for ${time}${lastMs === undefined ? ' or longer' : ''}`;
  }
  if (outcome === 'new') return `${NOT_JUDGED}: less than nine weeks of scans`;
  return unjudged === undefined ? null : `${NOT_JUDGED}: ${REASONS[unjudged]}`;
}

export function isUnjudged({ note }: Pick<WatchRow, 'note'>): boolean {
  return note?.startsWith(NOT_JUDGED) ?? false;
}

export function isFinding(outcome: WatchOutcome | undefined): boolean {
  return outcome === 'quiet' || outcome === 'drop' || outcome === 'jump';
}

/** W10: returns whether to report a change. A code that is not judged has not recovered. */
export function isNews(now: Pick<WatchRow, 'outcome' | 'note'>, before: WatchOutcome | undefined): boolean {
  if (isFinding(now.outcome)) return now.outcome !== before;
  return isFinding(before) && !isUnjudged(now);
}
