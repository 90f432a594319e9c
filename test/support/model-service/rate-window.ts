/** The rate limit, behind a transport: windows that really count, a clock of its own, and a network with latency. */
import type { Clock } from '#base/time/time';
import type { HttpResponse, Transport } from '#service/transport';

export interface ModelRateWindowOptions {
  clock: Clock;
  limit: number;
  windowMs: number;
  /** The service's clock less the simulation's. */
  skewMs?: number;
  /** Where in real time windows begin, and so whether resets fall on whole seconds. */
  phaseMs?: number;
  /** Windows begin with the first request after the last one ended, in place of standing in a grid. */
  startsOnDemand?: boolean;
  /** There and back again. */
  latencyMs?: number;
  /** How a reset inside a second is written in a header that holds whole seconds. */
  rounding?: (seconds: number) => number;
  /** Reset is written in milliseconds, as some services do: by its header the window ends in the year 58860. */
  resetInMilliseconds?: boolean;
  /** Changes the headers of an answer, or drops some (undefined). */
  headers?: (headers: Record<string, string>) => Record<string, string | undefined>;
}

export interface ModelRateWindow {
  transport: Transport;
  /** Answers by status, and the largest number of requests inside at once. */
  counts: Map<number, number>;
  most(): number;
  /** Model time of each accepted request. */
  accepted: number[];
}

export function modelRateWindow(options: ModelRateWindowOptions): ModelRateWindow {
  const { clock, limit, windowMs, skewMs = 0, phaseMs = 0, latencyMs = 100, rounding = Math.ceil } = options;
  const counts = new Map<number, number>();
  const accepted: number[] = [];
  let window = { end: Number.NEGATIVE_INFINITY, used: 0 };
  let inside = 0;
  let most = 0;

  function answer(): HttpResponse {
    const now = clock.now();
    const begin = options.startsOnDemand ? now : Math.floor((now - phaseMs) / windowMs) * windowMs + phaseMs;
    if (now >= window.end) window = { end: begin + windowMs, used: 0 };
    const reset = window.end;
    const allowed = window.used < limit;
    if (allowed) window.used += 1;
    if (allowed) accepted.push(now);
    const status = allowed ? 200 : 429;
    const resetSeconds = rounding((reset + skewMs) / 1000);
    counts.set(status, (counts.get(status) ?? 0) + 1);
    const headers: Record<string, string> = {
      date: new Date(now + skewMs).toUTCString(),
      'x-ratelimit-plan': 'free',
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(limit - window.used),
      'x-ratelimit-reset': String(options.resetInMilliseconds ? resetSeconds * 1000 : resetSeconds),
      ...(!allowed && { 'retry-after': String(Math.ceil((reset - now) / 1000)) }),
    };
    const text = allowed ? '{}' : '{"error":"too many requests","code":"rate_limited"}';
    return { status, headers: options.headers?.(headers) ?? headers, text };
  }

  return {
    counts,
    accepted,
    most: () => most,
    transport: {
      async exchange() {
        inside += 1;
        most = Math.max(most, inside);
        await clock.sleep(latencyMs / 2);
        const result = answer();
        await clock.sleep(latencyMs / 2);
        inside -= 1;
        return result;
      },
      close() {},
    },
  };
}
