/**
 * Circuit breaker per host (K9). A thousand codes may lead to a host that is down, never responds, or
 * rejects each request as "not now": the cost is bounded per host, not by the number of codes.
 */
import type { NetworkError } from '../../service/network-error.ts';
import { LateError } from './ask.ts';
import type { Trip } from './follow.ts';
import { retryOf, type Verdict } from './verdict.ts';

/** Addresses of one host, one after the other, that could not even be connected to: the host is down. */
const MOST_DEAD = 2;
/** Consecutive addresses without a response in time. More than above, because a slow page indicates less about the next one. */
const MOST_LATE = 5;
/** Second visits, one after the other, that went no better than the first. */
const MOST_IN_VAIN = 3;

export interface HostPatience {
  /** Returns the verdict for the remaining addresses of this origin without a request; undefined if they are to be requested. */
  verdict(origin: string): Verdict | undefined;
  /** Returns whether a failed visit may be retried. */
  allowsRetry(origin: string): boolean;
  /** Records the result of a visit; `retried`: after a retry. */
  note(origin: string, trip: Trip, verdict: Verdict, retried: boolean): void;
}

/** Creates a circuit breaker for the queue of one host. */
export function createHostPatience(): HostPatience {
  const hosts = new Map<string, { dead: number; late: number; inVain: number; last: Verdict }>();
  return {
    verdict(origin) {
      const host = hosts.get(origin);
      if (!host || (host.dead < MOST_DEAD && host.late < MOST_LATE)) return undefined;
      const unasked = { ...host.last, finalUrl: undefined, ms: undefined };
      // Nothing is claimed about a page that a slower one only makes unlikely.
      if (host.dead < MOST_DEAD)
        unasked.error = `not requested: ${host.late} addresses on this host failed (${host.last.error})`;
      return unasked;
    },
    allowsRetry(origin) {
      const { dead = 0, inVain = 0 } = hosts.get(origin) ?? {};
      return dead === 0 && inVain < MOST_IN_VAIN;
    },
    note(origin, trip, verdict, retried) {
      const { dead = 0, late = 0, inVain = 0 } = hosts.get(origin) ?? {};
      const failure = failureOf(trip);
      // K9: a success resets the count.
      hosts.set(origin, {
        dead: failure?.fault === 'network' && !failure.sent ? dead + 1 : 0,
        late: failure instanceof LateError ? late + 1 : 0,
        inVain: retryOf(trip) ? inVain + Number(retried) : 0,
        last: verdict,
      });
    },
  };
}

/** The failure of the host itself; a later one, at another host, shows nothing about it. */
function failureOf({ end, redirects }: Trip): NetworkError | undefined {
  const { failure }: { is: string; failure?: NetworkError } = end;
  return redirects === 0 ? failure : undefined;
}
