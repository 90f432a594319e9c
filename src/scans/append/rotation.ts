/** Continues a log after its rotation. A new empty file, as from logrotate's `create`, counts as missing. */
import { basename, dirname, join } from 'node:path';
import { UsageError } from '#base/errors';
import { type DiskFile, ifPresent, readPieces } from '#files/durable/disk';
import { openTrusted, withTrusted } from '#files/durable/trusted-file';
import { decompress } from '#files/formats/read/input-bytes';
import {
  type CommittedPoint,
  checkedHash,
  nothingCommitted,
  openCommitted,
  truncateUncommitted,
} from './committed-point.ts';
import {
  type Copy,
  listCopies,
  type OpenJob,
  readCurrentState,
  refusal,
  refuseRotated,
} from './current-state.ts';
import { beginsAs } from './file-hash.ts';
import { checkOwnExport } from './identity.ts';
import { rotatedOf, withRotated } from './log-range.ts';
import type { CodeOverlap } from './overlap.ts';
import { readRows } from './read-back.ts';
import type { AppendState } from './state.ts';

export async function openRotated(job: OpenJob): Promise<CommittedPoint> {
  const { state } = await readCurrentState(job);
  if (!state) {
    await refuseLostState(job);
    return openCommitted(job);
  }
  const file = await openTrusted(job.disk, job.paths.file);
  try {
    const there = await file?.stat();
    if (!there || there.size === 0) {
      const isSame = there && `${there.ino}` === state.ino;
      if (isSame) await refuseEmptied(job, state);
      if (state.bytes > 0 || (state.ino !== undefined && !isSame))
        return await continueInNewFile(job, state, file);
    }
  } catch (error) {
    await file?.close();
    throw error;
  }
  await file?.close();
  return openCommitted(job);
}

/** A28: refuses a nonempty file whose state is lost, because the rows in rotated files are unknown. */
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

/** A33: refuses a file that was emptied in place, unless it certainly lost no row. */
async function refuseEmptied(job: OpenJob, state: AppendState): Promise<void> {
  const { file } = job.paths;
  const { mtimeNs } = await job.disk.lstat(job.paths.state);
  const copies = await listCopies(job);
  if (state.bytes === 0 && !copies.some(({ stat }) => stat.mtimeNs >= mtimeNs)) return;
  if (state.stamp) for (const copy of copies) if (await hasCommitted(job, copy, state)) return;
  throw refusal(
    file,
    'the file was emptied in place, as copytruncate of logrotate does, and its copies may lack rows',
    `Copy the newest copy back to ${basename(file)}, uncompressed, then set create instead of copytruncate. If you have its rows elsewhere, delete ${basename(file)} to continue in a new file`,
  );
}

async function hasCommitted(
  { disk, signal }: OpenJob,
  { path, log, stat }: Copy,
  state: AppendState,
): Promise<boolean> {
  if (log.packing !== undefined && log.packing !== 'gz') return false;
  const begins = withTrusted(disk, path, (file) => {
    const pieces = readPieces(file, 0, stat.size, signal);
    return beginsAs(state, log.packing === 'gz' ? decompress(pieces, path) : pieces);
  });
  return begins.then(Boolean, (error) => {
    if (error instanceof UsageError) return false;
    throw error;
  });
}

async function continueInNewFile(
  job: OpenJob,
  state: AppendState,
  file: DiskFile | undefined,
): Promise<CommittedPoint> {
  const { workspace } = await checkOwnExport(job.paths.file, state, job, refusal);
  const known = await settleRotated(job, state);
  job.note?.([`${basename(job.paths.file)} was rotated. Continuing in a new file`, ...known].join('. '));
  return {
    ...nothingCommitted(workspace, state.sinceMs),
    file,
    overlaps: new Map([...state.overlaps].map(([code, overlap]) => [code, afterRotation(overlap)])),
    // A41: records the rotated file, because it may be archived or deleted later.
    rotated: withRotated(state.rotated, rotatedOf(state)),
  };
}

function afterRotation(overlap: CodeOverlap): CodeOverlap {
  const { watermarkMs, idsFromMs, movedUntilMs = -Infinity } = overlap;
  if (watermarkMs === undefined) return { ...overlap, rows: 0 };
  return {
    ...overlap,
    rows: 0,
    movedUntilMs: Math.max(watermarkMs, movedUntilMs),
    movedIdsFromMs: idsFromMs,
  };
}

/** A26: removes rows that a stopped run left in a rotated file. A29: reads the IDs of unverified rows. */
async function settleRotated(job: OpenJob, state: AppendState): Promise<string[]> {
  const { overlaps, bytes, stamp } = state;
  const { identity, signal } = job;
  const unverified = new Map(
    [...overlaps].filter(([, { rereadFromMs, idsFromMs }]) => (rereadFromMs ?? idsFromMs) < idsFromMs),
  );
  const isRead = unverified.size > 0 && bytes > 0;
  // A24: a stamp shows that the file ends as recorded, so only unverified rows need to be read.
  const path = isRead || !stamp ? await findRotated(job, state) : '';
  if (path === undefined) throw missing(job, state);
  const settle = async (file: DiskFile) => {
    const there = { ...job, paths: { ...job.paths, file: path } };
    await checkedHash(there, file, state, false);
    if (!stamp) {
      const { size } = await file.stat();
      if (size > bytes) await truncateUncommitted(there, file, state, size);
      await file.sync();
    }
    if (isRead) {
      const rows = { start: Buffer.byteLength(job.begin), end: bytes, signal };
      await readRows(file, rows, identity, ({ code, id, timeMs }) => {
        const overlap = unverified.get(code ?? '');
        if (overlap && timeMs >= (overlap.rereadFromMs ?? 0)) overlap.ids.set(id, timeMs);
      });
    }
    return true;
  };
  if (path !== '' && !(await withTrusted(job.disk, path, settle))) throw missing(job, state);
  for (const overlap of unverified.values())
    overlap.idsFromMs = Math.max(overlap.rereadFromMs ?? -Infinity, overlap.movedIdsFromMs ?? -Infinity);
  return isRead
    ? [`Rereading scans that the last run could not verify, and skipping those already in ${basename(path)}`]
    : [];
}

async function findRotated(
  { disk, paths }: OpenJob,
  { ino, bytes }: AppendState,
): Promise<string | undefined> {
  const directory = dirname(paths.file);
  for (const name of await disk.readdir(directory)) {
    const path = join(directory, name);
    const stat = await ifPresent(disk.lstat(path));
    if (stat?.isFile() && `${stat.ino}` === ino && stat.size >= bytes) return path;
  }
  return undefined;
}

function missing({ paths }: OpenJob, { stamp }: AppendState): UsageError {
  const reason = stamp ? 'could not be verified as complete' : 'was stopped';
  return new UsageError(
    `cannot continue after ${paths.file} was rotated: the last run ${reason}, and the rotated file is needed to find the rows of that run`,
    {
      hint: `No changes were made. Move the rotated file back to ${basename(paths.file)}, uncompressed, and run the command once. In logrotate, set delaycompress and omit olddir.`,
    },
  );
}
