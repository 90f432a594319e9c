/** A clock that only moves when told. */
import type { Clock } from '../../src/time.ts';

export interface FakeClock extends Clock {
  /** Moves both clocks on and wakes whoever has slept long enough, in order of their times. */
  advance(ms: number): Promise<void>;
  /** Moves the wall clock alone, as a correction by NTP does. */
  jump(ms: number): void;
}

/** A clock that stands at `nowMs`. `random` gives 0.5 unless told otherwise. */
export function fakeClock(nowMs = Date.UTC(2026, 0, 15, 12), random: () => number = () => 0.5): FakeClock {
  let elapsedMs = 0;
  let offsetMs = nowMs;
  let sleepers: { at: number; wake: () => void }[] = [];

  return {
    now: () => Math.floor(offsetMs + elapsedMs),
    monotonic: () => elapsedMs,
    random,
    sleep(ms, signal) {
      signal?.throwIfAborted();
      return new Promise((resolve, reject) => {
        const sleeper = { at: elapsedMs + ms, wake: resolve };
        if (ms <= 0) return resolve();
        sleepers.push(sleeper);
        signal?.addEventListener('abort', () => {
          sleepers = sleepers.filter((other) => other !== sleeper);
          reject(signal.reason);
        });
      });
    },
    async advance(ms) {
      const end = elapsedMs + ms;
      for (;;) {
        // Lets everything that is ready run, so that what it sleeps next is seen.
        await new Promise((resolve) => setImmediate(resolve));
        const next = sleepers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (!next) break;
        sleepers = sleepers.filter((other) => other !== next);
        elapsedMs = next.at;
        next.wake();
      }
      elapsedMs = end;
    },
    jump(ms) {
      offsetMs += ms;
    },
  };
}
