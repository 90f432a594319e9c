/** Failures that concern single codes, whose scans could not be read. */
import { NotFoundError, PartialError, RejectedError, UnexpectedResponseError } from '../../base/errors.ts';
import { countOf, quote } from '../../base/text/quote.ts';
import type { Service } from '../../service/service.ts';
import type { CodeFailure } from './export-codes.ts';
import type { ExportSinks } from './open-sinks.ts';

/** Returns whether a failure concerns the requested code only: other codes may still be read. */
export function isOfOneCode(error: unknown): error is Error {
  return [NotFoundError, RejectedError, UnexpectedResponseError].some((failure) => error instanceof failure);
}

const MOST_NAMED = 5;

/** Returns a line with the number of codes that failed out of `of`, and one line for each of the first five. */
export function describeFailures(failures: readonly CodeFailure[], of: number, how: string): string[] {
  const lines = failures
    .slice(0, MOST_NAMED)
    .map(({ code, error }) => `${quote(code.slug ?? code.id)}: ${error.message}`);
  if (failures.length > MOST_NAMED) lines.push(`and ${failures.length - MOST_NAMED} more`);
  return [`${failures.length} of ${countOf(of, 'code')} ${how}`, ...lines];
}

/** Creates the error of a run in which some codes failed. */
export function someFailed(
  failures: readonly CodeFailure[],
  of: number,
  how: string,
  hint: string,
): PartialError {
  return new PartialError(describeFailures(failures, of, how).join('\n'), {
    hint,
    cause: failures[0]?.error,
  });
}

/**
 * Separates codes of the output that were deleted from those that failed. A43: the output records them, and those that an earlier run recorded are
 * in neither list.
 */
export async function separateDeleted(
  failures: readonly CodeFailure[],
  { noteGone }: Pick<ExportSinks, 'noteGone'>,
  service: Pick<Service, 'getCode'>,
): Promise<{ failed: CodeFailure[]; deleted: CodeFailure[] }> {
  if (!noteGone) return { failed: [...failures], deleted: [] };
  const failed: CodeFailure[] = [];
  const deleted: CodeFailure[] = [];
  for (const failure of failures) {
    const wasReported = (await isDeleted(failure, service)) ? await noteGone(failure.code) : undefined;
    if (wasReported === undefined) failed.push(failure);
    else if (!wasReported) deleted.push(failure);
  }
  return { failed, deleted };
}

/** One response of 404 for its scans does not show that the code was deleted. */
async function isDeleted({ code, error }: CodeFailure, { getCode }: Pick<Service, 'getCode'>) {
  if (!(error instanceof NotFoundError)) return false;
  if (code.missing) return true;
  try {
    await getCode(code.id);
    return false;
  } catch (cause) {
    if (cause instanceof NotFoundError) return true;
    throw cause;
  }
}

/** Creates the error of the run that found deleted codes. */
export function wereDeleted(deleted: readonly CodeFailure[], of: number): PartialError {
  const how = `${deleted.length === 1 ? 'was' : 'were'} deleted on the service; the others were exported`;
  return new PartialError(describeFailures(deleted, of, how).join('\n'), {
    hint: 'The exported scans of deleted codes stay in the file. The next run leaves these codes out.',
    cause: deleted[0]?.error,
  });
}
