import type { Clock } from '#base/time/time';
import { type Exchange, failure, type Intercept } from './exchange.ts';

const LOSS = 'lose-answer';

export const FAULT_KINDS = [LOSS, 'drop', '500', '429', 'slow', 'html'] as const;
type FaultKind = (typeof FAULT_KINDS)[number];

/** Fault for the n-th API request. For `lose-answer`, counts only requests other than GET. */
export interface PlannedFault {
  kind: FaultKind;
  n: number;
}

export const SLOW_MS = 5000;

export function createFaults(
  planned: readonly PlannedFault[],
  { clock, onFault }: { clock: Clock; onFault(fault: PlannedFault, request: Exchange['request']): void },
): Intercept {
  const faults: Readonly<Record<FaultKind, Intercept>> = {
    [LOSS]({ apply, response }) {
      apply();
      response.destroy();
    },
    drop: ({ response }) => void response.destroy(),
    500: ({ send }) => send(failure(500, 'internal_error', 'Internal server error')),
    429: ({ send }) =>
      send(failure(429, 'rate_limited', 'Rate limit exceeded for the workspace', { 'Retry-After': '1' })),
    async slow({ apply, send }) {
      const response = apply();
      await clock.sleep(SLOW_MS);
      await send(response);
    },
    html({ send }) {
      const headers = { 'Content-Type': 'text/html; charset=utf-8' };
      return send({ status: 200, headers, body: '<!doctype html><title>Sign in</title><h1>Sign in</h1>' });
    },
  };
  let requests = 0;
  let changes = 0;

  return (exchange) => {
    const { request, send, apply } = exchange;
    const isCounted = request.path.startsWith('/api/');
    if (isCounted) requests++;
    const isChange = isCounted && request.method !== 'GET';
    if (isChange) changes++;
    const fault = planned.find(({ kind, n }) => (kind === LOSS ? isChange && n === changes : n === requests));
    if (!fault || !isCounted) return send(apply());
    onFault(fault, request);
    return faults[fault.kind](exchange);
  };
}
