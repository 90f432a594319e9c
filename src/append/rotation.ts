/**
 * `--rotated`: the file may have been moved away since the last run, as log rotation does. Then a new one is begun where the old one
 * ended: what the state knows of the rows stays, and the bytes begin at none. An empty file in its place counts as none.
 */
import { basename, dirname, join } from 'node:path';
import { type DiskFile, ifPresent } from '../durable/disk.ts';
import { openTrusted } from '../durable/trusted-file.ts';
import { UsageError } from '../errors.ts';
import {
  type CommittedPoint,
  checkedHash,
  cutOff,
  nothingCommitted,
  type OpenJob,
  openCommitted,
  readCurrentState,
  refuseDifference,
} from './committed-point.ts';
import type { CodeOverlap } from './overlap.ts';
import { type AppendState, StateProblem } from './state.ts';

/** As `openCommitted`, for a file that may have been moved away. */
export async function openRotated(job: OpenJob): Promise<CommittedPoint> {
  const state = await readCurrentState(job);
  if (!state || state instanceof StateProblem) {
    await refuseLostState(job);
    return openCommitted(job);
  }
  const file = await openTrusted(job.disk, job.paths.file);
  const there = await file?.stat();
  const isGone = !there || there.size === 0;
  // Where nothing was committed, nothing was moved away: before there was a file, or while the one that stands there is empty.
  const isBegun = state.bytes > 0 || (state.ino !== undefined && state.ino !== there?.ino);
  if (!isGone || !isBegun) {
    await file?.close();
    return openCommitted(job);
  }
  try {
    return await beginAnew(job, state, file);
  } catch (error) {
    await file?.close();
    throw error;
  }
}

/** A28: the state alone knows which scans are in the files that were moved away. */
async function refuseLostState({ disk, paths }: OpenJob): Promise<void> {
  const found = await ifPresent(disk.lstat(paths.file));
  if (!found || found.size === 0) return;
  throw new UsageError(
    `cannot append to ${paths.file}: its state is lost, and with it what is known of the files that were moved away`,
    {
      hint: 'Nothing was changed. Put the state back, or, if no file was moved away since it was lost, run once without --rotated.',
    },
  );
}

async function beginAnew(job: OpenJob, state: AppendState, file: DiskFile | undefined): Promise<CommittedPoint> {
  refuseDifference(job, state);
  // A24: with the stamp the last run was through, and the old file ended where the state says.
  if (!state.stamp) await mendMoved(job, state, file);
  job.note?.(`${basename(job.paths.file)} was moved away: a new file goes on where it ended`);
  const overlaps = new Map([...state.overlaps].map(([code, overlap]) => [code, leftBehind(overlap)]));
  return { ...nothingCommitted(state.sinceMs), file, overlaps };
}

/** A25: rows up to the watermark are in a file that cannot be read any more; of them only the listed ids are known. */
function leftBehind(overlap: CodeOverlap): CodeOverlap {
  const { watermarkMs, movedUntilMs = Number.NEGATIVE_INFINITY } = overlap;
  return { ...overlap, rows: 0, movedUntilMs: watermarkMs === undefined ? undefined : Math.max(watermarkMs, movedUntilMs) };
}

/**
 * A26: a run that was stopped may have left rows behind its last commit, and they come again in the new file. So the old file is found where
 * it was moved to, and they are cut off there as they would have been in its place. Throws UsageError where it is not found.
 */
async function mendMoved(job: OpenJob, state: AppendState, inPlace: DiskFile | undefined): Promise<void> {
  const moved = await findMoved(job, state, inPlace);
  if (!moved) {
    throw new UsageError(
      `cannot go on after ${job.paths.file} was moved away: the last run was stopped, and whether it left rows at the end of that file can only be seen there`,
      {
        hint: 'Nothing was changed. Keep the file beside its old place, uncompressed, until the next run (logrotate: delaycompress, no olddir).',
      },
    );
  }
  const { file, path } = moved;
  try {
    const { size } = await file.stat();
    await checkedHash({ ...job, paths: { ...job.paths, file: path } }, file, state, false);
    if (size <= state.bytes) return;
    await cutOff({ ...job, paths: { ...job.paths, file: path } }, file, state, size);
    // A26: before a state claims that its rows end there.
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The file with the inode that the state names: a rename keeps it. Whether its bytes are the committed ones is checked by whoever asked. */
async function findMoved({ disk, paths }: OpenJob, { ino, bytes }: AppendState, inPlace: DiskFile | undefined) {
  if (ino === undefined || (await inPlace?.stat())?.ino === ino) return undefined;
  const directory = dirname(paths.file);
  for (const name of await disk.readdir(directory)) {
    const path = join(directory, name);
    const found = await ifPresent(disk.lstat(path));
    if (!found?.isFile() || found.ino !== ino || found.size < bytes) continue;
    const file = await openTrusted(disk, path);
    if (file) return { file, path };
  }
  return undefined;
}
