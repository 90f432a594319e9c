/** The start of an append: whatever the last run left behind, find the committed point, or refuse and say how to go on. */
import { basename, dirname } from 'node:path';
import { type Disk, type DiskFile, ifPresent } from '../durable/disk.ts';
import { openTrusted } from '../durable/trusted-file.ts';
import { UsageError } from '../errors.ts';
import { createFileHash, type FileHash, hashFile, plainDigest } from './file-hash.ts';
import { hasStamp } from './file-stamp.ts';
import { type AppendIdentity, differenceOf } from './identity.ts';
import type { CodeOverlap } from './overlap.ts';
import { countUncommittedRows, ForeignRowError, type OwnershipProof, rebuild } from './read-back.ts';
import { StateProblem, UnknownStateError } from './sealed.ts';
import { type AppendState, parseState } from './state.ts';

export interface AppendPaths {
  /** The real file, links followed, so that its state stands beside it whatever name it is reached by. */
  file: string;
  state: string;
  /** Where `--restart` builds the new file: beside its place. */
  restart: string;
}

/** A refusal to touch the file; `reason` goes on from "cannot append to FILE: ". */
export function refusal(file: string, reason: string, cause?: unknown): UsageError {
  return new UsageError(`cannot append to ${file}: ${reason}`, {
    hint: 'Nothing was changed. Put the file and its state back as they were, or add --restart to export it from the beginning.',
    cause,
  });
}

/** A file at its committed point. */
export interface CommittedPoint {
  /** Open and cut to `bytes`; undefined where there is none yet. */
  file: DiskFile | undefined;
  bytes: number;
  /** Of those bytes; goes on with what is appended. */
  hash: FileHash;
  overlaps: Map<string, CodeOverlap>;
  sinceMs: number | undefined;
  /** A state stands on the disk and says the same. */
  saved: boolean;
  /** The file is known to be as that state left it, by its stamp. */
  untouched: boolean;
  /** That state has a stamp, if only of how the file was once. */
  stateHasStamp: boolean;
  /** Set where the state was lost: what the service must show before rows are added. */
  proof: OwnershipProof | undefined;
}

export interface OpenJob {
  disk: Disk;
  paths: AppendPaths;
  identity: AppendIdentity;
  /** What the formatter writes before the first row. */
  begin: string;
  overlapMs: number;
  /** For a first run, or one whose state was lost. */
  sinceMs: number | undefined;
  signal?: AbortSignal | undefined;
  /** Told what a person may want to know, a sentence at a time. */
  note?: ((line: string) => void) | undefined;
  /** Told what nobody may miss: bytes that go. */
  warn?: ((line: string) => void) | undefined;
}

type StateJob = Pick<OpenJob, 'disk' | 'paths' | 'signal'>;

/** An export from the beginning: nothing committed, nothing on the disk. */
export function nothingCommitted(sinceMs: number | undefined): CommittedPoint {
  const nothing = { file: undefined, bytes: 0, hash: createFileHash(), overlaps: new Map(), proof: undefined };
  return { ...nothing, sinceMs, saved: false, untouched: false, stateHasStamp: false };
}

/**
 * Finds the committed point; the caller holds the lock. Throws UsageError, leaving everything as it is, when the file is not
 * what its state says or not what this run would write.
 */
export async function openCommitted(job: OpenJob): Promise<CommittedPoint> {
  const state = await readCurrentState(job);
  if (!state || state instanceof StateProblem) return openWithoutState(job, state);
  refuseDifference(job, state);
  return openWithState(job, state);
}

/** A6: a run that would write something else would make it a file of two kinds. */
export function refuseDifference({ paths, identity }: OpenJob, state: AppendState): void {
  const difference = differenceOf(state.identity, identity);
  if (difference) throw refusal(paths.file, `it ${difference}`);
}

/** The state, after a `--restart` that was stopped while it took its place has taken it. */
export async function readCurrentState(job: StateJob): Promise<AppendState | StateProblem | undefined> {
  const state = await readState(job);
  if (state && !(state instanceof StateProblem) && state.replacing) await finishReplacing(job, state);
  return state;
}

async function readState({ disk, paths }: StateJob): Promise<AppendState | StateProblem | undefined> {
  const bytes = await ifPresent(disk.readFile(paths.state));
  if (!bytes) return undefined;
  try {
    return parseState(bytes);
  } catch (error) {
    if (error instanceof StateProblem) return error;
    // A16: not worked out again from the file, as a damaged one is.
    throw error instanceof UnknownStateError ? refusal(paths.file, error.message, error) : error;
  }
}

/** A8: a `--restart` was stopped between its two renames: the state is the new one, the file may still be the old one. */
async function finishReplacing({ disk, paths, signal }: StateJob, state: AppendState): Promise<void> {
  const rebuilt = await ifPresent(disk.open(paths.restart, 'r+'));
  if (!rebuilt) {
    // The second rename happened, but a power cut may still undo it, and must not find rows in the file by then.
    await disk.flushDirectory(dirname(paths.file));
    return;
  }
  try {
    const { size } = await rebuilt.stat();
    // Not what the state describes: a later --restart was stopped while it was writing. The file itself will be checked.
    if (size !== state.bytes || (await hashFile(rebuilt, size, undefined, signal)).digests().sha256 !== state.sha256) return;
  } finally {
    await rebuilt.close();
  }
  await disk.rename(paths.restart, paths.file);
  // The name must be there for good before rows are committed to it.
  await disk.flushDirectory(dirname(paths.file));
}

