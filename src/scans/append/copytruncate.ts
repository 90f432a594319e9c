/**
 * Handles `--rotated` after logrotate's `copytruncate`: the file was copied and then emptied in place. A run may have been killed before its first
 * commit, so that no state records its rows in the copy. Or a run may have added rows between the two steps, so that the copy lacks them.
 */
import { basename } from 'node:path';
import { UsageError } from '../../base/errors.ts';
import { countOf } from '../../base/text/quote.ts';
import { type DiskFile, readPieces } from '../../files/durable/disk.ts';
import { withTrusted } from '../../files/durable/trusted-file.ts';
import { decompress } from '../../files/formats/read/input-bytes.ts';
import { type CommittedPoint, isCommitted, type OpenJob, truncateUncommitted } from './committed-point.ts';
import { beginsAs, hashFile } from './file-hash.ts';
import { withRotated } from './log-range.ts';
import { type CodeOverlap, contentsOf, emptyOverlap, overlapOf } from './overlap.ts';
import { readRows, rebuild } from './read-back.ts';
import { type Copy, listCopies } from './rotated-copies.ts';
import { type SavedRow, UnrecognizedRowError } from './row-parsers.ts';
import type { AppendState } from './state.ts';

/**
 * A33: adds the IDs of the rows that a run wrote before it was killed without a commit. The IDs are read from the copy, and an incomplete row is
 * truncated there. Throws UsageError if a copy can't be read.
 */
export async function addCopiedIds(job: OpenJob, committed: CommittedPoint): Promise<void> {
  try {
    const state = await job.disk.lstat(job.paths.state);
    for (const { path, log, stat } of await listCopies(job)) {
      // Changed before the state was written, and so before the last run began.
      if (stat.mtimeNs < state.mtimeNs) continue;
      // A compressed copy can't be read here.
      if (log.packing !== undefined) throw unreadable(job, path);
      await withTrusted(job.disk, path, (file) => addIdsOf(job, committed, path, file));
    }
  } catch (error) {
    await committed.file?.close();
    throw error;
  }
}

async function addIdsOf(
  job: OpenJob,
  committed: CommittedPoint,
  path: string,
  file: DiskFile,
): Promise<void> {
  const { size } = await file.stat();
  const begin = Buffer.from(job.begin);
  const found = Buffer.alloc(Math.min(begin.length, size));
  await file.read(found, 0, found.length, 0);
  // Another export, or something else.
  if (!begin.subarray(0, found.length).equals(found)) return;
  const rows: SavedRow[] = [];
  const stretch = { start: found.length, end: size, strict: true, signal: job.signal };
  const end =
    size < begin.length
      ? 0
      : await readRows(file, stretch, job.identity, (row) => rows.push(row)).catch((error) => {
          throw error instanceof UnrecognizedRowError ? unreadable(job, path) : error;
        });
  const alone = job.identity.columns.includes('qr_id') ? undefined : job.identity.codes[0];
  const newestMs: Record<string, number> = {};
  for (const { code = alone ?? '', id, timeMs } of rows) {
    overlapOf(committed.overlaps, code).ids.set(id, timeMs);
    newestMs[code] = Math.max(newestMs[code] ?? timeMs, timeMs);
  }
  await truncateIncomplete(job, path, file, end);
  if (rows.length === 0) return;
  // A41: the copy is a rotated file, although no state recorded its rows.
  const { sha256 } = (await hashFile(file, end, undefined, job.signal)).digests();
  committed.rotated = withRotated(committed.rotated, { bytes: end, sha256, newestMs });
  job.note?.(`Skipping ${countOf(rows.length, 'row')} from a stopped run (already in ${basename(path)})`);
}

async function truncateIncomplete(job: OpenJob, path: string, file: DiskFile, end: number): Promise<void> {
  const { size } = await file.stat();
  if (end >= size) return;
  await file.truncate(end);
  await file.sync();
  job.warn?.(
    `${basename(path)}: removed an incomplete row (${countOf(size - end, 'byte')}) that a stopped run left at the end`,
  );
}

function unreadable({ paths }: OpenJob, copy: string): UsageError {
  return new UsageError(
    `cannot append to ${paths.file}: the file was emptied after a stopped run, and ${copy} can't be checked for rows of that run`,
    {
      hint: `No changes were made. Decompress or repair ${basename(copy)}. If it has no rows of that run, move it to another directory.`,
    },
  );
}

/** The part of a state that describes the rows of its file. */
type CopiedState = Pick<AppendState, 'bytes' | 'sha256' | 'overlaps'>;

/**
 * A36: finds the rows of a file that was emptied in place. Resolves to the state if a copy has exactly the committed bytes. If the newest copy has only
 * the beginning of them, resolves to the state of the file as it was copied, from which the run reads on. Throws UsageError if neither is the case.
 */
