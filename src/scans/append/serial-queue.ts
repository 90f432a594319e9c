/**
 * Runs one operation at a time on an appended file, and commits as often as the cost allows: after a commit, nine times its duration passes before
 * the next, so commits take at most a tenth of the time. Pending rows are committed even if no rows follow: a pause for the rate limit may be long.
 */
import type { Clock } from '../../base/time/time.ts';

export interface SerialQueue {
  /** Runs `work` after all earlier calls. After a failure, every call rejects with that failure. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Commits written rows, now or soon. Call it inside work that `run` executes. */
  commitWhenDue(): Promise<void>;
  /** Waits for the current operation, and starts no more commits. */
  stop(): Promise<void>;
}

const PAUSE_FACTOR = 9;

export function createSerialQueue(clock: Clock, commit: () => Promise<void>): SerialQueue {
  const stopping = new AbortController();
  let last: Promise<unknown> = Promise.resolve();
  let failure: { error: unknown } | undefined;
  let dueMs = Number.NEGATIVE_INFINITY;
  let waiting = false;

  function run<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(() => {
      // A5: a failed operation may have left the disk in any state, so nothing is built on it.
      if (failure) throw failure.error;
      return work();
    });
    last = done.catch((error) => {
      failure ??= { error };
    });
    return done;
  }

  async function commitNow(): Promise<void> {
    const start = clock.monotonic();
    await commit();
    const end = clock.monotonic();
    dueMs = end + PAUSE_FACTOR * (end - start);
  }

  async function commitSoon(): Promise<void> {
    if (waiting) return;
    waiting = true;
    try {
      await clock.sleep(dueMs - clock.monotonic(), stopping.signal);
      waiting = false;
      if (!stopping.signal.aborted) await run(commitNow);
    } catch {
      // Stopped, or failed: the next `run` reports it.
    }
  }

  return {
    run,
    async commitWhenDue() {
      if (clock.monotonic() >= dueMs) await commitNow();
      else void commitSoon();
    },
    async stop() {
      stopping.abort();
      await last;
    },
  };
}
