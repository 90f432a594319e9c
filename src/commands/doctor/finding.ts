/** What one check of `qrctl doctor` found. */
import { Failure } from '../../errors.ts';

export interface Finding {
  check: 'config' | 'profile' | 'settings' | 'base-url' | 'key' | 'proxy' | 'service' | 'clock' | 'openapi';
  status: 'ok' | 'warn' | 'fail';
  message: string;
  /** What to do about it; null where nothing is wrong. */
  fix: string | null;
  /** Only with `fail`: what another command would have failed with. */
  failure?: unknown;
}

export function sound(check: Finding['check'], message: string): Finding {
  return { check, status: 'ok', message, fix: null };
}

export function doubtful(check: Finding['check'], message: string, fix: string): Finding {
  return { check, status: 'warn', message, fix };
}

/** The failure says itself what is wrong and, in its hint, what to do. */
export function failed(check: Finding['check'], failure: unknown): Finding {
  const hint = failure instanceof Failure ? failure.hint : undefined;
  return { check, status: 'fail', message: messageOf(failure), fix: hint ?? null, failure };
}

export function messageOf(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure);
}
