const SECOND_MS = 1000;
/** Maximum clock drift per elapsed time. A bound widens as it ages, so that newer responses replace it. */
const DRIFT = 0.0001;

export type ServiceClock = ReturnType<typeof createServiceClock>;

/**
 * Estimates the service's clock. A Date is truncated to seconds, and set between sending and receiving, so
 * the offset to the monotonic clock is bounded: `Date - received <= offset < Date + 1 s - sent`.
 */
export function createServiceClock(clock: { monotonic(): number }) {
  let bound: { offset: number; at: number } | undefined;

  return {
    observe(dateMs: number, sentAt: number, receivedAt: number): void {
      const low = { offset: dateMs - receivedAt, at: receivedAt };
      const highest = dateMs + SECOND_MS - sentAt;
      // A contradiction means that the service's clock was set back.
      const isContradicted = bound !== undefined && highest < bound.offset - SECOND_MS;
      if (!bound || isContradicted || low.offset > bound.offset - (receivedAt - bound.at) * DRIFT)
        bound = low;
    },
    /** Returns the service's time in ms, if known. L4: it is never ahead, so no wait ends early. */
    nowMs: (at = clock.monotonic()): number | undefined => bound && at + bound.offset,
  };
}
