import { join } from 'node:path';
import { errorOf, UsageError } from '#base/errors';
import { formatInstant } from '#base/time/time';
import { type Disk, ifPresent } from '#files/durable/disk';
import { acquireLock } from '#files/durable/lock';
import { nodeDisk } from '#files/durable/node-disk';
import { cannotOpen } from '#files/durable/path-errors';
import { RecordProblem, UnknownRecordError } from '#files/durable/record-file';
import { temporaryOf } from '#files/durable/replace-file';
import { makeRealDirectories, realPath, removeFile } from '#files/durable/trusted-file';
import type { Formatter } from '#files/formats/formatter';
import { OTHER_DIRECTORY } from '#files/formats/whole-file';
import { type AppendFile, createAppendFile } from '#scans/append/add-rows';
import type { AppendOptions } from '#scans/append/append-file';
import { refusal, UPDATE } from '#scans/append/current-state';
import { checkOwnExport } from '#scans/append/identity';
import type { CodeOverlap } from '#scans/append/overlap';
import { countUnread, type LogState, lockRealPath } from '#scans/append/recorded-log';
import {
  createPartitioner,
  type DatasetIdentity,
  MANIFEST,
  type Manifest,
  parseManifest,
  partitionEnd,
} from './manifest.ts';
import { createPartTail } from './part-tail.ts';
import { finishParts, lossOfParts, NEW_DATASET, refuseUnknownFiles, removedPartitions } from './parts.ts';

export interface DatasetOptions extends Omit<AppendOptions, 'path' | 'identity' | 'formatter' | 'restart'> {
  directory: string;
  identity: DatasetIdentity;
  createFormatter(): Formatter;
  /** If false, the directory must contain no data, and parts appear when the run ends. */
  append: boolean;
  overlaps?: Map<string, CodeOverlap>;
  mostRows?: number;
}

/** Locks and opens a dataset. Throws UsageError if manifest, files and run don't match. */
export async function openDataset(options: DatasetOptions): Promise<AppendFile> {
  const { identity, append, disk = nodeDisk } = options;
  try {
    await makeRealDirectories(disk, options.directory);
    // P9: takes the lock before it reads anything.
    const { clock, signal, onWait, lock: takeLock = acquireLock } = options;
    const { real: directory, lock } = await lockRealPath(disk, options.directory, (real) =>
      takeLock(join(real, MANIFEST), { clock, signal, onWait }),
    );
    try {
      await disk.checkWritable(directory);
      const found = await readManifest(directory, disk);
      if (found && !append)
        throw refusal(
          directory,
          'the directory already contains a dataset',
          `Add --append to add new scans to the dataset, or ${OTHER_DIRECTORY}`,
        );
      const recorded = found
        ? await checkOwnExport(directory, found, { ...options, elsewhere: OTHER_DIRECTORY }, refusal)
        : { workspace: await options.own.workspace.record(), isRenewed: true };
      const listed = found ?? { parts: [], identity };
      const { removed, parts, endMs: keptFromMs } = await withoutRemoved(disk, directory, listed);
      await refuseUnknownFiles({ disk, directory, parts, format: identity.format });
      await finishParts({ disk, directory, parts });
      // P4: also removes a temporary manifest, because a run without new rows writes none.
      await removeFile(disk, temporaryOf(join(directory, MANIFEST)));
      if (keptFromMs !== undefined)
        options.note?.(
          `${removed.join(', ')} ${removed.length === 1 ? 'was' : 'were'} deleted. Scans before ${formatInstant(keptFromMs)} are not exported again`,
        );
      const committed = {
        overlaps: found?.overlaps ?? options.overlaps ?? new Map(),
        // P10, P15: keeps the first run's bound, or begins at the end of deleted partitions.
        sinceMs: keptFromMs ?? (found ? found.sinceMs : options.sinceMs),
        isSaved: keptFromMs === undefined && !recorded.isRenewed,
      };
      const { workspace } = recorded;
      const next = found?.next ?? 1;
      const tail = createPartTail({ ...options, ...committed, workspace, disk, directory, parts, next });
      return createAppendFile({ ...options, path: directory, restart: !append, committed, tail, lock });
    } catch (error) {
      await lock.release();
      throw error;
    }
  } catch (error) {
    throw cannotOpen(`write the dataset ${options.directory}`, error, OTHER_DIRECTORY);
  }
}

/** P15: returns the deleted partitions, their end in ms, and the remaining parts. */
async function withoutRemoved(
  disk: Disk,
  directory: string,
  { parts: known, identity }: Pick<Manifest, 'parts' | 'identity'>,
) {
  const removed = await removedPartitions({ disk, directory, parts: known });
  const last = known.find(({ partition }) => partition === removed.at(-1));
  return {
    removed,
    parts: known.filter(({ partition }) => !removed.includes(partition)),
    endMs: last && partitionEnd(createPartitioner(identity.partition), last.newestMs),
  };
}

/** Reads the manifest, if any. Throws UsageError if it is damaged or unknown. */
export async function readManifest(directory: string, disk: Disk = nodeDisk): Promise<Manifest | undefined> {
  const bytes = await ifPresent(disk.readFile(join(directory, MANIFEST)));
  if (!bytes) return undefined;
  try {
    return parseManifest(bytes);
  } catch (error) {
    if (!(error instanceof RecordProblem)) throw error;
    // P6: refuses a damaged manifest, because parts don't show which other parts it listed.
    const wayOn = error instanceof UnknownRecordError ? UPDATE : `Restore it from a backup, ${NEW_DATASET}`;
    throw refusal(directory, `its ${MANIFEST} ${error.message}`, wayOn);
  }
}

export function readDatasetState(directory: string, disk: Disk = nodeDisk): Promise<Manifest | undefined> {
  return readManifest(directory, disk).catch(() => undefined);
}

export async function inspectDataset(
  directory: string,
): Promise<(LogState & { fault?: string }) | undefined> {
  const disk = nodeDisk;
  const found = await readDatasetState(directory);
  if (!found) return undefined;
  const { format } = found.identity;
  const { parts, endMs } = await withoutRemoved(disk, directory, found);
  const fault = await errorOf(refuseUnknownFiles({ disk, directory, parts, format }), UsageError);
  return { ...found, sinceMs: endMs ?? found.sinceMs, rotated: [], fault: fault?.message };
}

/** Returns, if known, when a dataset begins (-Infinity: first scan) and how many codes are unread. */
export async function readDatasetExtent(
  directory: string,
  paths: ReadonlySet<string>,
  disk: Disk = nodeDisk,
) {
  const saved = await readDatasetState(directory, disk);
  if (!saved) return {};
  const isKnown = saved.parts.every(({ partition, name }) => paths.has(join(directory, partition, name)));
  return { beginsMs: isKnown ? (saved.sinceMs ?? -Infinity) : undefined, unread: countUnread(saved) };
}

/** Describes a damaged manifest or the first lost part, if any. Ignores deleted partitions (P15). */
export async function lossOfDataset(name: string): Promise<string | undefined> {
  const disk = nodeDisk;
  const directory = await realPath(disk, name);
  const bytes = await ifPresent(disk.readFile(join(directory, MANIFEST)));
  if (!bytes) return undefined;
  try {
    const { parts } = await withoutRemoved(disk, directory, parseManifest(bytes));
    return await lossOfParts({ disk, directory, parts }, true);
  } catch (error) {
    if (error instanceof RecordProblem) return `its ${MANIFEST} ${error.message}`;
    throw error;
  }
}
