/**
 * Judges one code against its own past: the last seven days against the mean of the eight weeks before, and a silence against the same hours of
 * earlier weeks.
 */
import { DAY_MS } from '../../base/time/time.ts';
import { BASELINE_WEEKS, normalRange } from './normal-range.ts';

export const OUTCOMES = ['quiet', 'drop', 'jump', 'new', 'ok'] as const;
export type WatchOutcome = (typeof OUTCOMES)[number];

/** Minimum number of expected scans of a code that is judged. */
export const LEAST_EXPECTED = 30;
const LEAST_BASELINE = LEAST_EXPECTED * BASELINE_WEEKS;
/** Shortest silence that is judged: longer than a day off with its evenings. */
const LEAST_GAP_MS = 1.5 * DAY_MS;
const WEEK_MS = 7 * DAY_MS;
/** Share of the expected scans below which an unknown last scan is requested. */
const SUSPICIOUS = 0.9;

/** Weeks before a silence whose hours are counted. */
export const EARLIER_WEEKS = [1, 2] as const;

/** Returns the hours of a silence so many weeks earlier. */
export function hoursBefore(
  weeks: number,
  lastMs: number,
  endMs: number,
): { sinceMs: number; untilMs: number } {
  return { sinceMs: lastMs + 1 - weeks * WEEK_MS, untilMs: endMs - weeks * WEEK_MS };
}

/** `unknown`: there are scans in the nine weeks, and no row showed the latest. */
export type LastScan = { ms: number } | 'none' | 'unknown';

/** Known figures of one code, and functions that request more. */
export interface Evidence {
  recent: number;
  /** Scans of the eight weeks before; `isCapped`: there may be more. */
  baseline: number;
  isCapped: boolean;
  last: LastScan;
  isYoung: boolean;
  findLast(): Promise<LastScan>;
  /** Counts the scans in the hours of `hoursBefore`. */
  countSameHours(weeks: (typeof EARLIER_WEEKS)[number], lastMs: number): Promise<number>;
  hasSince(sinceMs: number): Promise<boolean>;
  /** Returns whether there are scans before the nine weeks. */
  hasEarlier(): Promise<boolean>;
  findEarlier(): Promise<LastScan>;
}

export interface Limits {
  endMs: number;
  startMs: number;
  /** Length of a silence that counts for any code. */
  quietForMs: number | undefined;
}

export type Unjudged = 'few' | 'none' | 'capped';

export interface Verdict {
  outcome: WatchOutcome;
  unjudged?: Unjudged;
  scans: number;
  /** In a week or, if the code is quiet, during its silence. */
  expected: number | undefined;
  low?: number;
  high?: number;
  lastMs?: number | undefined;
  /** If the last scan of a quiet code is unknown: the time from which on there are none. */
  quietSinceMs?: number;
}

/** Judges a code. Throws the errors of its source. */
export async function judge(evidence: Evidence, limits: Limits): Promise<Verdict> {
  const { recent, baseline, isCapped, isYoung } = evidence;
  const weekly = isCapped ? undefined : baseline / BASELINE_WEEKS;
  const last = await lastOf(evidence, weekly, limits);
  const found = { scans: recent, expected: weekly, lastMs: msOf(last) };
  const silence = await judgeSilence(evidence, last, limits);
  if (silence) return { ...found, ...silence };
  if (last === 'none') return { ...found, outcome: isYoung ? 'new' : 'ok', unjudged: 'none' };
  // W5: what is younger than its nine weeks has no level yet.
  if (isYoung) return { ...found, outcome: 'new' };
  if (isCapped) return { ...found, outcome: 'ok', unjudged: 'capped' };
  // W2: too few to tell a change from chance.
  if (baseline < LEAST_BASELINE) return { ...found, outcome: 'ok', unjudged: 'few' };
  const range = normalRange(baseline);
  const change = recent < range.low ? 'drop' : 'jump';
  const outcome = recent >= range.low && recent <= range.high ? 'ok' : change;
  // W5: created long ago, and scanned for the first time in these weeks.
  if (outcome !== 'ok' && !(await evidence.hasEarlier())) return { ...found, outcome: 'new' };
  return { ...found, outcome, ...range };
}

