/** How long to wait until a request without an answer has had its effect, or never will. */
import type { Ledger, Standing } from './row-states.ts';

/** Gateways give up on a service long before the service gives up on a write. */
export const SETTLE_MS = 10_000;
/** Times from Date headers are whole seconds. */
const DATE_RESOLUTION_MS = 2000;

/** Ms until every one of these rows has had its time. `serviceNowMs`: the service's clock, if it was seen. */
export function settleMs(unknown: readonly Standing[], ledger: Ledger, serviceNowMs: number | undefined): number {
  return Math.max(0, ...unknown.map((standing) => SETTLE_MS - ageMs(standing, ledger, serviceNowMs)));
}

/** Since the row's last request ended, at least. One of an earlier run may have left until that run died: before this one began. */
function ageMs({ attempts }: Standing, ledger: Ledger, serviceNowMs: number | undefined): number {
  const last = attempts.at(-1);
  const elapsed = ledger.elapsedMs();
  if (!last) return elapsed;
  if (last.session === ledger.timeline.session()) return last.end ? elapsed - last.end.t : 0;
  const byService = last.end?.s === undefined || serviceNowMs === undefined ? 0 : serviceNowMs - last.end.s - DATE_RESOLUTION_MS;
  return Math.max(elapsed, byService);
}
