/**
 * Handles `--rotated`: log rotation may have moved the file since the last run. Then a new file continues where the old one ended: the new state keeps
 * the watermarks and IDs, and its committed offset is 0. An empty file at the path counts as no file.
 */
import { basename, dirname, join } from 'node:path';
import { UsageError } from '../../base/errors.ts';
import { type DiskFile, ifPresent } from '../../files/durable/disk.ts';
import { openTrusted, withTrusted } from '../../files/durable/trusted-file.ts';
import { StateProblem } from './checksummed-state.ts';
import {
  type CommittedPoint,
  checkExport,
  checkedHash,
  isCommitted,
  nothingCommitted,
  type OpenJob,
  openCommitted,
} from './committed-point.ts';
import { addCopiedIds, findCopiedRows, truncateRest } from './copytruncate.ts';
import { readCurrentState, refusal } from './current-state.ts';
import { rotatedOf, withRotated } from './log-range.ts';
import type { CodeOverlap } from './overlap.ts';
import { readRows } from './read-back.ts';
import { refuseRotated } from './rotated-copies.ts';
import type { AppendState } from './state.ts';

/** As `openCommitted`, for a file that may have been rotated. */
export async function openRotated(job: OpenJob): Promise<CommittedPoint> {
  const state = await readCurrentState(job);
  if (!state || state instanceof StateProblem) {
    await refuseLostState(job);
    return openCommitted(job);
  }
  const file = await openTrusted(job.disk, job.paths.file);
  const there = await file?.stat();
  const isMissingOrEmpty = !there || there.size === 0;
  // If nothing was committed, nothing was rotated: there was no file yet, or the file at the path is empty.
  const mayBeRotated = state.bytes > 0 || (state.ino !== undefined && state.ino !== there?.ino);
  // Not renamed, but copied and emptied in place (copytruncate), or never written to.
  const isSameInode = there !== undefined && there.ino === state.ino;
  if (!isMissingOrEmpty || !mayBeRotated) {
    await file?.close();
    const committed = await openCommitted(job);
    if (isMissingOrEmpty && isSameInode && !state.stamp) await addCopiedIds(job, committed);
    return committed;
  }
  try {
    return await continueInNewFile(job, state, { file, isSameInode });
  } catch (error) {
    await file?.close();
    throw error;
  }
}

/** A28: rotated files may be in another directory. */
async function refuseLostState(job: OpenJob): Promise<void> {
  const { file, state } = job.paths;
  const found = await ifPresent(job.disk.lstat(file));
  if (!found || found.size === 0) return;
  await refuseRotated(job);
  throw refusal(
    file,
    'its state file is missing or damaged, so the scans in rotated files are unknown',
    `Restore ${basename(state)} from a backup. If the log was never rotated, run the command once without --rotated`,
  );
}

async function continueInNewFile(
  job: OpenJob,
  state: AppendState,
  { file, isSameInode }: { file: DiskFile | undefined; isSameInode: boolean },
): Promise<CommittedPoint> {
  const { workspace } = await checkExport(job, state);
  const moved = isSameInode ? await findCopiedRows(job, state) : state;
  // A24: with a stamp the last run completed, and the old file ends where the state records.
  if (!isSameInode && !state.stamp) await truncateRotated(job, state);
  const known = moved === state ? await readUnverified(job, state) : [];
  job.note?.([`${basename(job.paths.file)} was rotated. Continuing in a new file`, ...known].join('. '));
  const overlaps = new Map([...moved.overlaps].map(([code, overlap]) => [code, afterRotation(overlap)]));
  // A41: the file may be archived or deleted later.
  return {
    ...nothingCommitted(workspace, state.sinceMs),
    file,
    overlaps,
    rotated: withRotated(state.rotated, rotatedOf(moved)),
  };
}

/** A25: after a rotation, the rows up to the watermark are in a file that is not read again; of them only the listed IDs are known. */
function afterRotation(overlap: CodeOverlap): CodeOverlap {
  const { watermarkMs, idsFromMs, movedUntilMs = Number.NEGATIVE_INFINITY } = overlap;
  if (watermarkMs === undefined) return { ...overlap, rows: 0 };
  return {
    ...overlap,
    rows: 0,
    movedUntilMs: Math.max(watermarkMs, movedUntilMs),
    movedIdsFromMs: idsFromMs,
  };
}

