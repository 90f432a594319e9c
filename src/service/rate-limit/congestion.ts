/** Limits requests in flight, because intermediaries may refuse bursts regardless of the rate limit. */

const MOST_RECENT = 8;
/** Minimum number of failures that slow requests down, if they are at least half of the recent results. */
const FEWEST_FAILED = 2;
/** Time in ms without success after which failures mean an outage, not a burst. */
const OUTAGE_MS = 1000;
const COOL_DOWN_MS = 100;
const FIRST_GAP_MS = 50;
const LONGEST_GAP_MS = 200;
/** Number of successes before more requests are sent at once. Doubles, up to 128, if that fails. */
const FIRST_REQUIRED = 16;
const MOST_REQUIRED = 128;

export function createCongestion(clock: { monotonic(): number }, concurrency: number) {
  let width = concurrency;
  let gapMs = 0;
  let requiredSuccesses = FIRST_REQUIRED;
  let successes = 0;
  let recent: boolean[] = [];
  let hasWidened = false;
  let changedAt = -Infinity;
  let throughAt = -Infinity;
  let notBefore = -Infinity;

  const isOutage = () => clock.monotonic() - throughAt > OUTAGE_MS;

  function changed(): void {
    recent = [];
    successes = 0;
    changedAt = clock.monotonic();
  }

  // L21: halves the requests in flight or, at width 1, increases the time between them.
  function narrow(): void {
    if (width > 1) width = Math.floor(width / 2);
    else gapMs = Math.min(LONGEST_GAP_MS, Math.max(FIRST_GAP_MS, 2 * gapMs));
    // L22: requires more successes before retrying a width that failed.
    if (hasWidened) requiredSuccesses = Math.min(MOST_REQUIRED, 2 * requiredSuccesses);
    hasWidened = false;
    changed();
    notBefore = Math.max(notBefore, changedAt + COOL_DOWN_MS);
  }

  function widen(): void {
    if (gapMs > 0) gapMs = gapMs > FIRST_GAP_MS ? gapMs / 2 : 0;
    else width += 1;
    hasWidened = true;
    changed();
  }

  return {
    width: () => width,
    waitMs: () => Math.max(0, notBefore - clock.monotonic()),
    sent() {
      notBefore = Math.max(notBefore, clock.monotonic() + gapMs);
    },
    ended(through: boolean, sentAt: number): void {
      // Drops failures of a past outage, which do not indicate bursts.
      if (through && isOutage()) recent = [];
      if (through) throughAt = clock.monotonic();
      // Ignores requests sent before the last change, which do not show its effect.
      if (sentAt < changedAt) return;
      recent = [...recent, through].slice(-MOST_RECENT);
      if (through) successes += 1;
      const failed = recent.filter((one) => !one).length;
      if (!through && failed >= FEWEST_FAILED && 2 * failed >= recent.length && !isOutage()) narrow();
      else if (successes >= requiredSuccesses && (gapMs > 0 || width < concurrency)) widen();
    },
  };
}
