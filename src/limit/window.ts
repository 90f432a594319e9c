/** What is known of the service's current rate-limit window, from the answers so far. Knows no queue and no timer. */

import type { Reserve } from '../service/service.ts';
import type { RateFacts } from './rate-headers.ts';
import type { ServiceClock } from './service-clock.ts';

/** The specification counts by the minute; a reset further off than this is a mistake, not a plan. */
const LONGEST_BELIEVED_MS = 600_000;
/** How long to wait where the service's word is not believed: one window of the specification. */
const UNBELIEVED_MS = 60_000;
const FIRST_BLIND_WAIT_MS = 1000;
/** Resets are whole seconds, and some services round them anew in each answer. */
const SAME_RESET_MS = 1000;

/** One answer as the window takes it in. */
interface Observation {
  facts: RateFacts;
  /** The answer was a 429. */
  limited: boolean;
  /** When the request was sent, monotonic, and the `epoch()` of that moment. */
  sentAt: number;
  epoch: number;
}

export interface Window {
  /**
   * Requests left in this window, less the reserve, before those in flight are taken off. Undefined when nothing is known (at
   * the start, or when a window has just opened): then one probe must go ahead. Infinity when the service sends no headers.
   */
  left(): number | undefined;
  /** Ms until the current window resets by the service's clock, where that is known. */
  resetInMs(): number | undefined;
  /** Ms to wait before the next request; 0 when none is needed. */
  waitMs(): number;
  /** Counts the windows seen. */
  epoch(): number;
  learn(observation: Observation): void;
  /** A request that may have reached the service and brought no answer: it may have been counted. */
  spend(): void;
  /** A wait is over: whatever was known belongs to the window before. */
  reopen(): void;
}

interface Known {
  limit: number | undefined;
  /** Lowest Remaining seen in this window. */
  lowest: number;
  resetMs: number | undefined;
}

export function createWindow(options: {
  clock: { now(): number; monotonic(): number };
  service: ServiceClock;
  reserve: Reserve;
}): Window {
  const { clock, service, reserve } = options;
  let known: Known | undefined;
  let headless = false;
  let epoch = 0;
  /** Reset of the window before, by which its late answers are told. */
  let closedResetMs = Number.NEGATIVE_INFINITY;
  let pausedUntil = Number.NEGATIVE_INFINITY;
  /** 429s in a row that did not say for how long. */
  let blindWaits = 0;
  /** Some services cut Reset down to the second, so that the window lives on for a part of one. Seen once, allowed for. */
  let slackMs = 0;

  /** Without a Date header the machine's own clock is all there is. */
  const serviceNow = () => service.nowMs() ?? clock.now();

  function close() {
    closedResetMs = known?.resetMs ?? closedResetMs;
    known = undefined;
    epoch += 1;
  }

  function resetInMs(): number | undefined {
    return known?.resetMs === undefined ? undefined : known.resetMs + slackMs - serviceNow();
  }

  function budgetOf({ limit = 0, lowest }: Known): number {
    return lowest - ('requests' in reserve ? reserve.requests : Math.ceil((limit * reserve.percent) / 100));
  }

  /** The window as known, unless its reset has passed by the service's clock. */
  function current(): Known | undefined {
    const ms = resetInMs();
    const spentBlindly = known !== undefined && ms === undefined && budgetOf(known) <= 0 && pausedUntil <= clock.monotonic();
    if ((ms !== undefined && ms < 1) || spentBlindly) close();
    return known;
  }

  /** Reset as far as it can be believed: neither far away nor long past. */
  function believedReset({ resetMs, dateMs }: RateFacts): number | undefined {
    if (resetMs === undefined) return undefined;
    const ahead = resetMs - (dateMs ?? serviceNow());
    return ahead > LONGEST_BELIEVED_MS || ahead < -SAME_RESET_MS ? undefined : resetMs;
  }

  function pauseFor(ms: number) {
    pausedUntil = Math.max(pausedUntil, clock.monotonic() + ms);
  }

  /** A wait of which the service did not say, or not believably, how long it should be. */
  function pauseBlindly({ resetMs, retryAfterMs }: RateFacts) {
    const absurd = (resetMs ?? 0) > serviceNow() || (retryAfterMs ?? 0) > 0;
    pauseFor(absurd ? UNBELIEVED_MS : Math.min(UNBELIEVED_MS, FIRST_BLIND_WAIT_MS * 2 ** blindWaits));
  }

  /** How long a 429 says to stay away. */
  function obeyRefusal(facts: RateFacts) {
    const { retryAfterMs = 0 } = facts;
    if (retryAfterMs > 0 && retryAfterMs <= LONGEST_BELIEVED_MS) return pauseFor(retryAfterMs);
    const resetMs = retryAfterMs > 0 ? undefined : believedReset(facts);
    const untilReset = resetMs === undefined ? 0 : resetMs + slackMs - serviceNow();
    if (untilReset > 0) return pauseFor(untilReset);
    pauseBlindly(facts);
    blindWaits = Math.min(blindWaits + 1, 6);
  }

  /** Takes in a Remaining. `limited`: it came with a 429, which says itself how long to stay away. */
  function update(facts: RateFacts, remaining: number, limited: boolean) {
    const resetMs = believedReset(facts);
    const same = known?.resetMs !== undefined && resetMs !== undefined && resetMs <= known.resetMs + SAME_RESET_MS;
    if (!same || known?.resetMs === undefined) {
      known = { limit: facts.limit, lowest: remaining, resetMs };
      if (resetMs === undefined && !limited && budgetOf(known) <= 0) pauseBlindly(facts);
    } else if (resetMs >= known.resetMs - SAME_RESET_MS) {
      known.lowest = Math.min(known.lowest, remaining);
      known.resetMs = Math.max(known.resetMs, resetMs);
    }
  }

  return {
    left() {
      const window = current();
      if (window) return budgetOf(window);
      return headless ? Number.POSITIVE_INFINITY : undefined;
    },
    resetInMs,
    waitMs() {
      const window = current();
      const untilReset = window && budgetOf(window) <= 0 ? (resetInMs() ?? 0) : 0;
      return Math.max(0, pausedUntil - clock.monotonic(), untilReset);
    },
    epoch: () => epoch,
    learn({ facts, limited, sentAt, epoch: startedIn }) {
      const { resetMs, remaining } = facts;
      if (resetMs !== undefined && startedIn < epoch && resetMs <= closedResetMs) return;
      // Sent after the reset by a clock that is never fast, and still counted in the old window: Reset was cut down.
      const sentMs = service.nowMs(sentAt);
      if (resetMs !== undefined && sentMs !== undefined && sentMs >= resetMs && sentMs < resetMs + 1000) slackMs = 1000;
      if (!limited) blindWaits = 0;
      headless = remaining === undefined && (headless || !limited);
      if (remaining !== undefined) update(facts, limited ? 0 : remaining, limited);
      else if (known) known.lowest -= 1;
      if (limited) obeyRefusal(facts);
    },
    spend() {
      if (known) known.lowest -= 1;
    },
    reopen() {
      if (pausedUntil <= clock.monotonic()) close();
    },
  };
}
