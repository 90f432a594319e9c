/** The rate limit: lets requests through as the service's window allows, makes everybody pause when it is used up. */
import { RateLimitError } from '../errors.ts';
import type { Reserve, ServiceEvents } from '../service/service.ts';
import { type Clock, formatDuration, formatInstant } from '../time.ts';
import type { RateFacts } from './rate-headers.ts';
import type { ServiceClock } from './service-clock.ts';
import { createWindow } from './window.ts';

/** In flight at once where the service says nothing of its limit. */
const MODEST_CONCURRENCY = 4;
/** The last requests of a window that may be timed so that they tell most about the service's clock. */
const TIMED_REQUESTS = 3;
/** A clock as certain as this wins nothing from timed requests. */
const CERTAIN_ENOUGH_MS = 30;

export interface GovernorOptions {
  clock: Clock;
  serviceClock: ServiceClock;
  signal: AbortSignal;
  concurrency: number;
  reserve: Reserve;
  maxWaitMs: number | undefined;
  events: ServiceEvents;
}

/** The right to send one request. Exactly one of its methods must be called in the end; further calls do nothing. */
export interface Ticket {
  answered(facts: RateFacts, limited: boolean): void;
  /** No answer. `sent`: the service may have counted it. */
  failed(sent: boolean): void;
}

export interface Governor {
  /**
   * Waits for a place. `again` puts a request that was refused with 429 before all others. Throws RateLimitError where
   * waiting would pass `maxWaitMs`, or the signal's reason.
   */
  admit(again: boolean): Promise<Ticket>;
  pauses(): { pauses: number; pausedMs: number };
}

interface Waiting {
  admit(ticket: Ticket): void;
  refuse(reason: unknown): void;
}

export function createGovernor(options: GovernorOptions): Governor {
  const { clock, serviceClock, signal, concurrency, maxWaitMs, events } = options;
  const window = createWindow({ clock, service: serviceClock, reserve: options.reserve });
  const queue: Waiting[] = [];
  let inFlight = 0;
  let probing = false;
  let sleeping = false;
  let timed = false;
  let pauses = 0;
  let pausedMs = 0;

  function refuseAll(reason: unknown) {
    for (const waiting of queue.splice(0)) waiting.refuse(reason);
  }

  /** Sleeps for all, then looks again. */
  function sleep(ms: number, done: () => void) {
    sleeping = true;
    clock.sleep(ms, signal).then(
      () => {
        sleeping = false;
        done();
        pump();
      },
      (reason) => {
        sleeping = false;
        refuseAll(reason);
      },
    );
  }

  function pause(ms: number) {
    // Many processes wake at the same reset; the jitter keeps their probes apart.
    const whole = ms + clock.random() * Math.min(500, 0.005 * ms + 5);
    if (maxWaitMs !== undefined && pausedMs + whole > maxWaitMs) return refuseAll(tooLong(whole));
    const began = clock.monotonic();
    pauses += 1;
    events.pause?.({ ms: whole });
    sleep(whole, () => {
      pausedMs += clock.monotonic() - began;
      window.reopen();
      events.resume?.();
    });
  }

  function tooLong(ms: number): RateLimitError {
    const waited = pausedMs > 0 ? ` (${formatDuration(pausedMs)} waited)` : '';
    const limit =
      maxWaitMs === 0 ? '--max-wait 0 never pauses' : `--max-wait is ${formatDuration(maxWaitMs ?? 0)} in all${waited}`;
    return new RateLimitError(`the workspace's rate limit is used up for another ${formatDuration(ms)}, and ${limit}`, {
      outcome: 'not-applied',
      hint: `try again in ${formatDuration(ms)} (after ${formatInstant(clock.now() + ms)}), or allow a longer --max-wait`,
    });
  }

  /** Whether the window allows one more request beside those in flight. */
  function allows(left: number | undefined): boolean {
    if (inFlight >= concurrency) return false;
    if (left === undefined) return !probing;
    if (left === Number.POSITIVE_INFINITY) return inFlight < MODEST_CONCURRENCY;
    // Little is left, and others may be taking it too: with fewer in flight, fewer are refused.
    const taper = left < 2 * concurrency ? Math.ceil(concurrency / 2) : concurrency;
    return inFlight < Math.min(left, taper);
  }

  /**
   * How long to hold the next request so that its Date header tells most about the service's clock, which is what the wait for
   * the reset is measured by. Only the last requests of a window that more requests wait for than it holds: the pause that
   * follows absorbs the delay, so it costs nothing and ends the pause up to a second sooner. Infinity: once none is in flight.
   */
  function timingMs(left: number | undefined): number {
    const resetInMs = window.resetInMs();
    if (timed || left === undefined || resetInMs === undefined) return 0;
    if (left > TIMED_REQUESTS || queue.length <= left || serviceClock.uncertaintyMs() < CERTAIN_ENOUGH_MS) return 0;
    const ms = serviceClock.msToBestSample();
    const willPause = maxWaitMs === undefined || pausedMs + resetInMs <= maxWaitMs;
    if (!willPause || ms + serviceClock.uncertaintyMs() + 500 > resetInMs) return 0;
    return inFlight > 0 ? Number.POSITIVE_INFINITY : ms;
  }

  function pump() {
    while (queue.length > 0 && !sleeping) {
      const wait = window.waitMs();
      if (wait > 0) return pause(wait);
      const left = window.left();
      if (!allows(left)) return;
      const hold = timingMs(left);
      if (hold === Number.POSITIVE_INFINITY) return;
      if (hold > 0) {
        timed = true;
        return sleep(hold, () => {});
      }
      timed = false;
      queue.shift()?.admit(issue(left === undefined));
    }
  }

  function issue(probe: boolean): Ticket {
    const sentAt = clock.monotonic();
    const epoch = window.epoch();
    let open = true;
    inFlight += 1;
    if (probe) probing = true;
    const settle = (note: () => void) => {
      if (!open) return;
      open = false;
      inFlight -= 1;
      if (probe) probing = false;
      note();
      pump();
    };
    return {
      answered(facts, limited) {
        settle(() => {
          if (facts.dateMs !== undefined) serviceClock.observe(facts.dateMs, sentAt, clock.monotonic());
          window.learn({ facts, limited, sentAt, epoch });
        });
      },
      failed(sent) {
        settle(() => {
          if (sent) window.spend();
        });
      },
    };
  }

  signal.addEventListener('abort', () => refuseAll(signal.reason), { once: true });

  return {
    admit(again) {
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        queue[again ? 'unshift' : 'push']({ admit: resolve, refuse: reject });
        pump();
      });
    },
    pauses: () => ({ pauses, pausedMs }),
  };
}
