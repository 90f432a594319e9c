/**
 * `--rotated`: the file may have been moved away since the last run, as log rotation does. Then a new one is begun where the old one
 * ended: what the state knows of the rows stays, and the bytes begin at none. An empty file in its place counts as none.
 */
import { basename, dirname, join } from 'node:path';
import { type DiskFile, ifPresent } from '../durable/disk.ts';
import { openTrusted } from '../durable/trusted-file.ts';
import { UsageError } from '../errors.ts';
import { readLogName } from '../rows/read/rotated-names.ts';
import {
  type CommittedPoint,
  checkExport,
  checkedHash,
  cutOff,
  isCommitted,
  nothingCommitted,
  type OpenJob,
  openCommitted,
} from './committed-point.ts';
import { readCurrentState } from './current-state.ts';
import { takeCopied } from './emptied.ts';
import type { CodeOverlap } from './overlap.ts';
import { readRows } from './read-back.ts';
import { StateProblem } from './sealed.ts';
import type { AppendState } from './state.ts';

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
  // Not renamed: copied, and emptied in its place (copytruncate), or never written to.
  const isEmptied = there !== undefined && there.ino === state.ino;
  if (!isGone || !isBegun) {
    await file?.close();
    const committed = await openCommitted(job);
    if (isGone && isEmptied && !state.stamp) await takeCopied(job, committed);
    return committed;
  }
  try {
    return await beginAnew(job, state, { file, isEmptied });
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
    `cannot append to ${paths.file}: its state file is missing or damaged, so the scans in rotated files are unknown`,
    {
      hint: 'No changes were made. Restore the state file from a backup. If no file was rotated since it was lost, run this once without --rotated.',
    },
  );
}

async function beginAnew(
  job: OpenJob,
  state: AppendState,
  { file, isEmptied }: { file: DiskFile | undefined; isEmptied: boolean },
): Promise<CommittedPoint> {
  const { workspace } = await checkExport(job, state);
  // A24: with the stamp the last run was through, and the old file ended where the state says.
  if (!state.stamp) await mendMoved(job, state, isEmptied);
  const known = await readUnproven(job, state);
  job.note?.([`${basename(job.paths.file)} was rotated. Continuing in a new file`, ...known].join('. '));
  const overlaps = new Map([...state.overlaps].map(([code, overlap]) => [code, leftBehind(overlap)]));
  return { ...nothingCommitted(workspace, state.sinceMs), file, overlaps };
}

/** A25: rows up to the watermark are in a file that cannot be read any more; of them only the listed ids are known. */
function leftBehind(overlap: CodeOverlap): CodeOverlap {
  const { watermarkMs, idsFromMs, movedUntilMs = Number.NEGATIVE_INFINITY } = overlap;
  if (watermarkMs === undefined) return { ...overlap, rows: 0 };
  return { ...overlap, rows: 0, movedUntilMs: Math.max(watermarkMs, movedUntilMs), movedIdsFromMs: idsFromMs };
}

/**
 * A26: a run that was stopped may have left rows behind its last commit, and they come again in the new file. So the old file is found where
 * it was moved to, and they are cut off there as they would have been in its place: of a file that was emptied in its place, in the copy. Throws
 * UsageError where it is not found.
 */
async function mendMoved(job: OpenJob, state: AppendState, isEmptied: boolean): Promise<void> {
  for (const { path, isSameFile } of await findMoved(job, state)) {
    if (!isSameFile && !(isEmptied && readLogName(basename(path), basename(job.paths.file))?.age)) continue;
    const isMended = await withFile(job, path, async (there, file) => {
      // A copy of an earlier rotation is another file.
      if (!isSameFile && !(await isCommitted(there, file, state))) return false;
      const { size } = await file.stat();
      await checkedHash(there, file, state, false);
      if (size > state.bytes) await cutOff(there, file, state, size);
      // A26: before a state claims that its rows end there; also where the last run cut them off and was stopped before it could.
      await file.sync();
      return true;
    });
    if (isMended) return;
  }
  throw new UsageError(
    `cannot continue after ${job.paths.file} was rotated: the last run was stopped, and the rotated file is needed to see which rows it left`,
    {
      hint: 'No changes were made. Move the rotated file back to the same directory, uncompressed, for one run (logrotate: delaycompress, no olddir).',
    },
  );
}

/**
 * A29: what the last run wrote without a proof comes again, from its beginning on, and the state lists the ids of the overlap only. The others
 * are read from the file that was moved away, or a copy of it: whichever has exactly the committed bytes. Resolves to words for a note.
 * Throws UsageError where there is none.
 */
async function readUnproven(job: OpenJob, state: AppendState): Promise<string[]> {
  const { overlaps, bytes } = state;
  const unproven = new Map([...overlaps].filter(([, { rereadFromMs, idsFromMs }]) => (rereadFromMs ?? idsFromMs) < idsFromMs));
  if (unproven.size === 0) return [];
  const alone = job.identity.columns.includes('qr_id') ? undefined : job.identity.codes[0];
  const rows = { start: Buffer.byteLength(job.begin), end: bytes, signal: job.signal };
  // Nothing was committed to that file: what is not proven is all in those before.
  if (bytes === 0) {
    for (const overlap of unproven.values()) overlap.idsFromMs = knownFrom(overlap);
    return [];
  }
  for (const { path } of await findMoved(job, state)) {
    const isRead = await withFile(job, path, async (there, file) => {
      if (!(await isCommitted(there, file, state))) return false;
      await readRows(file, rows, job.identity, ({ code = alone, id, timeMs }) => {
        const overlap = unproven.get(code ?? '');
        if (overlap && timeMs >= (overlap.rereadFromMs ?? 0)) overlap.ids.set(id, timeMs);
      });
      return true;
    });
    if (!isRead) continue;
    for (const overlap of unproven.values()) overlap.idsFromMs = knownFrom(overlap);
    return [`Rereading scans that the last run could not verify, and skipping those already in ${basename(path)}`];
  }
  throw new UsageError(
    `cannot continue after ${job.paths.file} was rotated: the last run could not be verified as complete, and the rotated file is needed to see which scans it wrote`,
    {
      hint: `No changes were made. For one run, move the rotated file, uncompressed, to the same directory under a name that begins with ${basename(job.paths.file)}.`,
    },
  );
}

/** A25: of a file that was moved away earlier, still only what was listed. */
function knownFrom({ rereadFromMs = Number.NEGATIVE_INFINITY, movedIdsFromMs = Number.NEGATIVE_INFINITY }: CodeOverlap): number {
  return Math.max(rereadFromMs, movedIdsFromMs);
}

/** Hands over the file at `path`, and the job as if that were its place. */
async function withFile<T>(
  job: OpenJob,
  path: string,
  work: (job: OpenJob, file: DiskFile) => Promise<T>,
): Promise<T | undefined> {
  const file = await openTrusted(job.disk, path);
  if (!file) return undefined;
  try {
    return await work({ ...job, paths: { ...job.paths, file: path } }, file);
  } finally {
    await file.close();
  }
}

/**
 * The files beside its place that may be the one that was moved away: first the one with the inode that the state names, since a rename keeps
 * it, then those whose names begin alike. Whether the bytes are the committed ones is checked by whoever asked.
 */
async function findMoved({ disk, paths }: OpenJob, { ino, bytes }: AppendState) {
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
