import { Failure, ifNotFound, NotFoundError, PartialError, UnavailableError, UsageError } from '#base/errors';
import { countAmong, countOf, quote } from '#base/text/quote';
import { isWrittenDirectly } from '#files/formats/whole-file';
import type { Service } from '#service/service';
import type { CodeFailure } from './export-codes.ts';
import type { ExportSinks } from './open-sinks.ts';

const MOST_NAMED = 5;

export function describeFailures(failures: readonly CodeFailure[], of: number, how: string): string[] {
  const lines = failures
    .slice(0, MOST_NAMED)
    .map(({ code, error }) => `${quote(code.slug ?? code.id)}: ${error.message}`);
  if (failures.length > MOST_NAMED) lines.push(`and ${failures.length - MOST_NAMED} more`);
  return [`${countAmong(failures.length, of, 'code')} ${how}`, ...lines];
}

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

/** A43: separates codes recorded as deleted from failed ones. Omits codes that an earlier run recorded. */
export async function separateDeleted(
  failures: readonly CodeFailure[],
  { noteGone }: Pick<ExportSinks, 'noteGone'>,
  service: Pick<Service, 'getCode'>,
): Promise<{ failed: CodeFailure[]; deleted: CodeFailure[] }> {
  const failed: CodeFailure[] = [];
  const deleted: CodeFailure[] = [];
  for (const failure of failures) {
    const wasReported =
      noteGone && (await isDeleted(failure, service)) ? await noteGone(failure.code) : undefined;
    if (wasReported === undefined) failed.push(failure);
    else if (!wasReported) deleted.push(failure);
  }
  return { failed, deleted };
}

/** Returns whether a code was deleted. A 404 for its scans alone is not proof. */
async function isDeleted({ code, error }: CodeFailure, { getCode }: Pick<Service, 'getCode'>) {
  if (!(error instanceof NotFoundError)) return false;
  return code.missing ? true : getCode(code.id).then(() => false, ifNotFound(true));
}

export function wereDeleted(deleted: readonly CodeFailure[], of: number): PartialError {
  const how = `${deleted.length === 1 ? 'was' : 'were'} deleted on the service; the others were exported`;
  const hint = 'The exported scans of deleted codes stay in the file. The next run leaves these codes out.';
  return someFailed(deleted, of, how, hint);
}

const LONGER = 'wait out a longer outage with --retry-for, such as --retry-for 15m';

interface FailedRun {
  profile: string;
  key: string;
  place?: string;
  isAppend: boolean;
  added: number;
  files: number;
  isPerCode: boolean;
}

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

async function outcomeOf(run: FailedRun): Promise<string | undefined> {
  const { place, isAppend, added, files, isPerCode } = run;
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

export function partly(failures: readonly CodeFailure[], of: number, isAppend: boolean): PartialError {
  const names = failures.map(({ code }) => code.id).slice(0, MOST_NAMED);
  const again = isAppend
    ? 'Run the same command again.'
    : `Export these codes again with \`qrctl scans export ${names.join(' ')}${failures.length > MOST_NAMED ? ' …' : ''}\`.`;
  const error = failures[0]?.error;
  const own = error instanceof UsageError ? error.hint : undefined;
  return someFailed(failures, of, 'failed; the others were exported', own ?? again);
}

export function notRebuilt(failures: readonly CodeFailure[], of: number, path: string): PartialError {
  const hint =
    'The file is unchanged. Run the command again. If a code was deleted, omit it. The old file, with its scans, then stays as FILE.old.';
  return someFailed(failures, of, `failed, so ${path} was not rebuilt`, hint);
}
