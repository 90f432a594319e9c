/** Adds context to the hint of a failed export: profile, place, and whether data was lost. */
import { Failure, PartialError, UnavailableError, UsageError } from '../../../base/errors.ts';
import { countOf } from '../../../base/text/quote.ts';
import { isWrittenDirectly } from '../../../files/formats/whole-file.ts';
import type { CodeFailure } from '../../../scans/export/export-codes.ts';
import { someFailed } from '../tell-failures.ts';

const LONGER = 'wait out a longer outage with --retry-for, such as --retry-for 15m';

export interface FailedRun {
  profile: string;
  /** The printed form of the key. */
  key: string;
  /** File or directory; undefined: standard output. */
  place: string | undefined;
  append: boolean;
  /** Scans that this run added to an appended file. */
  added: number;
  /** How many files are there and complete, or at a committed point. */
  files: number;
  /** Each file is one code's alone. */
  ofCodes: boolean;
}

/**
 * Adds the state of the output to the hint of a failure, which main.ts prints. A UsageError concerns the command line only and is
 * unchanged.
 */
export async function explainFailure(error: unknown, run: FailedRun): Promise<void> {
  if (!(error instanceof Failure) || error instanceof UsageError) return;
  const { profile, key, place, append } = run;
  const where = `profile ${profile}, key ${key}${place === undefined ? '' : `, ${append ? 'appending to' : 'writing'} ${place}`}`;
  const longer = error instanceof UnavailableError ? LONGER : undefined;
  const lines = [where, error instanceof PartialError ? undefined : await outcomeOf(run), longer, error.hint];
  error.hint = lines.filter((line) => line !== undefined).join('\n');
}

/** Undefined if the state is unknown: printed rows can't be rolled back. */
async function outcomeOf({ place, append, added, files, ofCodes }: FailedRun): Promise<string | undefined> {
  if (place === undefined || (await isWrittenDirectly(place))) return undefined;
  if (append) {
    // Somebody took the file away.
    if (added > 0 && files === 0) return undefined;
    const count =
      added === 0 ? 'no scans were added' : `${countOf(added, 'scan')} ${added === 1 ? 'was' : 'were'} added`;
    return `No data was lost: ${count}. The next run resumes from there.`;
  }
  if (ofCodes && files > 0)
    return `Wrote ${countOf(files, 'complete file')}. Existing files of the other codes are unchanged.`;
  return 'No data was written. Any existing file is unchanged.';
}

/** Creates the error of an export in which some codes failed. */
export function partly(failures: readonly CodeFailure[], of: number, isAppend: boolean): PartialError {
  const names = failures.map(({ code }) => code.id).slice(0, 5);
  const again = isAppend
    ? 'Run the same command again.'
    : `Export these codes again with \`qrctl scans export ${names.join(' ')}${failures.length > 5 ? ' …' : ''}\`.`;
  return someFailed(failures, of, 'failed; the others were exported', ownHintOf(failures[0]) ?? again);
}

/** Of a file that is refused, only its own hint helps. */
function ownHintOf(failure: CodeFailure | undefined): string | undefined {
  return failure?.error instanceof UsageError ? failure.error.hint : undefined;
}

/** Creates the error of a restart of one file in which some codes failed: the file stays as it is. */
export function notRebuilt(failures: readonly CodeFailure[], of: number, path: string): PartialError {
  const hint =
    'The file is unchanged. Run the command again. If a code was deleted, omit it. The old file, with its scans, then stays as FILE.old.';
  return someFailed(failures, of, `failed, so ${path} was not rebuilt`, hint);
}
