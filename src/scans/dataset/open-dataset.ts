/**
 * Implements `--partition-by`: a directory of immutable parts that engines can read at any time, and to which each run adds new scans. PROTOCOL.md
 * states the guarantee. As for a file, scans/append/add-rows.ts determines the rows to add.
 */
import { join } from 'node:path';
import { UsageError } from '../../base/errors.ts';
import { formatInstant } from '../../base/time/time.ts';
import { type Disk, ifPresent } from '../../files/durable/disk.ts';
import { acquireLock, type Lock } from '../../files/durable/lock.ts';
import { nodeDisk } from '../../files/durable/node-disk.ts';
import { cannotOpen } from '../../files/durable/path-errors.ts';
import { RecordProblem, UnknownRecordError } from '../../files/durable/record-file.ts';
import { temporaryOf } from '../../files/durable/replace-file.ts';
import { makeRealDirectories, realPath, removeFile } from '../../files/durable/trusted-file.ts';
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
  /** Adds to an existing dataset. Otherwise the directory must be empty, and all parts appear at the end. */
  append: boolean;
  /** Positions from the logs that this run converts. */
  overlaps?: Map<string, CodeOverlap> | undefined;
  mostRows?: number;
}

/**
 * Opens the dataset in a directory, exclusively. Throws UsageError, with everything unchanged, if another run uses it, or if it differs from its
 * manifest or from this run.
 */
export async function openDataset(options: DatasetOptions): Promise<AppendFile> {
  const { identity, append, clock, signal, lockWaitMs: waitMs, onWait, disk = nodeDisk } = options;
  const asOpenError = (error: unknown) =>
    cannotOpen(`write the dataset ${options.directory}`, error, OTHER_DIRECTORY);
  try {
    await makeRealDirectories(disk, options.directory);
    // P9: nothing is read before the lock is held.
    const { directory, lock } = await lockDirectory(disk, options.directory, (path) =>
      (options.lock ?? acquireLock)(path, { clock, signal, waitMs, onWait }),
    );
    try {
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
      // P4: also a leftover of the manifest, which a run without new rows does not replace.
      await removeFile(disk, temporaryOf(join(directory, MANIFEST)));
      const keptFromMs = endOfRemoved(known, removed, identity.partition);
      if (keptFromMs !== undefined)
        options.note?.(
          `${removed.join(', ')} ${removed.length === 1 ? 'was' : 'were'} deleted. Scans before ${formatInstant(keptFromMs)} are not exported again`,
        );
      const committed = {
        overlaps: found?.overlaps ?? options.overlaps ?? new Map(),
        // P10, P15: the first run's lower bound, or the end of the deleted partitions.
        sinceMs: keptFromMs ?? (found ? found.sinceMs : options.sinceMs),
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

/** P7: throws UsageError unless the dataset is of this workspace and export. */
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

/** Returns the end of the newest deleted partition, ms since the epoch. */
function endOfRemoved(
  parts: readonly Part[],
  removed: readonly string[],
  partition: Partitioning,
): number | undefined {
  const last = parts.find((part) => part.partition === removed.at(-1));
  return last && partitionEnd(createPartitioner(partition), last.newestMs);
}

async function lockDirectory(disk: Disk, place: string, lockFile: (path: string) => Promise<Lock>) {
  for (;;) {
    const directory = await realPath(disk, place);
    const lock = await lockFile(join(directory, MANIFEST));
    // D14: the name may lead to another directory by now, whose lock is not held.
    if ((await realPath(disk, place)) === directory) return { directory, lock };
    await lock.release();
  }
}

/** Returns the manifest; undefined if there is none. Throws UsageError if it can't be read. */
async function readManifest(disk: Disk, directory: string): Promise<Manifest | undefined> {
  const bytes = await ifPresent(disk.readFile(join(directory, MANIFEST)));
  if (!bytes) return undefined;
  try {
    return parseManifest(bytes);
  } catch (error) {
    if (!(error instanceof RecordProblem)) throw error;
    // P6: the parts do not show which others a lost manifest listed.
    const wayOn = error instanceof UnknownRecordError ? UPDATE : `Restore it from a backup, ${NEW_DATASET}`;
    throw datasetRefusal(directory, `its ${MANIFEST} ${error.message}`, wayOn);
  }
}

/** Returns where the next run would begin: maps the ID of a code to its lower bound, ms since the epoch. Locks nothing. */
export async function readDatasetPositions(
  directory: string,
  overlapMs: number,
  untilMs = Number.POSITIVE_INFINITY,
  disk: Disk = nodeDisk,
): Promise<Map<string, number>> {
  const saved = await readManifest(disk, directory);
  return saved ? readingPositions(saved, overlapMs, untilMs) : new Map();
}

/** Returns the manifest; undefined if there is none, or if it can't be read. Locks nothing. */
export function readDatasetState(directory: string, disk: Disk = nodeDisk): Promise<Manifest | undefined> {
  return readManifest(disk, directory).catch(() => undefined);
}

/**
 * Returns the state of a dataset without deleted partitions, and the `fault` for which an append would refuse it; undefined if there is no usable
 * manifest. Locks nothing.
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
 * Returns where a dataset begins, ms since the epoch (-Infinity: at the first scan of all). Undefined if no manifest records it, or if a part is not
 * among `paths`. Locks nothing.
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
 * Returns why recorded rows are missing for readers: a reason after the path of the dataset. Undefined if all are there, apart from deleted
 * partitions (P15). Locks nothing.
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
