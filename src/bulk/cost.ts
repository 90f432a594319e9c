/** What requests cost under the plan's limit. */
import type { RateLimit } from '../service/service.ts';

/** The specification counts per minute. */
const WINDOW_MS = 60_000;

export interface Cost {
  requests: number;
  /** Windows of the rate limit that are needed, the present one included; undefined where the limit is not known. */
  windows: number | undefined;
  /** Ms spent waiting for windows to open. */
  waitMs: number;
}

/** @param limit what the newest answer said */
export function costOf(requests: number, { limit, remaining, resetInMs }: RateLimit): Cost {
  if (!limit) return { requests, windows: undefined, waitMs: 0 };
  const now = Math.min(remaining ?? limit, requests);
  const later = Math.ceil((requests - now) / limit);
  const windows = later + (now > 0 ? 1 : 0);
  const first = Math.min(WINDOW_MS, Math.max(0, resetInMs ?? WINDOW_MS));
  return { requests, windows, waitMs: later === 0 ? 0 : first + (later - 1) * WINDOW_MS };
}
