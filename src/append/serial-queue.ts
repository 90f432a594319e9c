/** One operation at a time on an appended file, and commits as often as they are worth their cost. */
import type { Clock } from '../time.ts';

export interface Turns {
  /** Runs `work` after everything asked for before. After a failure nothing runs any more: every turn rejects with it. */
  take<T>(work: () => Promise<T>): Promise<T>;
  /** Rows were written: commits now, or soon. To be called inside a turn. */
  commitWhenDue(): Promise<void>;
  /** Waits for what is under way; no more commits of its own. Resolves to whether all went well. */
  stop(): Promise<boolean>;
}

/**
 * A commit costs three flushes, and the service may deliver pages faster than a disk flushes. So after a commit nine times its
 * duration passes before the next: a tenth of the time at most goes into commits, and a slow service has every page
 * committed at once. What is left waiting is committed even if no rows follow: a pause for the rate limit may be long.
 */
const PAUSE_FACTOR = 9;

export function createTurns(clock: Clock, commit: () => Promise<void>): Turns {
  const stopping = new AbortController();
  let last: Promise<unknown> = Promise.resolve();
  let failed = false;
  let failure: unknown;
  let dueMs = Number.NEGATIVE_INFINITY;
  let waiting = false;

  function take<T>(work: () => Promise<T>): Promise<T> {
    const turn = last.then(() => {
      if (failed) throw failure;
      return work();
    });
    last = turn.catch((error) => {
      if (!failed) failure = error;
      failed = true;
    });
    return turn;
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
      await clock.sleep(Math.max(dueMs - clock.monotonic(), 0), stopping.signal);
      waiting = false;
      // Stopped just now: whoever waits for what is under way does not know of this one.
      if (!stopping.signal.aborted) await take(commitNow);
    } catch {
      // Stopped, or failed: the next turn says so.
    }
  }

  return {
    take,
    async commitWhenDue() {
      if (clock.monotonic() >= dueMs) await commitNow();
      else void commitSoon();
    },
    async stop() {
      stopping.abort();
      await last;
      return !failed;
    },
  };
}
