/**
 * Every way a command can fail, one small class each; what each exit code means, as `qrctl help exit-codes` prints it; and which class has
 * which code (`exitCodeOf`). The codes are a contract (README, "Exit codes").
 */

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What a person or a script needs beside the message. */
export interface FailureDetails {
  /** The next command to try, or what to change; one line. */
  hint?: string;
  /** The service's own `code`, where it sent one; `NO_SPACE` if the disk is full. */
  code?: string;
  /** The HTTP status, where there was an answer. */
  status?: number;
  cause?: unknown;
}

/** Whether a system error means that only free space helps: the disk is full, or the quota on it is used up. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}

/** What is known about a request that failed: could the service have applied it? */
export type Outcome = 'not-applied' | 'unknown';

class Failure extends Error {
  /** Who knows more of the run may add to it. */
  hint: string | undefined;
  readonly code: string | undefined;
  readonly status: number | undefined;

  constructor(message: string, details: FailureDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = new.target.name;
    this.hint = details.hint;
    this.code = details.code;
    this.status = details.status;
  }
}

/** A failure of one request; `outcome` says whether the service may have applied it all the same. */
class RequestFailure extends Failure {
  readonly outcome: Outcome;

  constructor(message: string, details: FailureDetails & { outcome?: Outcome } = {}) {
    super(message, details);
    this.outcome = details.outcome ?? 'unknown';
  }
}

/** A bad flag, argument, setting or input file. Nothing was sent. */
export class UsageError extends Failure {}
/** A file or stream of this machine could not be read or written (full disk, permissions). */
export class LocalError extends Failure {
  constructor(message: string, details: FailureDetails = {}) {
    super(message, isDiskFull(details.cause) ? { code: 'NO_SPACE', ...details } : details);
  }
}
/** An answer that is not what the service's specification describes. */
export class UnexpectedAnswerError extends RequestFailure {}
/** No key, or the service refused it (401). */
export class AuthError extends RequestFailure {}
/** The service does not know the code (404), or no code has that slug. */
export class NotFoundError extends RequestFailure {}
/** The plan's limit on codes (403 to POST /qr). */
export class PlanLimitError extends RequestFailure {}
/** Waiting for the rate limit would pass `--max-wait`. */
export class RateLimitError extends RequestFailure {}
/** The network or the service failed, also after retries. */
export class UnavailableError extends RequestFailure {}
/** Some rows or codes failed, others are done. */
export class PartialError extends Failure {}
/** An export that could not be proven complete, or a bulk row on which a person must decide. */
export class UnprovenError extends Failure {}
/** The service rejected the values (400). */
export class RejectedError extends RequestFailure {}
/** SIGINT, SIGTERM or SIGHUP ended the command. */
export class InterruptedError extends Failure {
  readonly signal: 'SIGINT' | 'SIGTERM';

  constructor(signal: 'SIGINT' | 'SIGTERM') {
    super(signal === 'SIGINT' ? 'interrupted' : 'terminated');
    this.signal = signal;
  }
}
/** What failed stands in a report that was just read; the first failure of it is the cause, and gives the exit code. */
export class ReportedError extends Failure {}
/** The reader of our standard output went away (`| head`): a quiet, successful end. */
export class ClosedPipeError extends Failure {}

export { Failure, RequestFailure };

/** Exit codes in order, with the words `qrctl help exit-codes` prints. */
export const EXIT_CODES = [
  { exit: 0, meaning: 'success: everything is done' },
  {
    exit: 1,
    meaning:
      "unexpected failure of qrctl (NO_SPACE: the disk is full), or a response that does not match the service's specification",
  },
  { exit: 2, meaning: 'usage error: invalid flag, argument or input file; no changes were made' },
  { exit: 3, meaning: 'no API key, or the service rejected it (401)' },
  { exit: 4, meaning: 'not found (404)' },
  { exit: 5, meaning: "the plan's code limit is reached (403)" },
  { exit: 6, meaning: 'rate limit: the wait would exceed --max-wait' },
  { exit: 7, meaning: 'network or service unavailable after retries' },
  { exit: 8, meaning: 'partly done: some rows or codes failed; the results list them' },
  {
    exit: 9,
    meaning: 'the export could not be verified as complete, or a bulk row needs your decision; nothing was guessed',
  },
  { exit: 10, meaning: 'the service rejected the values (400)' },
  { exit: 130, meaning: 'interrupted (Ctrl-C): output files are unchanged or at a committed point' },
  { exit: 143, meaning: 'terminated: output files are unchanged or at a committed point' },
] as const;

const EXIT_OF_CLASS = [
  [UsageError, 2],
  [AuthError, 3],
  [NotFoundError, 4],
  [PlanLimitError, 5],
  [RateLimitError, 6],
  [UnavailableError, 7],
  [PartialError, 8],
  [UnprovenError, 9],
  [RejectedError, 10],
  [ClosedPipeError, 0],
] as const;

/** The exit code of anything thrown; what is not one of our classes is an unexpected failure, 1. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof InterruptedError) return error.signal === 'SIGINT' ? 130 : 143;
  if (error instanceof ReportedError) return exitCodeOf(error.cause);
  for (const [failure, exit] of EXIT_OF_CLASS) if (error instanceof failure) return exit;
  return 1;
}