async function lastOf(
  evidence: Evidence,
  weekly: number | undefined,
  { quietForMs }: Limits,
): Promise<LastScan> {
  const { last, recent } = evidence;
  if (last !== 'unknown') return last;
  const isSuspicious = quietForMs !== undefined || weekly === undefined || recent < SUSPICIOUS * weekly;
  return isSuspicious ? evidence.findLast() : last;
}

async function judgeSilence(
  evidence: Evidence,
  last: LastScan,
  limits: Limits,
): Promise<Pick<Verdict, 'outcome' | 'expected' | 'lastMs' | 'quietSinceMs'> | undefined> {
  const { quietForMs = Number.POSITIVE_INFINITY, endMs } = limits;
  const latest = last === 'none' && Number.isFinite(quietForMs) ? await evidence.findEarlier() : last;
  if (latest === 'none') return undefined;
  if (latest === 'unknown') return judgeHidden(evidence, last, limits);
  const gapMs = endMs - latest.ms;
  const expected =
    last === 'none' || gapMs < LEAST_GAP_MS ? undefined : await expectedSince(evidence, latest.ms, limits);
  const isQuiet = (expected ?? 0) >= LEAST_EXPECTED || gapMs >= quietForMs;
  // W7: a capped total does not show how many scans to expect.
  return isQuiet
    ? { outcome: 'quiet', expected: evidence.isCapped ? undefined : expected, lastMs: latest.ms }
    : undefined;
}

/** Judges the silence of a code whose last scan is unknown. */
async function judgeHidden(
  { recent, baseline, isCapped, hasSince }: Evidence,
  last: LastScan,
  { quietForMs = Number.POSITIVE_INFINITY, startMs, endMs }: Limits,
): Promise<Pick<Verdict, 'outcome' | 'expected' | 'quietSinceMs'> | undefined> {
  const expected = isCapped ? undefined : baseline / BASELINE_WEEKS;
  const sinceMs = recent === 0 ? endMs - WEEK_MS : endMs;
  const emptyMs = last === 'none' ? startMs : sinceMs;
  const askedMs = endMs - quietForMs;
  // W4: a period without scans is proof enough.
  const isQuiet = Number.isFinite(quietForMs) && (emptyMs <= askedMs || !(await hasSince(askedMs)));
  // W1: a silence of at least a week, if enough scans are expected in it.
  const isLong = emptyMs < endMs && baseline >= LEAST_BASELINE;
  return isQuiet || isLong
    ? { outcome: 'quiet', expected, quietSinceMs: isQuiet ? Math.min(emptyMs, askedMs) : emptyMs }
    : undefined;
}

function msOf(last: LastScan): number | undefined {
  return typeof last === 'object' ? last.ms : undefined;
}

/** Returns the number of scans to expect after the last one; undefined if too little is known. */
async function expectedSince(
  evidence: Evidence,
  lastMs: number,
  { startMs, endMs }: Limits,
): Promise<number | undefined> {
  const { recent, baseline } = evidence;
  const gapMs = endMs - lastMs;
  if (gapMs >= WEEK_MS) {
    // W1: whole weeks have each hour of each weekday; the rate is that up to the last scan.
    const scannedMs = lastMs - startMs;
    return scannedMs < WEEK_MS
      ? undefined
      : ((recent + baseline) / scannedMs) * Math.floor(gapMs / WEEK_MS) * WEEK_MS;
  }
  if (baseline < LEAST_BASELINE) return undefined;
  // W1: the same hours of the same weekdays. The lesser of two weeks, so that those of a campaign are not expected again.
  let least = Number.POSITIVE_INFINITY;
  for (const weeks of EARLIER_WEEKS) {
    least = Math.min(least, await evidence.countSameHours(weeks, lastMs));
    if (least < LEAST_EXPECTED) break;
  }
  return least;
}
