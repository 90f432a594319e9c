/** Reports codes whose scans could not be read. */
import { NotFoundError, PartialError, RejectedError, UnexpectedAnswerError } from '../../base/errors.ts';
import { countOf, quote } from '../../base/text/quote.ts';
import type { CodeFailure } from '../../scans/export/export-codes.ts';

/** Returns whether a failure concerns the code that was requested: other codes may still be read. */
export function isOfOneCode(error: unknown): error is Error {
  return [NotFoundError, RejectedError, UnexpectedAnswerError].some((failure) => error instanceof failure);
}

const MOST_TOLD = 5;

/** Returns a line with the number of codes that failed out of `of`, and one line for each of the first five. */
export function toldFailures(failures: readonly CodeFailure[], of: number, how: string): string[] {
  const lines = failures
    .slice(0, MOST_TOLD)
    .map(({ code, error }) => `${quote(code.slug ?? code.id)}: ${error.message}`);
  if (failures.length > MOST_TOLD) lines.push(`and ${failures.length - MOST_TOLD} more`);
  return [`${failures.length} of ${countOf(of, 'code')} ${how}`, ...lines];
}

/** Creates the error of a run in which some codes failed. */
export function someFailed(
  failures: readonly CodeFailure[],
  of: number,
  how: string,
  hint: string,
): PartialError {
  return new PartialError(toldFailures(failures, of, how).join('\n'), { hint, cause: failures[0]?.error });
}
