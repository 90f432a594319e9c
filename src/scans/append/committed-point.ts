import { basename } from 'node:path';
import { capitalize, countOf } from '#base/text/quote';
import { formatInstant } from '#base/time/time';
import { type DiskFile, readPieces } from '#files/durable/disk';
import { openTrusted } from '#files/durable/trusted-file';
import { truncateTo } from '#files/durable/write';
import type { RecordedWorkspace } from '#service/workspace';
import {
  lossOf,
  type OpenJob,
  orRestart,
  readCurrentState,
  refusal,
  refuseRotated,
} from './current-state.ts';
import { beginsAs, createFileHash, type FileHash, hashFile } from './file-hash.ts';
import { checkOwnExport, type Recorded } from './identity.ts';
import { isRotated } from './overlap.ts';
import { countUncommittedRows, type OwnershipProof, readAt, rebuild } from './read-back.ts';
import { UnrecognizedRowError } from './row-parsers.ts';
import { type AppendState, hasStamp } from './state.ts';

export interface CommittedPoint
  extends Pick<AppendState, 'bytes' | 'workspace' | 'overlaps' | 'rotated' | 'sinceMs'> {
  file?: DiskFile;
  hash: FileHash;
  isSaved: boolean;
  isUntouched: boolean;
  stateHasStamp: boolean;
  proof?: OwnershipProof;
}

export function nothingCommitted(workspace: RecordedWorkspace, sinceMs: number | undefined): CommittedPoint {
  return {
    bytes: 0,
    hash: createFileHash(),
    workspace,
    overlaps: new Map(),
    rotated: [],
    sinceMs,
    isSaved: false,
    isUntouched: false,
    stateHasStamp: false,
  };
}

/** Opens a log at its last commit, rebuilds a lost state, or refuses the log with UsageError. */
export async function openCommitted(job: OpenJob): Promise<CommittedPoint> {
  const { state, damage } = await readCurrentState(job);
  if (!state) return openWithoutState(job, damage);
  return openWithState(job, state, await checkOwnExport(job.paths.file, state, job, refusal));
}

