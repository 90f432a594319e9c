export interface RateLimit {
  plan: string | undefined;
  limit: number | undefined;
  remaining: number | undefined;
  resetMs: number | undefined;
  resetInMs: number | undefined;
}

export const WINDOW_MS = 60_000;

/** Estimates how long requests wait for the rate limit, in ms; 0 if the limit is unknown. */
export function waitMsFor(requests: number, { limit, remaining, resetInMs }: RateLimit): number {
  if (!limit) return 0;
  const later = Math.ceil((requests - Math.min(remaining ?? limit, requests)) / limit);
  return later === 0 ? 0 : Math.max(0, resetInMs ?? WINDOW_MS) + (later - 1) * WINDOW_MS;
}
