/**
 * The service's clock, worked out from Date headers alone: the machine's own may be a day off.
 *
 * A Date header is the service's time cut to whole seconds, stamped somewhere between sending and receiving. So each answer
 * bounds the offset between the service's clock and our monotonic one: `Date - received <= offset < Date + 1 s - sent`. The
 * bounds of all answers together close in on it. Reading the lower bound, the clock is never fast: a wait for a reset never
 * ends early.
 */
export interface ServiceClock {
  /** Takes note of an answer's Date, with our monotonic times of sending and receiving. */
  observe(dateMs: number, sentAt: number, receivedAt: number): void;
  /** The service's time at a monotonic time (default: now), at most `uncertaintyMs` behind; undefined before the first Date. */
  nowMs(at?: number): number | undefined;
  uncertaintyMs(): number;
  /** How long to wait before a request whose Date header would halve the uncertainty. */
  msToBestSample(): number;
}

const SECOND = 1000;
/** Crystals drift: a bound loses this much worth for each ms of its age, so that newer answers can replace it. */
const DRIFT = 0.0001;

interface Bound {
  offset: number;
  at: number;
}

export function createServiceClock(clock: { monotonic(): number }): ServiceClock {
  let low: Bound | undefined;
  let high: Bound | undefined;
  let roundTripMs = 0;

  const uncertaintyMs = () => (low && high ? Math.max(0, high.offset - low.offset) : Number.POSITIVE_INFINITY);

  return {
    observe(dateMs, sentAt, receivedAt) {
      const newLow = { offset: dateMs - receivedAt, at: receivedAt };
      const newHigh = { offset: dateMs + SECOND - sentAt, at: receivedAt };
      // The service's clock was set: what was known before means nothing.
      const contradicted = low && high && (newLow.offset > high.offset + SECOND || newHigh.offset < low.offset - SECOND);
      const age = (bound: Bound) => (receivedAt - bound.at) * DRIFT;
      if (!low || contradicted || newLow.offset > low.offset - age(low)) low = newLow;
      if (!high || contradicted || newHigh.offset < high.offset + age(high)) high = newHigh;
      roundTripMs = receivedAt - sentAt;
    },
    nowMs: (at = clock.monotonic()) => (low ? at + low.offset : undefined),
    uncertaintyMs,
    msToBestSample() {
      if (!low || !high) return 0;
      const middle = clock.monotonic() + roundTripMs / 2 + (low.offset + high.offset) / 2;
      return SECOND - (((middle % SECOND) + SECOND) % SECOND);
    },
  };
}
