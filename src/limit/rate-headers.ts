/** The rate-limit headers of an answer (specification, section 8), read with distrust. */

import type { Headers } from '../service/transport.ts';
import { parseHttpDate } from '../time.ts';

/** What one answer said; undefined where a header is missing or is not what it should be. Times in ms. */
export interface RateFacts {
  plan: string | undefined;
  limit: number | undefined;
  /** Never negative. */
  remaining: number | undefined;
  /** Since the epoch, on the service's clock. */
  resetMs: number | undefined;
  /** From the answer on; a date in Retry-After is read against the answer's own Date. */
  retryAfterMs: number | undefined;
  /** The Date header, whole seconds. */
  dateMs: number | undefined;
}

export function parseRateFacts(headers: Headers): RateFacts {
  const dateMs = parseHttpDate(header(headers, 'date') ?? '');
  const reset = parseNumber(header(headers, 'x-ratelimit-reset'));
  const remaining = parseNumber(header(headers, 'x-ratelimit-remaining'));
  return {
    plan: header(headers, 'x-ratelimit-plan'),
    limit: parseNumber(header(headers, 'x-ratelimit-limit')),
    remaining: remaining === undefined ? undefined : Math.max(0, Math.floor(remaining)),
    resetMs: reset === undefined ? undefined : reset * 1000,
    retryAfterMs: parseRetryAfter(header(headers, 'retry-after'), dateMs),
    dateMs,
  };
}

/** The first value of a header, trimmed. */
export function header(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return (typeof value === 'string' ? value : value?.[0])?.trim();
}

function parseNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^-?\d{1,15}(\.\d{1,9})?$/.test(text) ? Number(text) : undefined;
}

function parseRetryAfter(text: string | undefined, dateMs: number | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = parseNumber(text);
  if (seconds !== undefined) return seconds * 1000;
  const untilMs = parseHttpDate(text);
  return untilMs === undefined || dateMs === undefined ? undefined : untilMs - dateMs;
}