/**
 * A26: a stopped run may have left rows after its last commit, and the new file gets them again. So the rotated file is located and they are
 * truncated there, as they would be in place. Throws UsageError if it is not found.
 */
async function truncateRotated(job: OpenJob, state: AppendState): Promise<void> {
  for (const { path, isSameFile } of await findRotated(job, state)) {
    if (!isSameFile) continue;
    const isTruncated = await withFile(job, path, async (there, file) => {
      await checkedHash(there, file, state, false);
      await truncateRest(there, file, state);
      return true;
    });
    if (isTruncated) return;
  }
  throw new UsageError(
    `cannot continue after ${job.paths.file} was rotated: the last run was stopped, and the rotated file is needed to find the rows of that run`,
    {
      hint: 'No changes were made. For one run, move the rotated file back to the same directory, uncompressed. In logrotate, set delaycompress and omit olddir.',
    },
  );
}

/**
 * A29: the service returns the unverified rows of the last run again, and the state lists only the IDs of the overlap. So the other IDs are read from
 * the rotated file, or a copy of it: the one with exactly the committed bytes. Resolves to the sentences for a note. Throws UsageError if there is no
 * such file.
 */
async function readUnverified(job: OpenJob, state: AppendState): Promise<string[]> {
  const { overlaps, bytes } = state;
  const unverified = new Map(
    [...overlaps].filter(([, { rereadFromMs, idsFromMs }]) => (rereadFromMs ?? idsFromMs) < idsFromMs),
  );
  if (unverified.size === 0) return [];
  const alone = job.identity.columns.includes('qr_id') ? undefined : job.identity.codes[0];
  const rows = { start: Buffer.byteLength(job.begin), end: bytes, signal: job.signal };
  // Nothing was committed to that file: all rows that are not verified are in earlier files.
  if (bytes === 0) {
    for (const overlap of unverified.values()) overlap.idsFromMs = knownFrom(overlap);
    return [];
  }
  for (const { path } of await findRotated(job, state)) {
    const isRead = await withFile(job, path, async (there, file) => {
      if (!(await isCommitted(there, file, state))) return false;
      await readRows(file, rows, job.identity, ({ code = alone, id, timeMs }) => {
        const overlap = unverified.get(code ?? '');
        if (overlap && timeMs >= (overlap.rereadFromMs ?? 0)) overlap.ids.set(id, timeMs);
      });
      return true;
    });
    if (!isRead) continue;
    for (const overlap of unverified.values()) overlap.idsFromMs = knownFrom(overlap);
    return [
      `Rereading scans that the last run could not verify, and skipping those already in ${basename(path)}`,
    ];
  }
  throw new UsageError(
    `cannot continue after ${job.paths.file} was rotated: the last run could not be verified as complete, and the rotated file is needed to find the scans of that run`,
    {
      hint: `No changes were made. For one run, move the rotated file back to the same directory, uncompressed. Its name must begin with ${basename(job.paths.file)}.`,
    },
  );
}

/** A25: returns from which time on all IDs are known; of a file that was rotated earlier, still only the listed IDs are. */
function knownFrom({
  rereadFromMs = Number.NEGATIVE_INFINITY,
  movedIdsFromMs = Number.NEGATIVE_INFINITY,
}: CodeOverlap): number {
  return Math.max(rereadFromMs, movedIdsFromMs);
}

/** Calls `work` with the file at `path`, and with the job for that path; undefined if there is no file. */
async function withFile<T>(
  job: OpenJob,
  path: string,
  work: (job: OpenJob, file: DiskFile) => Promise<T>,
): Promise<T | undefined> {
  return withTrusted(job.disk, path, (file) => work({ ...job, paths: { ...job.paths, file: path } }, file));
}

/**
 * Returns the files in the directory that may be the rotated one: first the one with the inode in the state, because a rename keeps it, then those
 * whose names begin alike. The caller checks whether the bytes are the committed ones.
 */
async function findRotated({ disk, paths }: OpenJob, { ino, bytes }: AppendState) {
  const directory = dirname(paths.file);
  const found: { path: string; isSameFile: boolean }[] = [];
  for (const name of await disk.readdir(directory)) {
    const path = join(directory, name);
    const stat = await ifPresent(disk.lstat(path));
    if (!stat?.isFile() || stat.size < bytes) continue;
    const isSameFile = stat.ino === ino;
    if (isSameFile) found.unshift({ path, isSameFile });
    else if (name.startsWith(basename(paths.file))) found.push({ path, isSameFile });
  }
  return found;
}
