/** The parts of a dataset in their directories: what a stopped run left of them is finished or removed, and what is not ours is refused. */

import { join } from 'node:path';
import type { AppendIdentity } from '../append/identity.ts';
import { type Disk, ifPresent } from '../durable/disk.ts';
import { inDirectory } from '../durable/held-directory.ts';
import { temporaryOf } from '../durable/replace-file.ts';
import { realPath } from '../durable/trusted-file.ts';
import { UsageError } from '../errors.ts';
import { countOf, formatCount } from '../text/quote.ts';
import { MANIFEST, type Part } from './manifest.ts';
import { isPartition } from './partitions.ts';

/** A refusal to touch the dataset; `reason` goes on from "cannot add to DIR: ", `wayOn` is a sentence without its period. */
export function datasetRefusal(directory: string, reason: string, wayOn: string): UsageError {
  return new UsageError(`cannot add to the dataset ${directory}: ${reason}`, { hint: `No changes were made. ${wayOn}.` });
}

/** The last way on, where the dataset is not what was committed. */
export const NEW_DATASET = 'or export into a new --output-dir to replace this dataset';

interface Job {
  disk: Disk;
  directory: string;
  parts: readonly Part[];
}

/** Names that engines pass over. */
const HIDDEN = /^[._]/;
/** What a part is called while it is written. */
const LEFTOVER = /^\.part-\d+\.[a-z]+\.partial$/;
/** What it is called then. */
const PART = /^part-\d+\.(csv|ndjson|parquet)$/;

/** Whether a name is one that a part has, or had while it was written. */
export function isPartFile(name: string): boolean {
  return PART.test(name) || LEFTOVER.test(name);
}

/** Throws UsageError where the directory is not what the manifest says: a reader would see other rows than those of this export. */
export async function refuseForeign({ disk, directory, parts, format }: Job & Pick<AppendIdentity, 'format'>): Promise<void> {
  const known = byPartition(parts);
  const names = await disk.readdir(directory);
  for (const name of names) {
    if (HIDDEN.test(name)) continue;
    // P5: engines read whatever lies there.
    if (!isPartition(name))
      throw datasetRefusal(
        directory,
        `it contains ${name}, which is not part of this export`,
        `Move ${name} out of the directory`,
      );
    for (const file of await disk.readdir(join(directory, name))) {
      if (HIDDEN.test(file) || known.get(name)?.has(file)) continue;
      const isLost = parts.length === 0;
      const reason = isLost ? `it has no ${MANIFEST} and contains` : 'it contains';
      throw datasetRefusal(
        directory,
        `${reason} ${name}/${file}, which is not part of this export (${format})`,
        isLost ? `Restore ${MANIFEST} from a backup, ${NEW_DATASET}` : 'Move that file out of the directory',
      );
    }
  }
  for (const { partition, name, bytes } of parts) {
    const path = join(directory, partition, name);
    // P3: of the last commit it may still stand under its temporary name.
    const found = (await ifPresent(disk.lstat(path))) ?? (await ifPresent(disk.lstat(temporaryOf(path))));
    const restore = `Restore that file from a backup, ${NEW_DATASET}`;
    if (!found) throw datasetRefusal(directory, `${partition}/${name} is missing`, restore);
    // P5: what was cut or written to is no longer what was proven.
    if (found.size !== bytes)
      throw datasetRefusal(
        directory,
        `${partition}/${name} has ${countOf(found.size, 'byte')} instead of ${formatCount(bytes)}`,
        restore,
      );
  }
}

/**
 * The partitions, oldest first, that somebody deleted to keep no more than they want: all parts of them are gone, and they are older than all that
 * is there. One that is gone from the midst was not deleted for its age; nor was all of a dataset.
 */
export async function removedPartitions({ disk, directory, parts }: Job): Promise<string[]> {
  const names = [...byPartition(parts)].sort(([one], [other]) => (one < other ? -1 : 1));
  const removed: string[] = [];
  for (const [partition, files] of names) {
    const there = await ifPresent(disk.readdir(join(directory, partition)));
    // P15: also under the name that a part has before it is claimed.
    if (there?.some((name) => files.has(name) || LEFTOVER.test(name))) return removed;
    removed.push(partition);
  }
  return [];
}

/** P3, P4: gives the parts that the manifest claims their names, and removes what was written and never claimed. */
export async function finishParts({ disk, directory, parts }: Job): Promise<void> {
  const known = byPartition(parts);
  for (const partition of (await disk.readdir(directory)).filter(isPartition)) {
    const named = join(directory, partition);
    // D14: a partition may be kept elsewhere, but not by another's link to what is not theirs.
    const place = (await disk.lstat(named)).isSymbolicLink() ? await realPath(disk, named) : named;
    let renamed = false;
    // D16: nothing is removed or renamed but in this directory.
    await inDirectory(disk, place, async ({ at, names }) => {
      for (const name of (await names()).filter((name) => LEFTOVER.test(name))) {
        const part = name.slice(1, -'.partial'.length);
        renamed ||= known.get(partition)?.has(part) === true;
        if (known.get(partition)?.has(part)) await disk.rename(at(name), at(part));
        else await disk.unlink(at(name));
      }
    });
    if (renamed) await disk.flushDirectory(place);
  }
}

function byPartition(parts: readonly Part[]): Map<string, Set<string>> {
  const known = new Map<string, Set<string>>();
  for (const { partition, name } of parts) {
    const names = known.get(partition) ?? new Set();
    known.set(partition, names.add(name));
  }
  return known;
}