async function openWithState(job: OpenJob, state: AppendState): Promise<CommittedPoint> {
  // A18: the first run's lower bound, not this one's.
  const { bytes, overlaps, sinceMs } = state;
  const known = { saved: true, stateHasStamp: state.stamp !== undefined };
  const file = await openTrusted(job.disk, job.paths.file);
  if (!file) {
    // A first run stopped between its first state and the file is no loss; a file with rows that is gone was moved away.
    if (bytes === 0) return { ...nothingCommitted(sinceMs), overlaps, ...known };
    throw new UsageError(
      `cannot append to ${job.paths.file}: it is gone, but its state says that ${bytes} bytes of it were written`,
      {
        hint: 'Nothing was changed. Add --rotated if it was moved away on purpose: a new file goes on where it ended. Else put it back, or add --restart to export it from the beginning.',
      },
    );
  }
  try {
    const stat = await file.stat();
    // A6: byte for byte what was committed, or nothing is touched.
    if (stat.size < bytes)
      throw refusal(job.paths.file, `it was cut: ${stat.size} bytes are left of the ${bytes} that were written`);
    // A19: what nobody touched is not read again, but for the last block.
    const untouched = state.stamp !== undefined && stat.size === bytes && hasStamp(stat, state.stamp);
    const hash = await checkedHash(job, file, state, untouched);
    if (stat.size > bytes) await cutOff(job, file, state, stat.size);
    return { file, bytes, hash, overlaps, sinceMs, ...known, untouched, proof: undefined };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** The hash of the committed bytes. Throws UsageError where they are not those that the state describes. */
export async function checkedHash(
  { paths, signal }: OpenJob,
  file: DiskFile,
  state: AppendState,
  untouched: boolean,
): Promise<FileHash> {
  const { bytes, sha256, blocks } = state;
  const hash = await hashFile(file, bytes, untouched ? blocks : undefined, signal);
  const found = blocks === undefined ? await plainDigest(file, bytes, signal) : hash.digests().sha256;
  if (found !== sha256) throw refusal(paths.file, 'it was edited or replaced since the last run');
  return hash;
}

/**
 * A4: what a stopped run wrote and did not commit is cut off. No flush: the next commit flushes the file before it claims anything. What
 * is certainly not that is refused, and what goes is told.
 */
export async function cutOff(job: OpenJob, file: DiskFile, { bytes, stamp }: AppendState, size: number): Promise<void> {
  const theirs = `${size - bytes} bytes after the last commit (at ${bytes}) were not written by this export`;
  // A20: the last run was through and left nothing there.
  if (stamp) throw refusal(job.paths.file, theirs);
  if (bytes === 0) await refuseForeign(job, file, size);
  const start = Math.min(Math.max(bytes, Buffer.byteLength(job.begin)), size);
  const rows = await countUncommittedRows(file, { start, end: size, signal: job.signal }, job.identity);
  // A21: somebody wrote behind what a stopped run left.
  if (rows === undefined) throw refusal(job.paths.file, theirs);
  await file.truncate(bytes);
  job.warn?.(
    `${basename(job.paths.file)}: ${size - bytes} bytes after the last commit (${rows} whole rows), left by a stopped run, were cut off`,
  );
}

/** A17: with nothing committed, what stands there is cut off whole: it must be the beginning that a stopped first run wrote. */
async function refuseForeign(job: OpenJob, file: DiskFile, size: number): Promise<void> {
  const expected = Buffer.from(job.begin || '{');
  const found = Buffer.alloc(Math.min(expected.length, size));
  await file.read(found, 0, found.length, 0);
  // A power cut may leave the length and zeros in place of what was not flushed.
  if (!found.every((byte, i) => byte === expected[i] || byte === 0))
    throw refusal(job.paths.file, 'it was not written by this export');
}

async function openWithoutState(job: OpenJob, problem: StateProblem | undefined): Promise<CommittedPoint> {
  const lost = problem ? `its state ${problem.message}` : `it has no state (${basename(job.paths.state)})`;
  const file = await openTrusted(job.disk, job.paths.file);
  const size = (await file?.stat())?.size ?? 0;
  if (!file || size === 0) {
    if (problem) throw refusal(job.paths.file, `${lost}, and the file is ${file ? 'empty' : 'gone'}`);
    return { ...nothingCommitted(job.sinceMs), file };
  }
  try {
    const { bytes, overlaps, oldestMs, proof } = await rebuild({ ...job, file, size });
    job.note?.(`${basename(job.paths.file)}: ${lost}; it was worked out again from the file`);
    if (bytes < size) job.warn?.(`${basename(job.paths.file)}: its last ${size - bytes} bytes, a torn row, will be cut off`);
    const sinceMs = job.sinceMs === undefined ? undefined : Math.min(job.sinceMs, oldestMs ?? job.sinceMs);
    const hash = await hashFile(file, bytes, undefined, job.signal);
    return { ...nothingCommitted(sinceMs), file, bytes, hash, overlaps, proof };
  } catch (error) {
    await file.close();
    if (!(error instanceof ForeignRowError)) throw error;
    throw refusal(job.paths.file, `${lost}, and it cannot be worked out from the file: ${error.message}`, error);
  }
}
