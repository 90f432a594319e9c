/**
 * Circuit breaker per host (K9). A thousand codes may lead to a host that is down, never responds, or
 * rejects each request as "not now": the cost is bounded per host, not by the number of codes.
 */

import type { Trip } from './follow.ts';
import { LateError } from './request.ts';
import { retryOf, type Verdict } from './verdict.ts';

/** Maximum number of addresses in a row that can't be connected to: the host is down. */
const MOST_DEAD = 2;
/** Maximum number of addresses in a row without a response in time. A slow page indicates little about the next one. */
const MOST_LATE = 5;
const MOST_FAILED_RETRIES = 3;

export interface HostPatience {
  /** Returns the verdict for the remaining addresses of this origin without a request; undefined if they are to be requested. */
  verdict(origin: string): Verdict | undefined;
  allowsRetry(origin: string): boolean;
  /** Records the result of a visit; `retried`: after a retry. */
  note(origin: string, trip: Trip, verdict: Verdict, retried: boolean): void;
}

export function createHostPatience(): HostPatience {
  const hosts = new Map<string, { dead: number; late: number; failedRetries: number; last: Verdict }>();
  return {
    verdict(origin) {
      const host = hosts.get(origin);
      if (!host || (host.dead < MOST_DEAD && host.late < MOST_LATE)) return undefined;
      const verdict = { ...host.last, finalUrl: undefined, ms: undefined };
      if (host.dead < MOST_DEAD)
        verdict.error = `not requested: ${host.late} addresses on this host failed (${host.last.error})`;
      return verdict;
    },
    allowsRetry(origin) {
      const { dead = 0, failedRetries = 0 } = hosts.get(origin) ?? {};
      return dead === 0 && failedRetries < MOST_FAILED_RETRIES;
    },
    note(origin, trip, verdict, retried) {
      const { dead = 0, late = 0, failedRetries = 0 } = hosts.get(origin) ?? {};
      const { end, redirects } = trip;
      // A failure after a redirect is that of another host.
      const failure = end.is === 'failed' && redirects === 0 ? end.failure : undefined;
      // K9: a success resets the count.
      hosts.set(origin, {
        dead: failure?.fault === 'network' && !failure.sent ? dead + 1 : 0,
        late: failure instanceof LateError ? late + 1 : 0,
        failedRetries: retryOf(trip) ? failedRetries + Number(retried) : 0,
        last: verdict,
      });
    },
  };
}
