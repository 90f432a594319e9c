/**
 * Judges one code against its own past: the last seven days against the mean of the eight weeks before, and a silence against the same
 * hours of earlier weeks. Asks its source for more than two totals only if they raise a suspicion.
 */
import { DAY_MS } from '../../base/time/units.ts';
import { BASELINE_WEEKS, normalRange } from './normal-range.ts';

export const OUTCOMES = ['quiet', 'drop', 'jump', 'new', 'ok'] as const;
export type WatchOutcome = (typeof OUTCOMES)[number];

/** Expected scans from which a code is judged. */
export const LEAST_EXPECTED = 30;
const LEAST_BASELINE = LEAST_EXPECTED * BASELINE_WEEKS;
/** Shortest silence that is judged: a day on which a shop is closed is shorter, its evening and its morning included. */
const LEAST_GAP_MS = 1.5 * DAY_MS;
const WEEK_MS = 7 * DAY_MS;
/** Share of the expected scans below which the last scan is looked for if it is not known. */
const SUSPICIOUS = 0.9;

/** How many weeks before a silence the same hours are counted. */
export const EARLIER_WEEKS = [1, 2] as const;

/** Returns the hours of a silence so many weeks earlier, half-open: those after the last scan. */
export function hoursBefore(
  weeks: number,
  lastMs: number,
  endMs: number,
): { sinceMs: number; untilMs: number } {
  return { sinceMs: lastMs + 1 - weeks * WEEK_MS, untilMs: endMs - weeks * WEEK_MS };
}

/** The latest scan in the nine weeks; `unknown`: there are some, and no row showed it. */
export type LastScan = { ms: number } | 'none' | 'unknown';

/** What is known of the scans of one code before an instant, and what can be asked. */
export interface Evidence {
  /** Scans of the last seven days. */
  recent: number;
  /** Scans of the eight weeks before; `isCapped`: there may be more, because the totals may be capped. */
  baseline: number;
  isCapped: boolean;
  last: LastScan;
  /** The code is younger than the nine weeks. */
  isYoung: boolean;
  /** Looks for the latest scan, if it is `unknown`. */
  findLast(): Promise<LastScan>;
  /** Counts the scans so many weeks before the silence, in the hours of `hoursBefore`. */
  countSameHours(weeks: (typeof EARLIER_WEEKS)[number], lastMs: number): Promise<number>;
  /** There are scans from that time on. */
  hasSince(sinceMs: number): Promise<boolean>;
  /** There are scans before the nine weeks. */
  hasEarlier(): Promise<boolean>;
  /** Looks for the latest of them. */
  findEarlier(): Promise<LastScan>;
}

export interface Limits {
  /** End of the week, ms since the epoch. */
  endMs: number;
  /** Start of the nine weeks. */
  startMs: number;
  /** Length of a silence that counts for any code that had scans. */
  quietForMs: number | undefined;
}

/** Why a code was not judged. */
export type Unjudged = 'few' | 'none' | 'capped';

export interface Verdict {
  outcome: WatchOutcome;
  unjudged?: Unjudged;
  scans: number;
  /** In a week or, if the code is quiet, during its silence; undefined if unknown. */
  expected: number | undefined;
  low?: number;
  high?: number;
  lastMs?: number | undefined;
  /** If the code is quiet and the last scan is unknown: the time from which on there are none. */
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
  const outcome = recent < range.low ? 'drop' : recent > range.high ? 'jump' : 'ok';
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

/** Returns what makes a code quiet, or undefined if it is not. */
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
  // W7: a capped total is enough to expect scans, but not to say how many.
  return isQuiet
    ? { outcome: 'quiet', expected: evidence.isCapped ? undefined : expected, lastMs: latest.ms }
    : undefined;
}

/** Judges the silence of a code whose last scan is unknown: totals show from when on there are none. */
async function judgeHidden(
  { recent, baseline, isCapped, hasSince }: Evidence,
  last: LastScan,
  { quietForMs = Number.POSITIVE_INFINITY, startMs, endMs }: Limits,
): Promise<Pick<Verdict, 'outcome' | 'expected' | 'quietSinceMs'> | undefined> {
  const expected = isCapped ? undefined : baseline / BASELINE_WEEKS;
  const emptyMs = last === 'none' ? startMs : recent === 0 ? endMs - WEEK_MS : endMs;
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

/** Returns how many scans were to be expected after the last one; undefined if too little is known. */
async function expectedSince(
  evidence: Evidence,
  lastMs: number,
  { startMs, endMs }: Limits,
): Promise<number | undefined> {
  const { recent, baseline } = evidence;
  const gapMs = endMs - lastMs;
  if (gapMs >= WEEK_MS) {
    // W1: whole weeks only, which have each hour of each weekday; the rate up to the last scan, not that of the silence.
    const scannedMs = lastMs - startMs;
    return scannedMs < WEEK_MS
      ? undefined
      : ((recent + baseline) / scannedMs) * Math.floor(gapMs / WEEK_MS) * WEEK_MS;
  }
  if (baseline < LEAST_BASELINE) return undefined;
  // W1: the same hours of the same weekdays, so that nights and days off are no silence. The lesser of two weeks, so that the hours of one
  // campaign are not expected again.
  let least = Number.POSITIVE_INFINITY;
  for (const weeks of EARLIER_WEEKS) {
    least = Math.min(least, await evidence.countSameHours(weeks, lastMs));
    if (least < LEAST_EXPECTED) break;
  }
  return least;
}
