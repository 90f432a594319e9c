import { zoned } from '#base/time/periods';
import { DAY_MS } from '#base/time/time';
import type { ClosedSpan } from '#scans/stats/calendar';

export const OUTCOMES = ['quiet', 'drop', 'jump', 'new', 'ok'] as const;
export type WatchOutcome = (typeof OUTCOMES)[number];

export const LEAST_EXPECTED = 30;
const BASELINE_WEEKS = 8;
const LEAST_BASELINE = LEAST_EXPECTED * BASELINE_WEEKS;
/** Minimum time without scans, in ms, to judge by expected scans: longer than a day off with its nights. */
const LEAST_GAP_MS = 1.5 * DAY_MS;
const WEEK_MS = 7 * DAY_MS;
const SUSPICIOUS = 0.9;

export const EARLIER_WEEKS = [1, 2] as const;

export function hoursBefore(weeks: number, lastMs: number, endMs: number): ClosedSpan {
  return { sinceMs: lastMs + 1 - weeks * WEEK_MS, untilMs: endMs - weeks * WEEK_MS };
}

export type LastScan = { ms: number } | 'none' | 'unknown';

export interface Evidence {
  recent: number;
  baseline: number;
  isCapped: boolean;
  last: LastScan;
  isYoung: boolean;
  findLast(): Promise<LastScan>;
  countSameHours(weeks: (typeof EARLIER_WEEKS)[number], lastMs: number): Promise<number>;
  hasSince(sinceMs: number): Promise<boolean>;
  hasEarlier(): Promise<boolean>;
  findEarlier(): Promise<LastScan>;
}

interface Limits {
  endMs: number;
  startMs: number;
  quietForMs?: number;
}

export type Unjudged = 'few' | 'none' | 'capped';

export interface Verdict {
  outcome: WatchOutcome;
  unjudged?: Unjudged;
  scans: number;
  expected?: number;
  low?: number;
  high?: number;
  lastMs?: number;
  quietSinceMs?: number;
}

export async function judge(evidence: Evidence, limits: Limits): Promise<Verdict> {
  const { recent, baseline, isCapped, isYoung } = evidence;
  const weekly = isCapped ? undefined : baseline / BASELINE_WEEKS;
  const last = await lastOf(evidence, weekly, limits);
  const found = { scans: recent, expected: weekly, lastMs: typeof last === 'object' ? last.ms : undefined };
  const silence = await judgeSilence(evidence, last, limits);
  if (silence) return { ...found, ...silence };
  if (last === 'none') return { ...found, outcome: isYoung ? 'new' : 'ok', unjudged: 'none' };
  // W5: a code younger than nine weeks has no baseline.
  if (isYoung) return { ...found, outcome: 'new' };
  if (isCapped) return { ...found, outcome: 'ok', unjudged: 'capped' };
  // W2: doesn't judge few scans, because a change may be chance.
  if (baseline < LEAST_BASELINE) return { ...found, outcome: 'ok', unjudged: 'few' };
  const range = normalRange(baseline);
  const change = recent < range.low ? 'drop' : 'jump';
  const outcome = recent >= range.low && recent <= range.high ? 'ok' : change;
  // W5: an old code may have its first scans in the last nine weeks.
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
  const { quietForMs = Infinity, endMs } = limits;
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

async function judgeHidden(
  { recent, baseline, isCapped, hasSince }: Evidence,
  last: LastScan,
  { quietForMs = Infinity, startMs, endMs }: Limits,
): Promise<Pick<Verdict, 'outcome' | 'expected' | 'quietSinceMs'> | undefined> {
  const expected = isCapped ? undefined : baseline / BASELINE_WEEKS;
  const sinceMs = recent === 0 ? endMs - WEEK_MS : endMs;
  const emptyMs = last === 'none' ? startMs : sinceMs;
  const askedMs = endMs - quietForMs;
  // W4: with --quiet-for, a period of that length without scans suffices.
  const isQuiet = Number.isFinite(quietForMs) && (emptyMs <= askedMs || !(await hasSince(askedMs)));
  // W1: a code is quiet after a week without scans, if enough scans are usual.
  const isLong = emptyMs < endMs && baseline >= LEAST_BASELINE;
  return isQuiet || isLong
    ? { outcome: 'quiet', expected, quietSinceMs: isQuiet ? Math.min(emptyMs, askedMs) : emptyMs }
    : undefined;
}

async function expectedSince(
  evidence: Evidence,
  lastMs: number,
  { startMs, endMs }: Limits,
): Promise<number | undefined> {
  const { recent, baseline } = evidence;
  const gapMs = endMs - lastMs;
  if (gapMs >= WEEK_MS) {
    // Whole weeks have each hour of each weekday, so one rate applies.
    const scannedMs = lastMs - startMs;
    return scannedMs < WEEK_MS
      ? undefined
      : ((recent + baseline) / scannedMs) * Math.floor(gapMs / WEEK_MS) * WEEK_MS;
  }
  if (baseline < LEAST_BASELINE) return undefined;
  // W1: uses the lesser of two weeks, because one may contain a campaign.
  let least = Infinity;
  for (const weeks of EARLIER_WEEKS) {
    least = Math.min(least, await evidence.countSameHours(weeks, lastMs));
    if (least < LEAST_EXPECTED) break;
  }
  return least;
}

/** Coefficient of variation of the weekly mean (simulation in PROTOCOL.md). */
const DISPERSION = 0.2;
const TAIL = 0.0005;
/** Maximum mean for which quantiles are summed. For greater means, the range is scaled. */
const MOST_SUMMED = 5000;

/**
 * W3: returns the usual range. Poisson counts with a gamma-distributed mean are negative binomial with
 * variance m + m²/r (Greenwood and Yule, 1920). 1/r is the squared dispersion plus 1/baseline, because the
 * mean is estimated (Gelman et al., Bayesian Data Analysis, 2.6).
 */
export function normalRange(baseline: number) {
  const mean = baseline / BASELINE_WEEKS;
  const summed = Math.min(mean, MOST_SUMMED);
  const scale = mean / summed;
  const { low, high } = quantiles(summed, 1 / (DISPERSION ** 2 + 1 / baseline));
  return { low: Math.ceil(low * scale), high: Math.floor(high * scale) };
}

function quantiles(mean: number, size: number) {
  const fraction = mean / (size + mean);
  let probability = (1 - fraction) ** size;
  let sum = probability;
  let low = 0;
  let scans = 0;
  for (; sum < 1 - TAIL; scans++) {
    if (sum <= TAIL) low = scans + 1;
    probability *= (fraction * (scans + size)) / (scans + 1);
    sum += probability;
  }
  return { low, high: scans };
}

export type Windows = ReturnType<typeof windowsUntil>;

/** W6: returns the limits of the windows, all at one local time of day, so each has every hour equally often. */
export function windowsUntil(endMs: number, timezone: string) {
  const end = zoned(endMs, timezone);
  const before = (weeks: number) => end.subtract({ weeks }).epochMilliseconds;
  return {
    startMs: before(1 + BASELINE_WEEKS),
    middleMs: before(1 + BASELINE_WEEKS / 2),
    weekMs: before(1),
    endMs,
  };
}
