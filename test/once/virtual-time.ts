/** Time that passes as fast as the program lets it: whenever nothing is left to run, the earliest sleeper wakes. */
import type { Clock } from '../../src/time.ts';

export interface VirtualTime extends Clock {
  /** Runs `fire` at a time on the monotonic clock, whatever the program does meanwhile. */
  at(ms: number, fire: () => void): void;
  /** The machine's wall clock is set. */
  jump(ms: number): void;
  /** Lets time pass until `work` is done. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

export function virtualTime(wallMs = Date.UTC(2026, 4, 1)): VirtualTime {
  let nowMs = 0;
  let offset = wallMs;
  let timers: { at: number; fire: () => void }[] = [];

  const idle = () => new Promise((resolve) => setImmediate(resolve));
  const clock: VirtualTime = {
    now: () => Math.round(offset + nowMs),
    monotonic: () => nowMs,
    random: () => 0.5,
    sleep(ms, signal) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        signal?.addEventListener('abort', () => reject(signal.reason));
        clock.at(nowMs + ms, resolve);
      });
    },
    at(ms, fire) {
      timers.push({ at: ms, fire });
    },
    jump(ms) {
      offset += ms;
    },
    async run(work) {
      let done = false;
      const result = work().finally(() => {
        done = true;
      });
      result.catch(() => undefined);
      for (await idle(); !done; await idle()) {
        const next = timers.reduce(
          (first, timer) => (timer.at < first.at ? timer : first),
          timers[0] ?? { at: nowMs, fire() {} },
        );
        timers = timers.filter((timer) => timer !== next);
        nowMs = Math.max(nowMs, next.at);
        next.fire();
      }
      return result;
    },
  };
  return clock;
}
