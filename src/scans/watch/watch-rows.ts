import { countOf } from '../../base/text/quote.ts';
import { DAY_MS, formatInstant } from '../../base/time/time.ts';
import { LEAST_EXPECTED, type Unjudged, type Verdict, type WatchOutcome } from './judge.ts';

export interface WatchRow {
  [column: string]: unknown;
  id: string | null;
  slug: string | null;
  name: string | null;
  outcome: WatchOutcome;
  scans: number | null;
  expected: number | null;
  low: number | null;
  high: number | null;
  last_scan: string | null;
  note: string | null;
}

export function watchRow(
  code: Pick<WatchRow, 'id' | 'slug' | 'name'>,
  verdict: Verdict,
  endMs: number,
): WatchRow {
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

/** W11: returns the row of a code that is not meant to be scanned. */
export function inactiveRow(code: Pick<WatchRow, 'id' | 'slug' | 'name'>, status: string): WatchRow {
  const figures = { scans: null, expected: null, low: null, high: null, last_scan: null };
  return { ...code, outcome: 'ok', ...figures, note: `${NOT_JUDGED}: ${status}` };
}

const NOT_JUDGED = 'not judged';
const REASONS: Record<Unjudged, string> = {
  few: `fewer than ${LEAST_EXPECTED} scans expected per week`,
  none: 'no scans in nine weeks',
  capped: 'the service may cap its totals',
};

function noteOf({ outcome, unjudged, lastMs, quietSinceMs }: Verdict, endMs: number): string | null {
  if (outcome === 'quiet') {
    const days = countOf(Math.floor((endMs - (lastMs ?? quietSinceMs ?? endMs)) / DAY_MS), 'day');
    return `no scans for ${days}${lastMs === undefined ? ' or longer' : ''}`;
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

/** W10: a code that is not judged has not recovered. */
export function isNews(now: Pick<WatchRow, 'outcome' | 'note'>, before: WatchOutcome | undefined): boolean {
  if (isFinding(now.outcome)) return now.outcome !== before;
  return isFinding(before) && !isUnjudged(now);
}
