import { REQUESTS_OF_PLAN, type SandboxSettings } from './options.ts';

/** `look` returns the headers without counting, for requests without a valid key and for the OpenAPI document. */
export function createRateLimiter(settings: SandboxSettings, nowMs: () => number) {
  const limit = settings.limit ?? REQUESTS_OF_PLAN[settings.plan];
  const { windowMs, windowStart } = settings;
  let openedMs = Number.NEGATIVE_INFINITY;
  let used = 0;

  function admission(counted: boolean) {
    const now = nowMs();
    if (now < openedMs || now >= openedMs + windowMs) {
      openedMs = windowStart === 'epoch' ? Math.floor(now / windowMs) * windowMs : now;
      used = 0;
    }
    const allowed = !counted || used < limit;
    if (counted && allowed) used++;
    const remaining = Math.max(0, limit - used);
    // Rounded up to seconds: after an earlier reset, requests would still get 429.
    const resetMs = openedMs + windowMs;
    const headers: Record<string, string> = {
      'X-RateLimit-Plan': settings.plan,
      'X-RateLimit-Limit': String(limit),
      'X-RateLimit-Remaining': String(remaining),
      'X-RateLimit-Reset': String(Math.ceil(resetMs / 1000)),
    };
    if (!allowed) headers['Retry-After'] = String(Math.max(1, Math.ceil((resetMs - now) / 1000)));
    return { allowed, remaining, headers };
  }

  return { admit: () => admission(true), look: () => admission(false) };
}
