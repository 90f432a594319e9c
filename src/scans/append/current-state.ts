/** Reads the state on disk, and words the refusals to continue from it. */
import { basename, dirname } from 'node:path';
import { UsageError } from '../../base/errors.ts';
import { countOf, formatCount } from '../../base/text/quote.ts';
import { formatDuration, formatInstant } from '../../base/time/time.ts';
import { type Disk, ifPresent } from '../../files/durable/disk.ts';
import { DamagedRecordError, UnknownRecordError } from '../../files/durable/record-file.ts';
import { hashFile } from './file-hash.ts';
import { keepOldFile } from './old-file.ts';
import { type AppendState, parseState } from './state.ts';

export interface AppendPaths {
  /** The real file, links followed, so that its state is next to it, whatever name leads to it. */
  file: string;
  state: string;
  /** Path where `--restart` builds the new file, in the same directory. */
  restart: string;
}

/** Creates the refusal to change the file; `reason` follows "cannot append to FILE: ", `wayOn` is a sentence without its period. */
export function refusal(file: string, reason: string, wayOn: string, cause?: unknown): UsageError {
  return new UsageError(`cannot append to ${file}: ${reason}`, {
    hint: `No changes were made. ${wayOn}.`,
    cause,
  });
}

/** Returns what happened to a file whose first `bytes` are not those that its state records; `size`: undefined if it is missing. */
export function lossOf(size: number | undefined, bytes: number): string {
  if (size === undefined)
    return `the file no longer exists, but its state file records ${countOf(bytes, 'byte')}`;
  if (size < bytes) return `the file was truncated: ${formatCount(size)} of ${countOf(bytes, 'byte')} remain`;
  return 'the file was edited or replaced since the last run';
}

/** Returns the last alternative of a hint for a file that differs from its committed content. */
export function orRestart(file: string): string {
  return `or add --restart to export everything again. If the old file has data that the new one lacks, qrctl keeps it as ${basename(file)}.old`;
}

/**
 * A25: returns the error for a scan that is older than the known IDs and may be in a rotated file: the IDs of scans before `knownMs` are no longer known.
 * `backMs`: by how much the service's clock was set back since the last rows were added.
 */
export function olderRowError(
  path: string,
  { oldestMs, knownMs, backMs }: { oldestMs: number; knownMs: number; backMs: number | undefined },
): UsageError {
  const [oldest, known] = [oldestMs, knownMs].map(formatInstant);
  if (backMs !== undefined) {
    return new UsageError(
      `cannot append to ${path}: the service's clock was set back by ${formatDuration(backMs)} since the last run, ` +
        `so scans from ${oldest} to ${known} can't be checked against the rotated files`,
      {
        hint: `No changes were made. Move ${basename(path)} and its rotated files to another directory. Then run the command once with --restart. The new file will contain every scan.`,
      },
    );
  }
  return new UsageError(
    `cannot append to ${path}: the service returned a scan dated ${oldest}, but scans before ${known} are in rotated files and can't be checked for duplicates`,
    { hint: 'Run the same command again with the same --overlap as in earlier runs.' },
  );
}

interface StateJob {
  disk: Disk;
  paths: AppendPaths;
  signal?: AbortSignal | undefined;
  /** Receives notes that the user must not miss. */
  warn?: ((line: string) => void) | undefined;
}

/** Reads the state, after it completes a `--restart` that was stopped while it replaced the file. */
export async function readCurrentState(job: StateJob): Promise<AppendState | DamagedRecordError | undefined> {
  const state = await readState(job);
  if (state && !(state instanceof DamagedRecordError) && state.replacing) await finishReplacing(job, state);
  return state;
}

async function readState({ disk, paths }: StateJob): Promise<AppendState | DamagedRecordError | undefined> {
  const bytes = await ifPresent(disk.readFile(paths.state));
  if (!bytes) return undefined;
  try {
    return parseState(bytes);
  } catch (error) {
    if (error instanceof DamagedRecordError) return error;
    // A16: not rebuilt from the file, as a damaged one is.
    if (error instanceof UnknownRecordError)
      throw refusal(paths.file, `its state file ${error.message}`, UPDATE, error);
    throw error;
  }
}

/** For a state that a later version of qrctl seems to have written. */
export const UPDATE = 'Update qrctl to the version that wrote the state file, or to a later version';

/** A8: a `--restart` was stopped between its two renames: the state is the new one, the file may still be the old one. */
async function finishReplacing({ disk, paths, signal, warn }: StateJob, state: AppendState): Promise<void> {
  const rebuilt = await ifPresent(disk.open(paths.restart, 'r+'));
  if (!rebuilt) {
    // The second rename happened, but a power cut may still undo it, and must not find rows in the file by then.
    await disk.flushDirectory(dirname(paths.file));
    return;
  }
  try {
    const { size } = await rebuilt.stat();
    // The restart file differs from the state: a later --restart was stopped while it was writing. The file itself will be checked.
    if (
      size !== state.bytes ||
      (await hashFile(rebuilt, size, undefined, signal)).digests().sha256 !== state.sha256
    )
      return;
  } finally {
    await rebuilt.close();
  }
  // A31: also if the run was stopped before this step.
  const kept = state.keepsOld ? await keepOldFile(disk, paths.file) : undefined;
  if (kept !== undefined)
    warn?.(`${basename(paths.file)}: finished an interrupted --restart. The old file is ${kept}`);
  await disk.rename(paths.restart, paths.file);
  // The name must be durable before rows are committed to the file.
  await disk.flushDirectory(dirname(paths.file));
}
