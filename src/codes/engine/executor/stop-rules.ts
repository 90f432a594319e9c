/** E17: decides after each failed or lost request whether the run stops. */
import { isOfOneCode, UnavailableError, UnprovenError } from '#base/errors';
import type { RunJob } from './job.ts';

const MOST_UNAVAILABLE = 10;
const MOST_LOST = 10;

export type StopRules = ReturnType<typeof createStopRules>;

export function createStopRules({ signal, failFast }: Pick<RunJob, 'signal' | 'failFast'>) {
  let reason: unknown;
  let unavailable = 0;
  let lost = 0;
  let lastLost: unknown;
  let firstError: unknown;
  let isUnproven = false;
  const reasonNow = (): unknown => reason ?? (signal.aborted ? signal.reason : undefined);
  const isGated = () => lost >= MOST_LOST;
  const stop = (error: unknown) => {
    reason ??= signal.aborted ? signal.reason : error;
  };
  return {
    reason: reasonNow,
    isStopped: () => reasonNow() !== undefined || isGated(),
    isGated,
    reopen() {
      lost = 0;
    },
    passed() {
      unavailable = 0;
      lost = 0;
    },
    failed(error: unknown): boolean {
      firstError ??= error;
      isUnproven ||= error instanceof UnprovenError;
      unavailable = error instanceof UnavailableError ? unavailable + 1 : 0;
      const isOfRow = belongsToRow(error) && !signal.aborted;
      if (!isOfRow || failFast || unavailable >= MOST_UNAVAILABLE) stop(error);
      return isOfRow;
    },
    lost(error: unknown): void {
      lost += 1;
      lastLost = error;
      if (!belongsToRow(error)) stop(error);
    },
    lastLost: () => lastLost,
    firstError: () => firstError,
    isUnproven: () => isUnproven,
  };
}

export function belongsToRow(error: unknown): boolean {
  return isOfOneCode(error) || error instanceof UnavailableError || error instanceof UnprovenError;
}
