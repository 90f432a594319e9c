/** The clock of all tests: no time passes but what a test lets pass, so that simulations of hours run in milliseconds. */
import type { Clock } from '#base/time/time';

export interface FakeClock extends Clock {
  /** Calls `fire` when the monotonic clock reaches `atMs`, whatever the program does meanwhile. */
  at(atMs: number, fire: () => void): void;
  /** Moves the wall clock alone, as a person or NTP does. */
  jump(ms: number): void;
  /** Lets `ms` pass, waking whoever has slept long enough in order of their times. */
  advance(ms: number): Promise<void>;
  /** Lets time pass from sleeper to sleeper until the promise settles; throws when it never can, because nobody sleeps. */
  run<T>(work: Promise<T>): Promise<T>;
}

export interface FakeClockOptions {
  /** What the machine's wall clock shows at the start, ms since the epoch. */
  wallMs?: number;
  /** Makes chance vary, repeatably; without it `random` always gives 0.5. */
  seed?: number;
}

interface Timer {
  atMs: number;
  fire(): void;
}

/** How long work that waits for a real socket or file may take, ms of real time. */
const STUCK_MS = 20_000;

export function fakeClock({ wallMs = Date.UTC(2026, 0, 15, 12), seed }: FakeClockOptions = {}): FakeClock {
  let elapsedMs = 0;
  let offsetMs = wallMs;
  let chance = seed;
  const timers = new Set<Timer>();

  /** Lets everything that is ready run, so that what it sleeps next is seen. */
  const idle = () => new Promise((resolve) => setImmediate(resolve));

  /** The earliest timer; of several at one time the one that was set first. */
  function earliest(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of timers) if (!first || timer.atMs < first.atMs) first = timer;
    return first;
  }

  function fire(timer: Timer): void {
    timers.delete(timer);
    elapsedMs = Math.max(elapsedMs, timer.atMs);
    timer.fire();
  }

  function start(timer: Timer): void {
    timers.add(timer);
    // No time has to pass for it: it needs nobody's `advance`, only its turn.
    if (timer.atMs <= elapsedMs) setImmediate(() => timers.has(timer) && fire(timer));
  }

  return {
    now: () => Math.floor(offsetMs + elapsedMs),
    monotonic: () => elapsedMs,
    random() {
      if (chance === undefined) return 0.5;
      chance = (chance * 1_103_515_245 + 12_345) % 2 ** 31;
      return chance / 2 ** 31;
    },
    sleep(ms, signal) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const stop = () => {
          timers.delete(timer);
          reject(signal?.reason);
        };
        const timer: Timer = {
          atMs: elapsedMs + Math.max(0, ms),
          fire() {
            signal?.removeEventListener('abort', stop);
            resolve();
          },
        };
        signal?.addEventListener('abort', stop, { once: true });
        start(timer);
      });
    },
    at: (atMs, call) => start({ atMs, fire: call }),
    jump(ms) {
      offsetMs += ms;
    },
    async advance(ms) {
      const endMs = elapsedMs + ms;
      for (;;) {
        await idle();
        const next = earliest();
        if (!next || next.atMs > endMs) break;
        fire(next);
      }
      elapsedMs = endMs;
    },
    async run(work) {
      let settled = false;
      const mark = () => {
        settled = true;
      };
      work.then(mark, mark);
      let movedAt = performance.now();
      for (;;) {
        await idle();
        if (settled) return work;
        const next = earliest();
        if (next) fire(next);
        if (next) movedAt = performance.now();
        else if (performance.now() - movedAt > STUCK_MS)
          throw new Error('nobody sleeps, and nothing is done: a deadlock');
      }
    },
  };
}
