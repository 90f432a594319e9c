/** Errors of an export, and the context in their hints: profile, place, and whether data was lost. */
import { Failure, PartialError, UnavailableError, UsageError } from '../../base/errors.ts';
import { countOf } from '../../base/text/quote.ts';
import { isWrittenDirectly } from '../../files/formats/whole-file.ts';
import { someFailed } from './code-failures.ts';
import type { CodeFailure } from './export-codes.ts';

const LONGER = 'wait out a longer outage with --retry-for, such as --retry-for 15m';

export interface FailedRun {
  profile: string;
  key: string;
  place: string | undefined;
  isAppend: boolean;
  added: number;
  files: number;
  isPerCode: boolean;
}

/** Adds the state of the output to the hint of a failure. A UsageError concerns the command line only and is unchanged. */
export async function explainFailure(error: unknown, run: FailedRun): Promise<void> {
  if (!(error instanceof Failure) || error instanceof UsageError) return;
  const { profile, key, place, isAppend } = run;
  const where = place === undefined ? '' : `, ${isAppend ? 'appending to' : 'writing'} ${place}`;
  const lines = [
    `profile ${profile}, key ${key}${where}`,
    error instanceof PartialError ? undefined : await outcomeOf(run),
    error instanceof UnavailableError ? LONGER : undefined,
    error.hint,
  ];
  error.hint = lines.filter((line) => line !== undefined).join('\n');
}

/** Returns what happened to the data; undefined if that is unknown: printed rows can't be rolled back. */
async function outcomeOf({
  place,
  isAppend,
  added,
  files,
  isPerCode,
}: FailedRun): Promise<string | undefined> {
  if (place === undefined || (await isWrittenDirectly(place))) return undefined;
  if (isAppend) {
    if (added > 0 && files === 0) return undefined;
    const count =
      added === 0 ? 'no scans were added' : `${countOf(added, 'scan')} ${added === 1 ? 'was' : 'were'} added`;
    return `No data was lost: ${count}. The next run resumes from there.`;
  }
  if (isPerCode && files > 0)
    return `Wrote ${countOf(files, 'complete file')}. Existing files of the other codes are unchanged.`;
  return 'No data was written. Any existing file is unchanged.';
}

/** Creates the error of an export in which some codes failed. */
export function partly(failures: readonly CodeFailure[], of: number, isAppend: boolean): PartialError {
  const names = failures.map(({ code }) => code.id).slice(0, 5);
  const again = isAppend
    ? 'Run the same command again.'
    : `Export these codes again with \`qrctl scans export ${names.join(' ')}${failures.length > 5 ? ' …' : ''}\`.`;
  const error = failures[0]?.error;
  // For a file that is refused, only its own hint helps.
  const own = error instanceof UsageError ? error.hint : undefined;
  return someFailed(failures, of, 'failed; the others were exported', own ?? again);
}

/** Creates the error of a restart of one file in which some codes failed. */
export function notRebuilt(failures: readonly CodeFailure[], of: number, path: string): PartialError {
  const hint =
    'The file is unchanged. Run the command again. If a code was deleted, omit it. The old file, with its scans, then stays as FILE.old.';
  return someFailed(failures, of, `failed, so ${path} was not rebuilt`, hint);
}
