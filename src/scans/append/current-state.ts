import { basename, dirname, join } from 'node:path';
import { LocalError, systemCode, UsageError } from '#base/errors';
import { countOf, formatCount, inShellOr } from '#base/text/quote';
import { formatDuration, formatInstant } from '#base/time/time';
import { closing, type Disk, type DiskDirectory, type DiskStat, ifPresent } from '#files/durable/disk';
import { DamagedRecordError, UnknownRecordError } from '#files/durable/record-file';
import { inDirectory, isSameFile } from '#files/durable/trusted-file';
import { compareAges, type LogName, readLogName } from '#files/formats/read/rotated-names';
import { hashFile } from './file-hash.ts';
import type { AppendRun } from './identity.ts';
import { type AppendState, parseState } from './state.ts';

export interface OpenJob extends AppendRun {
  disk: Disk;
  paths: AppendPaths;
  begin: string;
}

export interface AppendPaths {
  file: string;
  state: string;
  restart: string;
}

export function refusal(file: string, reason: string, wayOn: string, cause?: unknown): UsageError {
  return new UsageError(`cannot append to ${file}: ${reason}`, {
    hint: `No changes were made. ${wayOn}.`,
    cause,
  });
}

export function lossOf(size: number | undefined, bytes: number, file = 'the file'): string {
  if (size === undefined)
    return `${file} no longer exists, but its state file records ${countOf(bytes, 'byte')}`;
  if (size < bytes) return `${file} was truncated: ${formatCount(size)} of ${countOf(bytes, 'byte')} remain`;
  return `${file} was edited or replaced since the last run`;
}

export function orRestart(file: string): string {
  return `or add --restart to export everything again. If the old file has data that the new one lacks, qrctl keeps it as ${basename(file)}.old`;
}

/** A25: returns the error for a scan before `knownMs`, the time from which IDs in rotated files are known. */
export function olderRowError(
  path: string,
  oldestMs: number,
  knownMs: number,
  backMs: number | undefined,
): UsageError {
  const [oldest, known] = [oldestMs, knownMs].map(formatInstant);
  if (backMs !== undefined) {
    return refusal(
      path,
      `the service's clock was set back by ${formatDuration(backMs)} since the last run, ` +
        `so scans from ${oldest} to ${known} can't be checked against the rotated files`,
      `Move ${basename(path)} and its rotated files to another directory. Then run the command once with --restart. The new file will contain every scan`,
    );
  }
  return new UsageError(
    `cannot append to ${path}: the service returned a scan dated ${oldest}, but scans before ${known} are in rotated files and can't be checked for duplicates`,
    { hint: 'Run the same command again with the same --overlap as in earlier runs.' },
  );
}

/** Reads the state, if any. Completes a `--restart` that was stopped between its two renames. */
export async function readCurrentState(
  job: OpenJob,
): Promise<{ state?: AppendState; damage?: DamagedRecordError }> {
  const { disk, paths } = job;
  const bytes = await ifPresent(disk.readFile(paths.state));
  if (!bytes) return {};
  try {
    const state = parseState(bytes);
    if (state.replacing) await finishReplacing(job, state);
    return { state };
  } catch (error) {
    if (error instanceof DamagedRecordError) return { damage: error };
    // A16: only a damaged state may be rebuilt from the file, not a state from a later qrctl.
    if (error instanceof UnknownRecordError)
      throw refusal(paths.file, `its state file ${error.message}`, UPDATE, error);
    throw error;
  }
}

export const UPDATE = 'Update qrctl to the version that wrote the state file, or to a later version';

