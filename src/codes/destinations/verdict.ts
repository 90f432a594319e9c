import { isRefused, type NetworkError } from '#service/network-error';
import { parseRateHeaders } from '#service/rate-limit/rate-headers';
import { header } from '#service/transport';
import type { Trip } from './follow.ts';
import type { Head } from './read-head.ts';

export const OUTCOMES = ['ok', 'redirected', 'broken', 'unreachable', 'blocked', 'not-web', 'empty'] as const;
export type CheckOutcome = (typeof OUTCOMES)[number];

export interface Verdict {
  outcome: CheckOutcome;
  status?: number;
  finalUrl?: string;
  redirects?: number;
  tlsEndsMs?: number;
  ms?: number;
  error?: string;
  /**
   * Whether the host responded, even with a redirect, an invalid certificate or a refused connection.
   * Undefined if no request was attempted.
   */
  responded?: boolean;
}

/** Statuses that sites send to programs although visitors may see the page. */
const WALL_STATUSES = new Set([401, 403, 429, 451, 999]);
/** Headers that bot protection adds to responses with any status. */
const WALL_HEADERS =
  'cf-mitigated x-amzn-waf-action x-vercel-mitigated x-datadome x-px-block x-sucuri-block'.split(' ');
const TRANSIENT_STATUSES = new Set([408, 425, 429, 500, 502, 503, 504]);

export function judge(trip: Trip): Verdict {
  const { end, finalUrl, redirects, tlsEndsMs, ms } = trip;
  const status = 'status' in end ? end.status : undefined;
  const verdict = (outcome: CheckOutcome, error?: string): Verdict => {
    return { outcome, status, finalUrl, redirects, tlsEndsMs, ms, error, responded: hasResponded(trip) };
  };
  switch (end.is) {
    case 'response':
      return verdict(...judgeResponse(end, redirects > 0));
    case 'failed':
      // Certificate and protocol errors are `broken`, because they also stop visitors.
      return verdict(isOnTheWay(end.failure) ? 'unreachable' : 'broken', end.failure.message);
    default:
      return verdict(end.is, end.error);
  }
}

function isOnTheWay({ fault }: NetworkError): boolean {
  return fault === 'network' || fault === 'proxy';
}

function hasResponded({ end, redirects }: Trip): boolean | undefined {
  if (redirects > 0 || 'status' in end) return true;
  return end.is === 'failed' ? isRefused(end.failure) || !isOnTheWay(end.failure) : undefined;
}

/** K10: returns the most frequent error if no host responded, because this machine may be offline. */
export function findSilence(verdicts: Iterable<Verdict>): { requested: number; reason: string } | undefined {
  const reasons = new Map<string, number>();
  let requested = 0;
  for (const { responded, error = '' } of verdicts) {
    if (responded) return undefined;
    if (responded === undefined) continue;
    requested += 1;
    reasons.set(error, (reasons.get(error) ?? 0) + 1);
  }
  const [most] = [...reasons].sort(([, a], [, b]) => b - a);
  return most && { requested, reason: most[0] };
}

function judgeResponse({ status, headers }: Head, redirected: boolean): [CheckOutcome, error?: string] {
  const wall = WALL_HEADERS.find((name) => header(headers, name) !== undefined);
  if (WALL_STATUSES.has(status)) return ['blocked', `access refused (${status})`];
  if (wall !== undefined) return ['blocked', `blocked by bot protection (${status}, ${wall})`];
  if (status >= 200 && status < 300) return [redirected ? 'redirected' : 'ok'];
  return ['broken', describeStatus(status)];
}

function describeStatus(status: number): string {
  if (status === 404) return 'page not found (404)';
  if (status === 410) return 'page permanently removed (410)';
  if (status >= 500) return `server error (${status})`;
  return `unexpected status ${status}`;
}

const RETRY_AFTER_MS = 2000;
const LONGEST_RETRY_AFTER_MS = 10_000;

export function retryOf({ end }: Trip): number | undefined {
  if (end.is === 'failed') return end.failure.fault === 'network' ? RETRY_AFTER_MS : undefined;
  if (end.is !== 'response' || !TRANSIENT_STATUSES.has(end.status)) return undefined;
  const { retryAfterMs = -1 } = parseRateHeaders((name) => header(end.headers, name));
  return retryAfterMs < 0 ? RETRY_AFTER_MS : Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS);
}
