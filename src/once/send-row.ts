/** One row to one POST: intent on disk, request, outcome on disk. */

import type { CreateRow } from '../bulk/check-create.ts';
import { AuthError, PlanLimitError, RateLimitError, RejectedError, RequestFailure } from '../errors.ts';
import type { Service } from '../service/service.ts';
import type { Ledger } from './row-states.ts';

export interface Sender {
  ledger: Ledger;
  service: Pick<Service, 'createCode'>;
  /** The command's; when it is aborted an answer may be lost. */
  signal: AbortSignal;
  /** True once nothing more may be sent. */
  stopped: () => boolean;
  /** Told how the request ended, before that is on disk: a reason to stop must not wait for a flush. */
  ended: (row: number, sent: Sent) => void;
}

/** How a row's request ended. `stop`: the reason to send no other row either. */
export type Sent =
  | { is: 'created' }
  /** Its values were refused. */
  | { is: 'rejected'; error: RejectedError }
  /** Certainly not created; where it was not tried, it was not even sent. */
  | { is: 'refused'; stop: unknown; tried: boolean }
  | { is: 'unknown'; error: unknown; stop?: unknown };

/** What our own hook throws to keep a row from being sent after all. */
class HeldBack extends Error {}

/** Sends a row and records how it ended. Throws only when the journal cannot be written. */
export async function sendRow({ row, code }: CreateRow, sender: Sender): Promise<void> {
  const { ledger, service, signal, stopped, ended } = sender;
  let intended = false;
  let journalFailure: unknown;
  const holdBack = () => {
    if (stopped()) throw new HeldBack('not sent');
  };
  const beforeSend = async () => {
    holdBack(); // it may have waited a minute for the rate limit
    intended = true;
    await ledger.record({ is: 'intent', row }).catch((error) => {
      journalFailure = error;
      throw error;
    });
    holdBack();
  };

  const answer = await service.createCode(code, beforeSend).catch((error) => ({ error }));
  if (journalFailure !== undefined) throw journalFailure;
  if (!('error' in answer)) {
    ended(row, { is: 'created' });
    const { id, slug, created_at } = answer;
    return ledger.record({ is: 'created', row, id, slug, at: created_at });
  }
  const { error } = answer;
  if (!intended) return ended(row, { is: 'refused', stop: error instanceof HeldBack ? undefined : error, tried: false });
  const sent = classify(error, signal);
  ended(row, sent);
  return ledger.record({ is: sent.is, row, error: messageOf(error) });
}

function classify(error: unknown, signal: AbortSignal): Exclude<Sent, { is: 'created' }> {
  if (error instanceof HeldBack) return { is: 'refused', stop: undefined, tried: false };
  if (!(error instanceof RequestFailure)) return { is: 'unknown', error, stop: signal.aborted ? signal.reason : error };
  if (error.outcome === 'not-applied') {
    if (error instanceof RejectedError) return { is: 'rejected', error };
    return { is: 'refused', stop: error, tried: !(error instanceof RateLimitError) };
  }
  const hopeless = error instanceof PlanLimitError || error instanceof AuthError;
  return { is: 'unknown', error, ...(hopeless && { stop: error }) };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
