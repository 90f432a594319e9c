import { RateLimitError } from '#base/errors';
import { type Clock, formatDuration, formatInstant } from '#base/time/time';
import { createCongestion } from './congestion.ts';
import type { RateHeaders } from './rate-headers.ts';
import { createRateWindow, type Reserve } from './rate-window.ts';
import { createServiceClock } from './service-clock.ts';

const MODEST_CONCURRENCY = 4;

export interface PauseEvents {
  pause?(pause: { ms: number }): void;
  resume?(): void;
}

export interface GovernorOptions {
  clock: Clock;
  signal: AbortSignal;
  concurrency: number;
  reserve: Reserve;
  /** Maximum total of all pauses in ms. Undefined: no limit; 0: never pauses. */
  maxWaitMs: number | undefined;
  events: PauseEvents;
}

/** Permission to send a request. Call exactly one method; further calls do nothing. */
export interface Ticket {
  received(headers: RateHeaders, limited: boolean): void;
  /** Reports a 429 from an intermediary, which the service did not count. */
  throttled(retryAfterMs: number | undefined): void;
  failed(sent: boolean): void;
}

interface Waiting {
  admit(ticket: Ticket): void;
  reject(reason: unknown): void;
}

export function createGovernor(options: GovernorOptions) {
  const { clock, signal, concurrency, reserve, maxWaitMs = Infinity, events } = options;
  const serviceClock = createServiceClock(clock);
  const window = createRateWindow({ clock, serviceClock, reserve });
  const congestion = createCongestion(clock, concurrency);
  const queue: Waiting[] = [];
  let inFlight = 0;
  let probing = false;
  let pausing = false;
  let spacing = false;
  let pauses = 0;
  let pausedMs = 0;

  function rejectAll(reason: unknown) {
    for (const waiting of queue.splice(0)) waiting.reject(reason);
  }

  function pause(ms: number) {
    // L10: jitter separates the probes from many processes.
    const whole = ms + clock.random() * Math.min(500, 0.005 * ms + 5);
    // L11: a command that would wait too long fails immediately.
    if (pausedMs + whole > maxWaitMs) return rejectAll(tooLong(whole));
    const began = clock.monotonic();
    pausing = true;
    pauses += 1;
    events.pause?.({ ms: whole });
    const end = () => {
      pausedMs += clock.monotonic() - began;
    };
    clock
      .sleep(whole, signal)
      .finally(end)
      .then(() => {
        pausing = false;
        events.resume?.();
        pump();
      }, rejectAll);
  }

  function tooLong(ms: number): RateLimitError {
    const waited = pausedMs > 0 ? ` (${formatDuration(pausedMs)} used)` : '';
    const limit =
      maxWaitMs === 0
        ? '--max-wait 0 allows no waiting'
        : `--max-wait allows ${formatDuration(maxWaitMs)} in total${waited}`;
    return new RateLimitError(
      `the workspace's rate limit is exhausted for another ${formatDuration(ms)}, but ${limit}`,
      {
        outcome: 'not-applied',
        hint: `Try again in ${formatDuration(ms)} (after ${formatInstant(clock.now() + ms)}), or pass a longer --max-wait.`,
      },
    );
  }

  function allows(left: number | undefined): boolean {
    if (inFlight >= congestion.width()) return false;
    // L2: sends one probe when a window opens. All other requests wait for its response.
    if (left === undefined) return !probing;
    // L13: a service that sends no limit gets few requests at a time.
    if (left === Infinity) return inFlight < MODEST_CONCURRENCY;
    // L14: sends fewer requests at once when few are left, because other clients may use them.
    const taper = left < 2 * concurrency ? Math.ceil(concurrency / 2) : concurrency;
    // L1: counts requests in flight, because Remaining may not include them yet.
    return inFlight < Math.min(left, taper);
  }

  /** L21: delays requests briefly. The delay does not count as a pause for the rate limit. */
  function space(ms: number) {
    spacing = true;
    clock.sleep(ms, signal).then(
      () => {
        spacing = false;
        pump();
      },
      () => undefined, // Aborted: the abort handler has rejected all waiting requests (L15).
    );
  }

  function pump() {
    for (let next = queue[0]; next && !pausing && !spacing; next = queue[0]) {
      const waitMs = window.waitMs();
      if (waitMs > 0) return pause(waitMs);
      const left = window.left();
      if (!allows(left)) return;
      const gapMs = congestion.waitMs();
      if (gapMs > 0) return space(gapMs);
      queue.shift();
      next.admit(issue(left === undefined));
    }
  }

  function issue(probe: boolean): Ticket {
    const sentAt = clock.monotonic();
    let open = true;
    inFlight += 1;
    congestion.sent();
    probing ||= probe;
    const end = (note: () => void) => {
      if (!open) return;
      open = false;
      inFlight -= 1;
      if (probe) probing = false;
      note();
      pump();
    };
    return {
      received(headers, limited) {
        end(() => {
          if (headers.dateMs !== undefined) serviceClock.observe(headers.dateMs, sentAt, clock.monotonic());
          window.learn({ headers, limited, sentAt });
          if (!limited) congestion.ended(true, sentAt);
        });
      },
      throttled(retryAfterMs) {
        end(() => window.throttle(retryAfterMs, sentAt));
      },
      failed(sent) {
        end(() => {
          // L6: counts the request, because the service may have counted it.
          if (!sent) return;
          congestion.ended(false, sentAt);
          window.spend();
        });
      },
    };
  }

  // L15: an interruption ends the wait immediately; the caller ends requests in flight.
  signal.addEventListener('abort', () => rejectAll(signal.reason));

  return {
    /** Waits for permission to send; `again` goes first. Rejects with RateLimitError or the abort reason. */
    admit(again: boolean): Promise<Ticket> {
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        queue[again ? 'unshift' : 'push']({ admit: resolve, reject });
        pump();
      });
    },
    rateLimit: window.rateLimit,
    serviceClock,
    pauses: () => ({ pauses, pausedMs }),
  };
}