async function openWithState(
  job: OpenJob,
  state: AppendState,
  { workspace, isRenewed }: Recorded,
): Promise<CommittedPoint> {
  // A18: keeps the lower bound of the first run, because the log still begins there.
  const { bytes, overlaps, rotated, sinceMs } = state;
  const known = { rotated, isSaved: true, stateHasStamp: state.stamp !== undefined };
  const file = await openTrusted(job.disk, job.paths.file);
  if (!file) {
    if (bytes === 0) return { ...nothingCommitted(workspace, sinceMs), overlaps, ...known };
    throw refusal(
      job.paths.file,
      lossOf(undefined, bytes),
      'If log rotation moved it, add --rotated to continue in a new file. If not, restore the file, or add --restart to export everything again',
    );
  }
  try {
    const stat = await file.stat();
    if (stat.size < bytes) {
      const wayOn = rebuildIfOlder('file', job, state, restore(job.paths.file));
      throw refusal(job.paths.file, lossOf(stat.size, bytes), wayOn);
    }
    // A19: rereads only the last block if the stamp shows that the file is untouched.
    const isUntouched = state.stamp !== undefined && stat.size === bytes && hasStamp(stat, state.stamp);
    const hash = await checkedHash(job, file, state, isUntouched);
    if (stat.size > bytes) await truncateUncommitted(job, file, state, stat.size);
    const point = { ...nothingCommitted(workspace, sinceMs), file, bytes, hash, overlaps, ...known };
    return { ...point, isUntouched: isUntouched && !isRenewed };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Hashes the committed bytes. Throws UsageError if the hash is not the recorded one. */
export async function checkedHash(
  { paths, signal }: Pick<OpenJob, 'paths' | 'signal'>,
  file: DiskFile,
  state: AppendState,
  isUntouched: boolean,
): Promise<FileHash> {
  const { bytes, blocks } = state;
  const hash = await hashFile(file, bytes, isUntouched ? blocks : undefined, signal);
  const isSame =
    blocks === undefined
      ? await beginsAs(state, readPieces(file, 0, bytes, signal))
      : hash.digests().sha256 === state.sha256;
  if (!isSame) throw refusal(paths.file, lossOf(bytes, bytes), capitalize(restore(paths.file)));
  return hash;
}

function rebuildIfOlder(
  which: string,
  { paths }: OpenJob,
  { identity, overlaps }: AppendState,
  other: string,
): string {
  const { format, dialect } = identity;
  if (isRotated(overlaps) || (format === 'csv' && !dialect.header)) return capitalize(other);
  return `If the ${which} is an older copy, delete ${basename(paths.state)}. The next run rebuilds it and reads new scans; \`qrctl scans verify\` with --repair adds others. If not, ${other}`;
}

function restore(file: string): string {
  return `restore the file from a backup, ${orRestart(file)}`;
}

/** A4: truncates data after the last commit if a stopped run left it. Throws for other data. */
export async function truncateUncommitted(
  job: OpenJob,
  file: DiskFile,
  state: AppendState,
  size: number,
): Promise<void> {
  const { bytes, stamp } = state;
  const unrecognizedData = () => {
    const wayOn = `move everything after byte ${bytes} to another file, ${orRestart(job.paths.file)}`;
    return refusal(
      job.paths.file,
      `data after the last commit (${countOf(size - bytes, 'byte')} from byte ${bytes}) was not written by this export`,
      rebuildIfOlder('state file', job, state, wayOn),
    );
  };
  // A20: after a run that left a stamp, only another program can have added data.
  if (stamp) throw unrecognizedData();
  if (bytes === 0) await refuseUnrecognized(job, file, size);
  const start = Math.min(Math.max(bytes, Buffer.byteLength(job.begin)), size);
  const rows = await countUncommittedRows(file, { start, end: size, signal: job.signal }, job.identity);
  if (rows === undefined) throw unrecognizedData();
  await truncateTo(file, bytes);
  job.warn?.(
    `${basename(job.paths.file)}: removed ${countOf(size - bytes, 'byte')} that a stopped run left after the last commit (${countOf(rows, 'complete row')})`,
  );
}

/** A17: throws unless the file begins as a stopped first run would have left it. */
async function refuseUnrecognized(job: OpenJob, file: DiskFile, size: number): Promise<void> {
  const expected = Buffer.from(job.begin || '{');
  const found = await readAt(file, 0, Math.min(expected.length, size));
  if (!found.every((byte, i) => byte === expected[i] || byte === 0))
    throw refusal(
      job.paths.file,
      'the file was not written by this export',
      `Move it to another directory, ${orRestart(job.paths.file)}`,
    );
}

async function openWithoutState(job: OpenJob, damage: Error | undefined): Promise<CommittedPoint> {
  const workspace = await job.own.workspace.record();
  const lost = damage
    ? `its state file ${damage.message}`
    : `its state file (${basename(job.paths.state)}) is missing`;
  const file = await openTrusted(job.disk, job.paths.file);
  const size = (await file?.stat())?.size ?? 0;
  if (!file || size === 0) {
    if (damage) {
      const wayOn = 'Restore both files from a backup, or add --restart to export everything again';
      throw refusal(job.paths.file, `${lost}, and the file is ${file ? 'empty' : 'missing'}`, wayOn);
    }
    return { ...nothingCommitted(workspace, job.sinceMs), file };
  }
  try {
    await refuseRotated(job);
    const { bytes, overlaps, oldestMs, proof } = await rebuild({ ...job, file, size });
    const begin = oldestMs === undefined ? '' : `, whose oldest scan is dated ${formatInstant(oldestMs)}`;
    job.note?.(`${basename(job.paths.file)}: ${lost}. Rebuilt the state from the file${begin}`);
    if (bytes < size)
      job.warn?.(
        `${basename(job.paths.file)}: the incomplete last row (${countOf(size - bytes, 'byte')}) will be removed`,
      );
    // A44: the file may lack older scans, so the log begins at the earlier of its oldest row and `sinceMs`.
    const sinceMs = oldestMs === undefined ? job.sinceMs : Math.min(job.sinceMs ?? oldestMs, oldestMs);
    const hash = await hashFile(file, bytes, undefined, job.signal);
    return { ...nothingCommitted(workspace, sinceMs), file, bytes, hash, overlaps, proof };
  } catch (error) {
    await file.close();
    if (!(error instanceof UnrecognizedRowError)) throw error;
    throw refusal(
      job.paths.file,
      `${lost} and cannot be rebuilt because the file has ${error.message}`,
      `Restore ${basename(job.paths.state)} from a backup, pass the codes and flags used to write the file, ${orRestart(job.paths.file)}`,
      error,
    );
  }
}
