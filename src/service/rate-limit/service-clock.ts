const SECOND_MS = 1000;
/**
 * Maximum clock drift, as a fraction of elapsed time. Bounds widen by it as they age, so that newer responses
 * can replace them.
 */
const DRIFT = 0.0001;

interface Bound {
  offset: number;
  at: number;
}

export type ServiceClock = ReturnType<typeof createServiceClock>;

/**
 * Estimates the service's clock. A Date is truncated to seconds, and set between sending and receiving, so
 * the offset to the monotonic clock is bounded: `Date - received <= offset < Date + 1 s - sent`.
 */
export function createServiceClock(clock: { monotonic(): number }) {
  let bounds: { low: Bound; high: Bound } | undefined;

  return {
    observe(dateMs: number, sentAt: number, receivedAt: number): void {
      const low = { offset: dateMs - receivedAt, at: receivedAt };
      const high = { offset: dateMs + SECOND_MS - sentAt, at: receivedAt };
      const age = (bound: Bound) => (receivedAt - bound.at) * DRIFT;
      // Contradictory bounds show that the service's clock was set, so earlier bounds are dropped.
      if (
        !bounds ||
        low.offset > bounds.high.offset + SECOND_MS ||
        high.offset < bounds.low.offset - SECOND_MS
      ) {
        bounds = { low, high };
        return;
      }
      if (low.offset > bounds.low.offset - age(bounds.low)) bounds.low = low;
      if (high.offset < bounds.high.offset + age(bounds.high)) bounds.high = high;
    },
    /**
     * Returns the service's time in ms; undefined before any Date. L4: the lower bound is never ahead, so no
     * wait ends early.
     */
    nowMs: (at = clock.monotonic()): number | undefined => bounds && at + bounds.low.offset,
  };
}
