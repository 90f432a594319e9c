export interface RateLimit {
  plan: string | undefined;
  limit: number | undefined;
  remaining: number | undefined;
  resetMs: number | undefined;
  resetInMs: number | undefined;
}

export const WINDOW_MS = 60_000;

interface Cost {
  requests: number;
  /** Includes the current window; undefined if the limit is not known. */
  windows: number | undefined;
  waitMs: number;
}

export function costOf(requests: number, { limit, remaining, resetInMs }: RateLimit): Cost {
  if (!limit) return { requests, windows: undefined, waitMs: 0 };
  const now = Math.min(remaining ?? limit, requests);
  const later = Math.ceil((requests - now) / limit);
  const windows = later + (now > 0 ? 1 : 0);
  const first = Math.max(0, resetInMs ?? WINDOW_MS);
  return { requests, windows, waitMs: later === 0 ? 0 : first + (later - 1) * WINDOW_MS };
}
