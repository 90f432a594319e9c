/**
 * Congestion control, for an intermediary that refuses bursts independently of the service's rate limit. Fewer requests are then in
 * flight, and at width 1 they are sent further apart, until they get through again; from time to time the width is increased. The numbers
 * in comments are those of PROTOCOL.md.
 */

/** Results that are judged together: the newest since the last change. */
const MOST_JUDGED = 8;
/** Number of failures that is no coincidence, if it is at least the number of successes. */
const FEWEST_FAILED = 2;
/** A failure is of an outage, and no burst, if for so long nothing got through. */
const OUTAGE_MS = 1000;
/** No request goes for so long after a burst was refused. */
const COOL_MS = 100;
const FIRST_GAP_MS = 50;
const LONGEST_GAP_MS = 200;
/** Requests that get through before more is tried; twice as many each time that fails. */
const FIRST_PROOF = 16;
const LONGEST_PROOF = 128;

export interface Congestion {
  /** Requests in flight at once, at most. */
  width(): number;
  /** Ms to wait before the next request. */
  waitMs(): number;
  /** A request is sent now. */
  sent(): void;
  /** Records the outcome of a request sent at `sentAt`, monotonic ms: it got through to the service, or may not have. */
  ended(through: boolean, sentAt: number): void;
}

/** `concurrency`: the width while nothing is refused. */
export function createCongestion(clock: { monotonic(): number }, concurrency: number): Congestion {
  let width = concurrency;
  let gapMs = 0;
  let proof = FIRST_PROOF;
  let passed = 0;
  let judged: boolean[] = [];
  let triedMore = false;
  let changedAt = Number.NEGATIVE_INFINITY;
  let throughAt = Number.NEGATIVE_INFINITY;
  let notBefore = Number.NEGATIVE_INFINITY;

  const isOutage = () => clock.monotonic() - throughAt > OUTAGE_MS;

  function changed(): void {
    judged = [];
    passed = 0;
    changedAt = clock.monotonic();
  }

  // L21: half as many at once, then at twice the distance.
  function less(): void {
    if (width > 1) width = Math.floor(width / 2);
    else gapMs = Math.min(LONGEST_GAP_MS, Math.max(FIRST_GAP_MS, 2 * gapMs));
    // L22: a failed step is tried again later each time.
    if (triedMore) proof = Math.min(LONGEST_PROOF, 2 * proof);
    triedMore = false;
    changed();
    notBefore = Math.max(notBefore, changedAt + COOL_MS);
  }

  function more(): void {
    if (gapMs > 0) gapMs = gapMs > FIRST_GAP_MS ? gapMs / 2 : 0;
    else width += 1;
    triedMore = true;
    changed();
  }

  return {
    width: () => width,
    waitMs: () => Math.max(0, notBefore - clock.monotonic()),
    sent() {
      notBefore = Math.max(notBefore, clock.monotonic() + gapMs);
    },
    ended(through, sentAt) {
      // Failures of an outage that is over show nothing about bursts.
      if (through && isOutage()) judged = [];
      if (through) throughAt = clock.monotonic();
      // It was in flight already: it shows nothing about the change.
      if (sentAt < changedAt) return;
      judged = [...judged, through].slice(-MOST_JUDGED);
      if (through) passed += 1;
      const failed = judged.filter((one) => !one).length;
      if (!through && failed >= FEWEST_FAILED && 2 * failed >= judged.length && !isOutage()) less();
      else if (passed >= proof && (gapMs > 0 || width < concurrency)) more();
    },
  };
}