async function finishReplacing({ disk, paths, signal, warn }: OpenJob, state: AppendState): Promise<void> {
  const rebuilt = await ifPresent(disk.open(paths.restart, 'r+'));
  if (!rebuilt) {
    // Makes the second rename durable, because a power cut could still undo it.
    await disk.flushDirectory(dirname(paths.file));
    return;
  }
  const isSame = await closing(rebuilt, async (file) => {
    const { size } = await file.stat();
    if (size !== state.bytes) return false;
    return (await hashFile(file, size, undefined, signal)).digests().sha256 === state.sha256;
  });
  // Ignores an incomplete file of a later --restart.
  if (!isSame) return;
  const kept = state.keepsOld ? await keepOldFile(disk, paths.file) : undefined;
  if (kept !== undefined)
    warn?.(`${basename(paths.file)}: finished an interrupted --restart. The old file is ${kept}`);
  await disk.rename(paths.restart, paths.file);
  await disk.flushDirectory(dirname(paths.file));
}

export interface Copy {
  path: string;
  log: LogName;
  stat: DiskStat;
}

export async function listCopies({ disk, paths }: OpenJob): Promise<Copy[]> {
  const directory = dirname(paths.file);
  const copies: Copy[] = [];
  for (const name of await disk.readdir(directory)) {
    const log = readLogName(name, basename(paths.file));
    if (!log?.age) continue;
    const path = join(directory, name);
    const stat = await ifPresent(disk.lstat(path));
    if (stat?.isFile() && stat.size > 0) copies.push({ path, log, stat });
  }
  return copies.sort((one, other) => compareAges(other.log, one.log));
}

export async function refuseRotated(job: OpenJob): Promise<void> {
  const { file, state } = job.paths;
  const copies = await listCopies(job);
  if (copies.length === 0) return;
  const inputs = [file, ...copies.map(({ path }) => path)]
    .map((path) => `--input ${inShellOr('FILE', path)}`)
    .join(' ');
  const wayOn = job.identity.columns.includes('qr_id')
    ? `or convert the log with its rotated files to a dataset: \`qrctl scans export ${inputs} --output-dir DIR --partition-by month\``
    : 'or move the log with its rotated files to another directory. The next run exports everything again';
  throw refusal(
    file,
    `its state file is missing or damaged, so the scans in its rotated files (such as ${basename(copies[0]?.path ?? '')}) are unknown`,
    `Restore ${basename(state)} from a backup, ${wayOn}. If these files are not of this log, move them to another directory`,
  );
}

const CANNOT_LINK = new Set([
  'EPERM',
  'EACCES',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EMLINK',
  'EINVAL',
  'EISDIR',
  'UNKNOWN',
]);

const MOST_OLD = 10_000;

/** Keeps a regular file, if any, as `FILE.old` or `FILE.old.N`. Reuses a name from a stopped run. */
export async function keepOldFile(disk: Disk, path: string): Promise<string | undefined> {
  const name = await inDirectory(disk, dirname(path), ({ at }) => giveFreeName(disk, at, basename(path)));
  if (name === undefined) return undefined;
  // A31: makes the new name durable before another file takes the old one.
  await disk.flushDirectory(dirname(path));
  return join(dirname(path), name);
}

async function giveFreeName(disk: Disk, at: DiskDirectory['at'], file: string): Promise<string | undefined> {
  const old = await ifPresent(disk.lstat(at(file)));
  if (!old?.isFile()) return undefined;
  for (let number = 0; number < MOST_OLD; number++) {
    const name = `${file}.old${number === 0 ? '' : `.${number}`}`;
    const taken = await ifPresent(disk.lstat(at(name)));
    if (taken ? isSameFile(old, taken) : await giveName(disk, at(file), at(name))) return name;
  }
  throw new LocalError(`cannot keep ${file}: ${file}.old and ${MOST_OLD - 1} other names are in use`, {
    hint: 'Move the old files to another directory, then run the same command again.',
  });
}

async function giveName(disk: Disk, path: string, name: string): Promise<boolean> {
  try {
    await disk.link(path, name);
  } catch (error) {
    const code = systemCode(error) ?? '';
    if (code === 'EEXIST') return false;
    if (!CANNOT_LINK.has(code)) throw error;
    await disk.rename(path, name);
  }
  return true;
}
