/**
 * Implements `--partition-by`: a directory of immutable parts that engines can read at any time, and to which an export adds on every run
 * so that it contains each scan exactly once, however often runs are killed. PROTOCOL.md states the guarantee and its invariants.
 * scans/append/add-rows.ts determines the rows to add, and the time from which the service is read, as for a file.
 */
import { join } from 'node:path';
import { UsageError } from '../../base/errors.ts';
import { formatInstant } from '../../base/time/time.ts';
import { type Disk, ifPresent } from '../../files/durable/disk.ts';
import { removeFile } from '../../files/durable/held-directory.ts';
import { acquireLock, type Lock } from '../../files/durable/lock.ts';
import { nodeDisk } from '../../files/durable/node-disk.ts';
import { cannotOpen } from '../../files/durable/path-errors.ts';
import { RecordProblem, UnknownRecordError } from '../../files/durable/record-file.ts';
import { temporaryOf } from '../../files/durable/replace-file.ts';
import { makeRealDirectories, realPath } from '../../files/durable/trusted-file.ts';
import { OTHER_DIRECTORY } from '../../files/formats/whole-file.ts';
import { type AppendFile, createAppendFile } from '../append/add-rows.ts';
import type { AppendOptions, LogState } from '../append/append-file.ts';
import { UPDATE } from '../append/current-state.ts';
import { type CodeOverlap, readingPositions, withoutGone } from '../append/overlap.ts';
import { checkOwnWorkspace, type Recorded } from '../append/own-workspace.ts';
import {
  type DatasetIdentity,
  datasetDifference,
  MANIFEST,
  type Manifest,
  type Part,
  parseManifest,
} from './manifest.ts';
import type { PartFormatter } from './part-file.ts';
import { createPartTail } from './part-tail.ts';
import { createPartitioner, type Partitioning, partitionEnd } from './partitions.ts';
import {
  datasetRefusal,
  finishParts,
  lossOfParts,
  NEW_DATASET,
  refuseUnknownFiles,
  removedPartitions,
} from './parts.ts';

export interface DatasetOptions extends Omit<AppendOptions, 'path' | 'identity' | 'formatter' | 'restart'> {
  directory: string;
  identity: DatasetIdentity;
  createFormatter(): PartFormatter;
  /** Adds to the existing dataset. Otherwise the directory must be empty, and all parts appear when every code is verified. */
  append: boolean;
  /** What the logs that this run converts to a new dataset recorded per code: where the next append begins. */
  overlaps?: Map<string, CodeOverlap> | undefined;
  /** Maximum number of rows buffered in memory. */
  mostRows?: number;
}

/**
 * Opens the dataset in a directory, exclusively. Throws UsageError, with everything left as it is, if another run uses it, or if it differs
 * from its manifest or from the export of this run. The hint states how to continue.
 */
export async function openDataset(options: DatasetOptions): Promise<AppendFile> {
  const { identity, append, clock, signal, lockWaitMs: waitMs, onWait, disk = nodeDisk } = options;
  const asOpenError = (error: unknown) =>
    cannotOpen(`write the dataset ${options.directory}`, error, OTHER_DIRECTORY);
  try {
    // D14: no file is created or read behind a link that another user made to a file that is not theirs.
    await makeRealDirectories(disk, options.directory);
    // P9: nothing is read before the lock is held.
    const { directory, lock } = await lockDirectory(disk, options.directory, (path) =>
      (options.lock ?? acquireLock)(path, { clock, signal, waitMs, onWait }),
    );
    try {
      // Otherwise the run would fail after it has read everything.
      await disk.checkWritable(directory);
      const found = await readManifest(disk, directory);
      if (found && !append)
        throw datasetRefusal(
          directory,
          'the directory already contains a dataset',
          `Add --append to add new scans to the dataset, or ${OTHER_DIRECTORY}`,
        );
      const recorded = await checkDataset(options, directory, found);
      const known = found?.parts ?? [];
      const { removed, parts } = await withoutRemoved({ disk, directory, parts: known });
      await refuseUnknownFiles({ disk, directory, parts, format: identity.format });
      await finishParts({ disk, directory, parts });
      // P4: also the leftover of a manifest: a run without new rows writes none, and so would not replace it.
      await removeFile(disk, temporaryOf(join(directory, MANIFEST)));
      const keptFromMs = endOfRemoved(known, removed, identity.partition);
      if (keptFromMs !== undefined)
        options.note?.(
          `${removed.join(', ')} ${removed.length === 1 ? 'was' : 'were'} deleted. Scans before ${formatInstant(keptFromMs)} are not exported again`,
        );
      const committed = {
        overlaps: found?.overlaps ?? options.overlaps ?? new Map(),
        // P10: the first run's lower bound, not this one's; P15: or the end of the deleted partitions.
        sinceMs: keptFromMs ?? (found ? found.sinceMs : options.sinceMs),
        // P15: a state that records it is written even if there are no new rows.
        isSaved: keptFromMs === undefined && !recorded.isRenewed,
        proof: undefined,
      };
      const tail = createPartTail({
        ...options,
        ...committed,
        workspace: recorded.workspace,
        disk,
        directory,
        parts,
        next: found?.next ?? 1,
      });
      return createAppendFile({ ...options, path: directory, restart: !append, committed, tail, lock });
    } catch (error) {
      await lock.release();
      throw error;
    }
  } catch (error) {
    throw asOpenError(error);
  }
}

