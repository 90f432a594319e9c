/** Time that passes only when everybody sleeps: simulations of minutes run in milliseconds. */
import type { Clock } from '../../src/time.ts';

interface Sleeper {
  at: number;
  wake(): void;
}

export interface FakeClock extends Clock {
  /** Lets time pass from sleeper to sleeper until the promise settles; throws when it never can. */
  run<T>(promise: Promise<T>): Promise<T>;
}

/** `wallStart` is what the machine's own clock shows at the start; `seed` makes chance repeatable. */
export function createFakeClock({ wallStart = 1_800_000_000_000, seed = 1 } = {}): FakeClock {
  let time = 0;
  let state = seed;
  const sleepers = new Set<Sleeper>();

  const next = () =>
    [...sleepers].reduce<Sleeper | undefined>((first, one) => (first && first.at <= one.at ? first : one), undefined);

  return {
    now: () => wallStart + time,
    monotonic: () => time,
    random() {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
      return state / 2 ** 31;
    },
    sleep(ms, signal) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const stop = () => {
          sleepers.delete(sleeper);
          reject(signal?.reason);
        };
        const sleeper: Sleeper = {
          at: time + Math.max(0, ms),
          wake() {
            signal?.removeEventListener('abort', stop);
            resolve();
          },
        };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', stop, { once: true });
      });
    },
    async run(promise) {
      let settled = false;
      const mark = () => {
        settled = true;
      };
      promise.then(mark, mark);
      for (;;) {
        await new Promise((done) => setImmediate(done));
        if (settled) return promise;
        const sleeper = next();
        if (!sleeper) throw new Error('nobody sleeps, and nothing is done: a deadlock');
        sleepers.delete(sleeper);
        time = Math.max(time, sleeper.at);
        sleeper.wake();
      }
    },
  };
}
