/** What the end of a visit says of a destination: the one table from answers and failures to outcomes. */
import { quote } from '../quote.ts';
import type { Headers } from '../service/transport.ts';
import { header } from '../service/transport.ts';
import type { Trip } from './follow.ts';

export const OUTCOMES = ['ok', 'redirected', 'broken', 'unreachable', 'blocked', 'not-web', 'empty'] as const;
export type CheckOutcome = (typeof OUTCOMES)[number];

/** What is said of one destination. */
export interface Verdict {
  outcome: CheckOutcome;
  status: number | undefined;
  finalUrl: string | undefined;
  redirects: number | undefined;
  tlsEndsMs: number | undefined;
  ms: number | undefined;
  /** Why, in a few words; undefined where all is well. */
  error: string | undefined;
}

/** Another visit in a moment may go better: nobody is to be woken by a hiccup. `afterMs` is what the other side asked for. */
export interface Retry {
  afterMs: number | undefined;
}

/** Whose business it is not to let programs in, whatever stands behind: says nothing of what people see. */
const WALL_STATUSES: ReadonlySet<number> = new Set([401, 403, 429, 451, 999]);
/** What firewalls against bots put into an answer of any status. */
const WALL_HEADERS = ['cf-mitigated', 'x-amzn-waf-action', 'x-vercel-mitigated', 'x-datadome', 'x-px-block', 'x-sucuri-block'];
/** "Not now". */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

/** The outcome of a visit. */
export function judge({ end, finalUrl, redirects, tlsEndsMs, ms }: Trip): Verdict {
  const verdict = (outcome: CheckOutcome, error?: string, status?: number): Verdict => {
    return { outcome, status, finalUrl, redirects, tlsEndsMs, ms, error };
  };
  switch (end.is) {
    case 'answer':
      return judgeAnswer(end.status, end.headers, redirects > 0, verdict);
    case 'not-web':
      return verdict('not-web', `redirects to ${quote(end.target)}, which only a phone can open`);
    case 'astray':
      return verdict('broken', `${end.why} (${end.status})`, end.status);
    case 'ours':
      return verdict('blocked', end.why);
    case 'refused':
      return verdict('unreachable', end.why);
    case 'failed':
      // A page behind a certificate that is not good is there, and nobody gets past the browser's warning; so with what is not HTTP.
      return verdict(
        end.failure.fault === 'network' || end.failure.fault === 'proxy' ? 'unreachable' : 'broken',
        end.failure.message,
      );
  }
}

function judgeAnswer(
  status: number,
  headers: Headers,
  redirected: boolean,
  verdict: (outcome: CheckOutcome, error?: string, status?: number) => Verdict,
): Verdict {
  const wall = WALL_HEADERS.find((name) => header(headers, name) !== undefined);
  if (WALL_STATUSES.has(status)) return verdict('blocked', `does not let programs in (${status})`, status);
  if (wall !== undefined) return verdict('blocked', `a wall against bots stands before it (${status}, ${wall})`, status);
  if (status >= 200 && status < 300) return verdict(redirected ? 'redirected' : 'ok', undefined, status);
  return verdict('broken', wordsFor(status), status);
}

function wordsFor(status: number): string {
  if (status === 404) return 'there is no such page (404)';
  if (status === 410) return 'the page is gone for good (410)';
  if (status >= 500) return `the server failed (${status})`;
  return `the server answers ${status}`;
}

/** Whether the visit is worth another, and when; undefined where it would end in the same way. */
export function retryOf({ end }: Trip): Retry | undefined {
  if (end.is === 'failed') return end.failure.fault === 'network' ? { afterMs: undefined } : undefined;
  if (end.is !== 'answer' || !PASSING_STATUSES.has(end.status)) return undefined;
  const seconds = Number(header(end.headers, 'retry-after') ?? Number.NaN);
  return { afterMs: seconds >= 0 ? seconds * 1000 : undefined };
}
