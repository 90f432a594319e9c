/** When a failed request is tried again: exponential backoff with full jitter, bounded in count and time. */

const MOST_ATTEMPTS = 7;
const FIRST_BACKOFF_MS = 200;
const LONGEST_BACKOFF_MS = 10_000;
/** No attempt starts later than this after the first; pauses for the rate limit are not counted. */
const LONGEST_TRIAL_MS = 120_000;
const LONGEST_RETRY_AFTER_MS = 60_000;

/**
 * Ms to wait before the next attempt, or undefined when it is time to give up. `attempts` have been made, `spentMs` have gone
 * by since the first; `retryAfterMs` is the service's wish, honoured up to a minute. `random` is in [0, 1).
 */
export function backoffMs(state: {
  attempts: number;
  spentMs: number;
  retryAfterMs: number | undefined;
  random: number;
}): number | undefined {
  if (state.attempts >= MOST_ATTEMPTS) return undefined;
  const jittered = state.random * Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (state.attempts - 1));
  const wished = Math.min(LONGEST_RETRY_AFTER_MS, Math.max(0, state.retryAfterMs ?? 0));
  const ms = wished > 0 ? wished + jittered : jittered;
  return state.spentMs + ms > LONGEST_TRIAL_MS ? undefined : ms;
}
