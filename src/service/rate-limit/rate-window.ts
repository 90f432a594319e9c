/** Tracks the rate-limit window. Ignores implausible Resets (ends of windows). */
import type { RateHeaders } from './rate-headers.ts';
import { type RateLimit, WINDOW_MS } from './rate-limit.ts';
import type { ServiceClock } from './service-clock.ts';

export type Reserve = { requests: number } | { percent: number };

/** Maximum time to a Reset in ms. The specified window is one minute, but some services use an hour. */
const MAX_ACCEPTED_MS = 3_660_000;
/** Maximum time in ms to a Reset without a Date header, because this machine's clock may be hours off. */
const MAX_ACCEPTED_UNDATED_MS = 600_000;
/** Time in ms of the first back-off. Each consecutive back-off is twice as long, up to a minute. */
const FIRST_BACK_OFF_MS = 1000;
const SECOND_MS = 1000;
/** Maximum difference in ms between Resets of one window. Some services round them differently. */
const SAME_RESET_MS = 1000;

interface Known {
  limit: number | undefined;
  lowest: number;
  resetMs: number | undefined;
}

export function createRateWindow(options: {
  clock: { now(): number; monotonic(): number };
  serviceClock: ServiceClock;
  reserve: Reserve;
}) {
  const { clock, serviceClock, reserve } = options;
  let known: Known | undefined;
  let newest: RateHeaders | undefined;
  let closedAt = -Infinity;
  let closedResetMs = -Infinity;
  let pausedUntil = -Infinity;
  const backOffs = createExponentialBackOff(clock);
  let truncationMs = 0;

  // L3: returns the service's time or, without a Date header, this machine's.
  const serviceNow = () => serviceClock.nowMs() ?? clock.now();
  const msUntil = (resetMs: number) => resetMs + truncationMs - serviceNow();

  function budgetOf({ limit = 0, lowest }: Known): number {
    return lowest - ('requests' in reserve ? reserve.requests : Math.ceil((limit * reserve.percent) / 100));
  }

  function close() {
    closedAt = clock.monotonic();
    closedResetMs = known?.resetMs ?? closedResetMs;
    known = undefined;
  }

  function current(): Known | undefined {
    if (known?.resetMs !== undefined && msUntil(known.resetMs) < 1) close();
    return known;
  }

  /** L8: returns the Reset; undefined if too far ahead, or more than 1 s in the past. */
  function acceptedResetMs({ resetMs = 0, dateMs }: RateHeaders): number | undefined {
    const aheadMs = resetMs - (dateMs ?? serviceNow());
    const longestMs =
      (dateMs ?? serviceClock.nowMs()) === undefined ? MAX_ACCEPTED_UNDATED_MS : MAX_ACCEPTED_MS;
    return aheadMs > longestMs || aheadMs < -SECOND_MS ? undefined : resetMs;
  }

  function pause(ms: number) {
    pausedUntil = Math.max(pausedUntil, clock.monotonic() + ms);
  }

  function backOff(ms: number) {
    close();
    pause(ms);
  }

  const exponentialMs = (sentAt: number, resetMs = 0) => backOffs.nextMs(sentAt, resetMs > serviceNow());

  /** L7: returns the pause in ms after a 429, by Retry-After, by the Reset, or as a back-off. */
  function pauseAfter429Ms(headers: RateHeaders, sentAt: number): number {
    const statedMs = acceptedRetryAfterMs(headers.retryAfterMs);
    if (statedMs > 0) return statedMs;
    // After `Retry-After: 0` with requests left, backs off briefly, to avoid a tight loop.
    if (headers.retryAfterMs === 0 && (headers.remaining ?? 0) > 0) return exponentialMs(sentAt);
    const untilResetMs = msUntil(acceptedResetMs(headers) ?? -Infinity);
    return untilResetMs > 0 ? untilResetMs : exponentialMs(sentAt, headers.resetMs);
  }

  /** L8: returns the Retry-After in ms; a minute if it is too long. */
  function acceptedRetryAfterMs(ms = 0): number {
    return ms > MAX_ACCEPTED_MS ? WINDOW_MS : Math.max(0, ms);
  }

  function isOfPreviousWindow(headers: RateHeaders, sentAt: number): boolean {
    if (sentAt < closedAt && (headers.resetMs ?? Number.NaN) <= closedResetMs) return true;
    return (
      known?.resetMs !== undefined &&
      (acceptedResetMs(headers) ?? known.resetMs) < known.resetMs - SAME_RESET_MS
    );
  }

  function update(headers: RateHeaders, remaining: number) {
    const opened: Known = { limit: headers.limit, lowest: remaining, resetMs: acceptedResetMs(headers) };
    if (known?.resetMs === undefined) {
      known = opened;
      return;
    }
    const laterMs = (opened.resetMs ?? known.resetMs) - known.resetMs;
    if (laterMs > SAME_RESET_MS) {
      known = opened;
      return;
    }
    // L1: responses overtake each other, so the lowest Remaining counts, not the last.
    known.lowest = Math.min(known.lowest, remaining);
    known.resetMs += Math.max(0, laterMs);
  }

  function spend() {
    if (known) known.lowest -= 1;
  }

  function backOffIfExhausted(sentAt: number, resetMs?: number) {
    if (known && known.resetMs === undefined && budgetOf(known) <= 0) backOff(exponentialMs(sentAt, resetMs));
  }

  /** Detects that Resets are rounded down: at sending, the service's clock was past the Reset. */
  function noteTruncation({ resetMs = Number.NaN }: RateHeaders, sentAt: number) {
    const lateMs = (serviceClock.nowMs(sentAt) ?? Number.NaN) - resetMs;
    // L12: adds a second to every later Reset, because the service rounds Resets down.
    if (lateMs >= 0 && lateMs < SECOND_MS) truncationMs = SECOND_MS;
  }

  return {
    /** Returns the number of requests left: undefined before a probe, Infinity without rate-limit headers. */
    left(): number | undefined {
      const window = current();
      return window && budgetOf(window);
    },
    waitMs() {
      const window = current();
      const untilReset = window?.resetMs !== undefined && budgetOf(window) <= 0 ? msUntil(window.resetMs) : 0;
      return Math.max(0, pausedUntil - clock.monotonic(), untilReset);
    },
    learn({ headers, limited, sentAt }: { headers: RateHeaders; limited: boolean; sentAt: number }) {
      const { resetMs, remaining } = headers;
      noteTruncation(headers, sentAt);
      // L5: ignores a late response about the previous window.
      if (!limited && isOfPreviousWindow(headers, sentAt)) return;
      if (remaining !== undefined || newest === undefined)
        newest = { ...headers, resetMs: acceptedResetMs(headers) };
      if (limited) return backOff(pauseAfter429Ms(headers, sentAt));
      backOffs.reset();
      if (remaining !== undefined) update(headers, remaining);
      else if (known) spend();
      else known = { limit: undefined, lowest: Infinity, resetMs: undefined };
      backOffIfExhausted(sentAt, resetMs);
    },
    throttle(retryAfterMs: number | undefined, sentAt: number): void {
      // L18: pauses, but keeps the window, because only an intermediary refused.
      pause(acceptedRetryAfterMs(retryAfterMs) || exponentialMs(sentAt));
    },
    spend() {
      spend();
      backOffIfExhausted(clock.monotonic());
    },
    rateLimit(): RateLimit {
      // L16: prefers the Reset that requests wait for.
      const resetMs = known?.resetMs ?? newest?.resetMs;
      const resetInMs = resetMs === undefined ? undefined : msUntil(resetMs);
      return { plan: newest?.plan, limit: newest?.limit, remaining: newest?.remaining, resetMs, resetInMs };
    },
  };
}

/** L9: creates back-offs for refusals without a valid pause. */
function createExponentialBackOff(clock: { monotonic(): number }) {
  let doublings = 0;
  let lastAt = -Infinity;
  return {
    nextMs(sentAt: number, isAhead: boolean): number {
      // L19: does not back off again for requests of the same burst, sent before the last back-off.
      if (sentAt <= lastAt) return 0;
      lastAt = clock.monotonic();
      const doubled = FIRST_BACK_OFF_MS * 2 ** doublings;
      doublings += 1;
      return isAhead ? WINDOW_MS : Math.min(WINDOW_MS, doubled);
    },
    reset() {
      doublings = 0;
    },
  };
}