export async function findCopiedRows(job: OpenJob, state: AppendState): Promise<CopiedState> {
  // Only a stopped run may have left other rows.
  if (state.stamp && contentsOf(state.overlaps).rows === 0) return state;
  const copies = await listCopies(job);
  for (const copy of copies) if (await isWholeCopy(job, copy, state)) return state;
  const [newest] = copies;
  const part =
    newest && (await withTrusted(job.disk, newest.path, (file) => readPart(job, newest, file, state)));
  if (part) return part;
  const file = basename(job.paths.file);
  const way = newest?.log.packing === undefined ? 'Move' : `Decompress ${basename(newest.path)}, or move`;
  throw new UsageError(
    `cannot continue after ${job.paths.file} was emptied: no copy in the same directory has all of its rows`,
    {
      hint: `No changes were made. ${way} the copy of ${file} back to the same directory. If you have its rows elsewhere, delete ${file} to continue in a new file.`,
    },
  );
}

async function isWholeCopy(job: OpenJob, { path, log, stat }: Copy, state: AppendState): Promise<boolean> {
  const isWhole = await withTrusted(job.disk, path, async (file) => {
    if (log.packing !== undefined)
      return log.packing === 'gz' && state.stamp !== undefined && hasCommitted(job, path, file, state);
    const there = { ...job, paths: { ...job.paths, file: path } };
    if (stat.size < state.bytes || !(await isCommitted(there, file, state))) return false;
    // A26: as in a file that was moved.
    if (!state.stamp) await truncateRest(there, file, state);
    return true;
  });
  return isWhole === true;
}

/** Returns whether the compressed file begins with the bytes that a state describes. */
async function hasCommitted(
  { signal }: OpenJob,
  path: string,
  file: DiskFile,
  state: AppendState,
): Promise<boolean> {
  const { size } = await file.stat();
  try {
    return await beginsAs(state, decompress(readPieces(file, 0, size, signal), path));
  } catch (error) {
    if (error instanceof UsageError) return false;
    throw error;
  }
}

/** A26: truncates what a stopped run left in the rotated file or a copy after its last commit, before a state records that its rows end there. */
export async function truncateRest(job: OpenJob, file: DiskFile, state: AppendState): Promise<void> {
  const { size } = await file.stat();
  if (size > state.bytes) await truncateUncommitted(job, file, state, size);
  // Also if the last run truncated them and was stopped before it wrote the state.
  await file.sync();
}

/** Returns the state of a copy if it is the beginning of the committed bytes. */
async function readPart(
  job: OpenJob,
  { path, log }: Copy,
  file: DiskFile,
  state: AppendState,
): Promise<CopiedState | undefined> {
  const { size } = await file.stat();
  if (log.packing !== undefined || size >= state.bytes) return undefined;
  const found = await rebuild({ ...job, identity: state.identity, file, size }).catch((error) => {
    if (error instanceof UnrecognizedRowError) return undefined;
    throw error;
  });
  if (!found || !isBeginning(found.overlaps, state)) return undefined;
  await truncateIncomplete(job, path, file, found.bytes);
  const lacking = contentsOf(state.overlaps).rows - contentsOf(found.overlaps).rows;
  job.warn?.(
    `${basename(path)} was copied before the last run ended and lacks ${countOf(lacking, 'scan')}. Reading the missing scans again. ` +
      'Scans that arrived late may still be missing: compare the log with `qrctl scans verify`',
  );
  const { bytes } = found;
  const { sha256 } = (await hashFile(file, bytes, undefined, job.signal)).digests();
  const overlaps = [...state.overlaps].map(([code, overlap]) => {
    return [code, asCopied(overlap, found.overlaps.get(code), job.overlapMs)] as const;
  });
  return { bytes, sha256, overlaps: new Map(overlaps) };
}

/** Returns whether these rows may be the beginning of the file that a state describes: a copy of an earlier rotation has no row after that rotation. */
function isBeginning(found: ReadonlyMap<string, CodeOverlap>, { overlaps }: AppendState): boolean {
  let isLater = false;
  for (const [code, { ids, watermarkMs = Number.NEGATIVE_INFINITY }] of found) {
    const overlap = overlaps.get(code);
    if (!overlap) return false;
    for (const [id, timeMs] of ids) if (timeMs >= overlap.idsFromMs && !overlap.ids.has(id)) return false;
    isLater ||= watermarkMs > (overlap.movedUntilMs ?? Number.NEGATIVE_INFINITY);
  }
  return isLater;
}

/** Returns the overlap of a code as it was when the file had these rows: of rows in earlier files, the IDs in the state stay known. */
function asCopied(overlap: CodeOverlap, copy = emptyOverlap(), overlapMs: number): CodeOverlap {
  const { movedUntilMs = Number.NEGATIVE_INFINITY, movedIdsFromMs = Number.NEGATIVE_INFINITY } = overlap;
  const knownFromMs = Math.min(movedIdsFromMs, movedUntilMs + 1);
  // A25: the next run reads no row of earlier files whose ID is no longer known.
  const readMs = Math.min(knownFromMs + overlapMs, overlap.watermarkMs ?? Number.NEGATIVE_INFINITY);
  const watermarkMs = Math.max(copy.watermarkMs ?? Number.NEGATIVE_INFINITY, readMs);
  return {
    ...overlap,
    rows: copy.rows,
    watermarkMs: watermarkMs === Number.NEGATIVE_INFINITY ? undefined : watermarkMs,
    ids: new Map([...[...overlap.ids].filter(([, timeMs]) => timeMs <= movedUntilMs), ...copy.ids]),
    idsFromMs: Math.max(copy.idsFromMs, knownFromMs),
  };
}
