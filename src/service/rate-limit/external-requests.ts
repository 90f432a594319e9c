/** Each request of other clients (or repeated by an intermediary) lowers Remaining by one. */
import type { RateHeaders } from './rate-headers.ts';
import { SAME_RESET_MS } from './rate-window.ts';

interface Counted {
  resetMs: number;
  highest: number;
  lowest: number;
  ours: number;
}

/** A response is late by at most one window. */
const MOST_OPEN = 2;

export function createExternalRequests() {
  const open: Counted[] = [];
  let closed = 0;

  function received({ remaining, resetMs }: RateHeaders): void {
    if (remaining === undefined || resetMs === undefined) return;
    const window = open.find((known) => Math.abs(known.resetMs - resetMs) <= SAME_RESET_MS);
    if (window) {
      window.highest = Math.max(window.highest, remaining);
      window.lowest = Math.min(window.lowest, remaining);
      window.ours += 1;
      return;
    }
    open.push({ resetMs, highest: remaining, lowest: remaining, ours: 1 });
    if (open.length > MOST_OPEN) closed += externalIn(open.shift());
  }

  return {
    received,
    lost() {
      const window = open.at(-1);
      if (window) window.ours += 1;
    },
    /** Call it when no request is in flight: these count as external. */
    count: () => open.reduce((sum, window) => sum + externalIn(window), closed),
  };
}

/** L20: own responses do not count. */
function externalIn(window: Counted | undefined): number {
  return window ? Math.max(0, window.highest - window.lowest + 1 - window.ours) : 0;
}
