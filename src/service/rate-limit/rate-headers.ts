import { parseHttpDate } from '#base/time/time';

export interface RateHeaders {
  plan: string | undefined;
  limit: number | undefined;
  remaining: number | undefined;
  /** Time of the reset on the service's clock, in ms since the epoch. */
  resetMs: number | undefined;
  /** Pause in ms. A date in Retry-After is relative to the response's Date; a past date gives 0. */
  retryAfterMs: number | undefined;
  dateMs: number | undefined;
}

export function parseRateHeaders(header: (name: string) => string | undefined): RateHeaders {
  const dateMs = parseHttpDate(header('date') ?? '');
  const remaining = parseNumber(header('x-ratelimit-remaining'));
  return {
    plan: header('x-ratelimit-plan'),
    limit: parseNumber(header('x-ratelimit-limit')),
    remaining: remaining === undefined ? undefined : Math.max(0, Math.floor(remaining)),
    resetMs: parseSeconds(header('x-ratelimit-reset')),
    retryAfterMs: parseRetryAfter(header('retry-after'), dateMs),
    dateMs,
  };
}

function parseNumber(text = ''): number | undefined {
  return /^-?\d{1,15}(\.\d{1,9})?$/.test(text) ? Number(text) : undefined;
}

function parseSeconds(text: string | undefined): number | undefined {
  const seconds = parseNumber(text);
  return seconds === undefined ? undefined : seconds * 1000;
}

function parseRetryAfter(text: string | undefined, dateMs: number | undefined): number | undefined {
  const untilMs = parseHttpDate(text ?? '');
  return (
    parseSeconds(text) ??
    (untilMs === undefined || dateMs === undefined ? undefined : Math.max(0, untilMs - dateMs))
  );
}