/** P7: throws UsageError unless the dataset is of this workspace and export; resolves to the workspace for the next manifest. */
async function checkDataset(
  { identity, own }: Pick<DatasetOptions, 'identity' | 'own'>,
  directory: string,
  found: Manifest | undefined,
): Promise<Recorded> {
  if (!found) return { workspace: await own.workspace.record(), isRenewed: true };
  const recorded = await checkOwnWorkspace(directory, found, own, OTHER_DIRECTORY);
  const { overlaps } = found;
  const difference = datasetDifference(
    withoutGone(found.identity, overlaps),
    withoutGone(identity, overlaps),
  );
  if (difference)
    throw datasetRefusal(directory, `it ${difference.reason}`, `${difference.wayOn}, or ${OTHER_DIRECTORY}`);
  return recorded;
}

async function withoutRemoved(job: Parameters<typeof removedPartitions>[0]) {
  const removed = await removedPartitions(job);
  return { removed, parts: job.parts.filter(({ partition }) => !removed.includes(partition)) };
}

/** Returns the end of the newest deleted partition, ms since the epoch: it is later than the lower bound with which its rows were exported. */
function endOfRemoved(
  parts: readonly Part[],
  removed: readonly string[],
  partition: Partitioning,
): number | undefined {
  const last = parts.find((part) => part.partition === removed.at(-1));
  return last && partitionEnd(createPartitioner(partition), last.newestMs);
}

/** Locks the directory to which the name leads. */
async function lockDirectory(disk: Disk, place: string, lockFile: (path: string) => Promise<Lock>) {
  for (;;) {
    const directory = await realPath(disk, place);
    const lock = await lockFile(join(directory, MANIFEST));
    // D14: the name may lead to another directory by now, whose lock is not held.
    if ((await realPath(disk, place)) === directory) return { directory, lock };
    await lock.release();
  }
}

/** Returns the manifest of a dataset; undefined if there is none. Throws UsageError if it can't be read. Locks and repairs nothing. */
async function readManifest(disk: Disk, directory: string): Promise<Manifest | undefined> {
  const bytes = await ifPresent(disk.readFile(join(directory, MANIFEST)));
  if (!bytes) return undefined;
  try {
    return parseManifest(bytes);
  } catch (error) {
    if (!(error instanceof RecordProblem)) throw error;
    // P6: parts that a lost manifest listed may be missing from the directory, so it is not rebuilt from them.
    const wayOn = error instanceof UnknownRecordError ? UPDATE : `Restore it from a backup, ${NEW_DATASET}`;
    throw datasetRefusal(directory, `its ${MANIFEST} ${error.message}`, wayOn);
  }
}

/**
 * Returns where the next run would begin, from the manifest, without locking or repairing. Maps the ID of a code to its lower bound (ms
 * since the epoch).
 */
export async function readDatasetPositions(
  directory: string,
  overlapMs: number,
  untilMs = Number.POSITIVE_INFINITY,
  disk: Disk = nodeDisk,
): Promise<Map<string, number>> {
  const saved = await readManifest(disk, directory);
  return saved ? readingPositions(saved, overlapMs, untilMs) : new Map();
}

/** Returns the manifest of a dataset; undefined if there is none, or if it cannot be read. Locks and repairs nothing. */
export function readDatasetState(directory: string, disk: Disk = nodeDisk): Promise<Manifest | undefined> {
  return readManifest(disk, directory).catch(() => undefined);
}

/**
 * Returns what the manifest of a dataset records about its rows, without those of deleted partitions, and the `fault` by which an append would refuse
 * its files; undefined if there is no usable manifest. Locks and repairs nothing.
 */
export async function inspectDataset(
  directory: string,
  disk: Disk = nodeDisk,
): Promise<(LogState & { fault: string | undefined }) | undefined> {
  const found = await readDatasetState(directory, disk);
  if (!found) return undefined;
  const { identity } = found;
  const { removed, parts } = await withoutRemoved({ disk, directory, parts: found.parts });
  const fault = await refuseUnknownFiles({ disk, directory, parts, format: identity.format }).then(
    () => undefined,
    (error: unknown) => (error instanceof UsageError ? error.message : Promise.reject(error)),
  );
  const sinceMs = endOfRemoved(found.parts, removed, identity.partition) ?? found.sinceMs;
  return { ...found, sinceMs, rotated: [], fault };
}

/**
 * Returns where a dataset begins, from its manifest: ms since the epoch, -Infinity for the first scan of all. Undefined if no manifest
 * records it, and if a part is not among the files at `paths`. Locks and repairs nothing.
 */
export async function readDatasetBeginning(
  directory: string,
  paths: ReadonlySet<string>,
  disk: Disk = nodeDisk,
): Promise<number | undefined> {
  const saved = await readDatasetState(directory, disk);
  if (!saved?.parts.every(({ partition, name }) => paths.has(join(directory, partition, name))))
    return undefined;
  return saved.sinceMs ?? Number.NEGATIVE_INFINITY;
}

/**
 * Returns why rows that the manifest of a dataset records are missing for readers: a reason after the path of the dataset. Undefined if all are there,
 * apart from the oldest partitions, which may be deleted (P15). Nothing is locked or changed.
 */
export async function lossOfDataset(name: string, disk: Disk = nodeDisk): Promise<string | undefined> {
  const directory = await realPath(disk, name);
  const bytes = await ifPresent(disk.readFile(join(directory, MANIFEST)));
  if (!bytes) return undefined;
  try {
    const { parts } = await withoutRemoved({ disk, directory, parts: parseManifest(bytes).parts });
    return await lossOfParts({ disk, directory, parts, areListed: true });
  } catch (error) {
    if (error instanceof RecordProblem) return `its ${MANIFEST} ${error.message}`;
    throw error;
  }
}
