/** Runs tasks one by one. Delays commits so that they take at most a tenth of the time. */
import type { Clock } from '#base/time/time';

const PAUSE_FACTOR = 9;

export function createSerialQueue(clock: Clock, commit: () => Promise<void>) {
  const stopping = new AbortController();
  let last: Promise<unknown> = Promise.resolve();
  let failure: { error: unknown } | undefined;
  let dueMs = -Infinity;
  let waiting = false;

  function run<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(() => {
      // A5: runs nothing after a failure, because the disk may be in any state.
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
    } catch {}
  }

  return {
    run,
    /** Commits now or after a pause. Must be called inside `run`. */
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
