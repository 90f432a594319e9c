/** The exit codes are a contract (docs/ci.md, "Exit codes"). */

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export interface RowProblem {
  file?: string;
  line?: number;
  message: string;
}

export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

export interface FailureDetails {
  hint?: string;
  /** Error code from the response, or `NO_SPACE` if the disk is full. */
  code?: string;
  status?: number;
  cause?: unknown;
  rows?: readonly RowProblem[];
}

export function isDiskFull(error: unknown): boolean {
  return /^(?:ENOSPC|EDQUOT)$/.test(systemCode(error) ?? '');
}

export type Outcome = 'not-applied' | 'unknown';

export class Failure extends Error {
  static readonly exit: number = 1;

  hint: string | undefined;
  code: string | undefined;
  status: number | undefined;
  rows: readonly RowProblem[];

  constructor(message: string, details: FailureDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = new.target.name;
    this.hint = details.hint;
    this.code = details.code;
    this.status = details.status;
    this.rows = details.rows ?? [];
  }

  get exit(): number {
    return (this.constructor as typeof Failure).exit;
  }
}

export class RequestFailure extends Failure {
  outcome: Outcome;

  constructor(message: string, details: FailureDetails & { outcome?: Outcome } = {}) {
    super(message, details);
    this.outcome = details.outcome ?? 'unknown';
  }
}

export class UsageError extends Failure {
  static override readonly exit = 2;
}
export class LocalError extends Failure {
  constructor(message: string, details: FailureDetails = {}) {
    super(message, isDiskFull(details.cause) ? { code: 'NO_SPACE', ...details } : details);
  }
}
export class UnexpectedResponseError extends RequestFailure {}
export class AuthError extends RequestFailure {
  static override readonly exit = 3;
}
export class NotFoundError extends RequestFailure {
  static override readonly exit = 4;
}
export class PlanLimitError extends RequestFailure {
  static override readonly exit = 5;
}
export class RateLimitError extends RequestFailure {
  static override readonly exit = 6;
}
export class UnavailableError extends RequestFailure {
  static override readonly exit = 7;
}
export class PartialError extends Failure {
  static override readonly exit = 8;
}
export class UnprovenError extends Failure {
  static override readonly exit = 9;
}
export class RejectedError extends RequestFailure {
  static override readonly exit = 10;
}
export class InterruptedError extends Failure {
  signal: 'SIGINT' | 'SIGTERM';

  constructor(signal: 'SIGINT' | 'SIGTERM') {
    super(signal === 'SIGINT' ? 'interrupted' : 'terminated');
    this.signal = signal;
  }

  override get exit(): number {
    return this.signal === 'SIGINT' ? 130 : 143;
  }
}
export class ReportedError extends Failure {
  override get exit(): number {
    return exitCodeOf(this.cause);
  }
}
export class ClosedPipeError extends Failure {
  static override readonly exit = 0;
}

const MEANINGS: readonly (readonly [failure: { exit: number }, meaning: string])[] = [
  [{ exit: 0 }, 'success'],
  [
    Failure,
    "unexpected failure of qrctl (NO_SPACE: the disk is full), or a response that does not match the service's specification",
  ],
  [UsageError, 'usage error (invalid flag, setting, key, argument or input file); no changes were made'],
  [AuthError, 'no API key for this service, or the service rejected the key (401)'],
  [NotFoundError, 'not found (404)'],
  [PlanLimitError, "the plan's code limit is reached (403)"],
  [RateLimitError, 'rate limit: the wait would exceed --max-wait'],
  [UnavailableError, 'network or service unavailable after retries'],
  [
    PartialError,
    'partly done, or a check found something; the output lists the rows or codes that failed, were edited, are broken or differ',
  ],
  [UnprovenError, 'the export could not be verified as complete, or a bulk row needs your decision'],
  [RejectedError, 'the service rejected the values (400)'],
  [{ exit: 130 }, 'interrupted (Ctrl-C): output files are unchanged or at a committed point'],
  [{ exit: 143 }, 'terminated: output files are unchanged or at a committed point'],
];

// Marked as pure, so that the build omits the classes from start.js.
export const EXIT_CODES = /* @__PURE__ */ MEANINGS.map(([{ exit }, meaning]) => ({ exit, meaning }));

export function exitCodeOf(error: unknown): number {
  return error instanceof Failure ? error.exit : 1;
}

/** Returns whether a failure affects only one code or row, not the key, a limit or the disk. */
export function isOfOneCode(error: unknown): error is Failure {
  return [NotFoundError, RejectedError, UnexpectedResponseError].some((failure) => error instanceof failure);
}

export function ifNotFound<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof NotFoundError) return value;
    throw error;
  };
}

/** Returns the result of `work`, or undefined if it throws. With `only`, rethrows other errors. */
export function orUndefined<T>(
  work: () => T,
  only?: abstract new (...args: never[]) => Error,
): T | undefined {
  try {
    return work();
  } catch (error) {
    if (only && !(error instanceof only)) throw error;
    return undefined;
  }
}

/** Returns the error of `work`, or undefined if it resolves. Throws errors of other classes than `kind`. */
export async function errorOf<E extends Error>(
  work: Promise<unknown>,
  kind: abstract new (...args: never[]) => E,
): Promise<E | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof kind) return error;
    throw error;
  }
}
