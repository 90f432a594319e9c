/**
 * A dataset with merged parts is a symbolic link: `lake` leads to `.lake.000003` next to it. Its next state, a generation, is built in a
 * directory of its own, from links to the same files and merged ones; then one rename of the link publishes it. Other users may be able to
 * write to the directory of the link, so everything is looked up relative to directories that are held open (D16).
 */
import { basename, dirname, join, resolve } from 'node:path';
import { UsageError } from '../../base/errors.ts';
import { inShellOr } from '../../base/text/quote.ts';
import { type Disk, type DiskDirectory, ifPresent } from '../../files/durable/disk.ts';
import { inDirectory, isOwn } from '../../files/durable/held-directory.ts';
import { temporaryOf } from '../../files/durable/replace-file.ts';
import { realPath } from '../../files/durable/trusted-file.ts';
import { makeDirectories } from '../../files/durable/write.ts';
import { MANIFEST } from './manifest.ts';
import { isPartition } from './partitions.ts';
import { isPartFile } from './parts.ts';

/** Returns the directory of a generation: hidden, and next to the link, on the same file system. */
export function generationPath(place: string, number: number): string {
  const path = resolve(place);
  return join(dirname(path), `.${basename(path)}.${String(number).padStart(6, '0')}`);
}

/**
 * Returns the generation to which the link at `place` leads; undefined if it does not exist. Throws UsageError if it is not such a link.
 */
export async function publishedGeneration(disk: Disk, place: string): Promise<number | undefined> {
  const path = resolve(place);
  const found = await ifPresent(disk.lstat(path));
  if (!found) return undefined;
  const target = found.isSymbolicLink() ? await disk.readlink(path) : '';
  const number = Number(/\.(\d{6,})$/.exec(target)?.[1]);
  if (target === basename(generationPath(path, number))) return number;
  const [name, first] = [path, generationPath(path, 1)].map((file) => inShellOr('DIR', basename(file)));
  throw new UsageError(
    `cannot merge parts in ${place}: --compact requires a symbolic link, not a directory`,
    {
      hint: `While no process is reading the dataset, run this command once in ${dirname(path)}: \`mv ${name} ${first} && ln -s ${first} ${name}\`.`,
    },
  );
}

/**
 * Ensures that there is a link to a directory at `place`: to an empty one if it did not exist. Throws like `publishedGeneration`, and
 * UsageError if other users could add files to a merge.
 */
export async function ensureGeneration(disk: Disk, place: string): Promise<void> {
  await inDirectory(disk, dirname(place), (parent) => refuseShared(disk, place, parent));
  const shown = await publishedGeneration(disk, place);
  // D14: an error that names another user's link; opening it would only report that it is not a directory.
  if (shown !== undefined) await realPath(disk, place);
  if (shown !== undefined) return inGeneration(disk, place, shown, async () => undefined);
  await createGeneration(disk, place, 1);
  await publishGeneration(disk, place, 1);
}

/** P16: if no directory can be held open, names are reliable only in a directory that other users cannot write to. */
async function refuseShared(disk: Disk, place: string, parent: DiskDirectory): Promise<void> {
  const { uid, mode } = await parent.stat();
  if (parent.isHeld || disk.user() === undefined) return;
  if ([0, disk.user()].includes(uid) && (mode & 0o022) === 0) return;
  throw refusal(
    place,
    `other users can write to ${dirname(place)}, and this system cannot hold a directory open`,
  );
}

/**
 * Runs `work` in the directory of a generation, held open. P16: throws UsageError unless it belongs to this user and no other user can
 * change its entries: all of it is read, and published to the readers of the dataset.
 */
export async function inGeneration<T>(
  disk: Disk,
  place: string,
  number: number,
  work: (directory: DiskDirectory) => Promise<T>,
): Promise<T> {
  const path = generationPath(place, number);
  return inDirectory(disk, path, async (directory) => {
    const { uid } = await directory.stat();
    if (isOwn(disk, await directory.stat())) return work(directory);
    throw refusal(place, `${path} belongs to user ${uid}, or other users can write to it`);
  });
}

const OWN_DIRECTORY =
  'Run the command as the user who owns the dataset. Otherwise, specify an --output-dir in a directory that only you can write to.';

function refusal(place: string, reason: string, hint = OWN_DIRECTORY): UsageError {
  return new UsageError(`cannot merge parts in ${place}: ${reason}`, { hint });
}

/** Creates the empty directory of a generation. Throws UsageError if the name is taken. */
export async function createGeneration(disk: Disk, place: string, number: number): Promise<void> {
  const path = generationPath(place, number);
  const isNew = await inDirectory(disk, dirname(path), ({ at }) => makeDirectories(disk, at(basename(path))));
  // A run that was killed before it created the link leaves the first generation, empty.
  const isEmpty = await inGeneration(disk, place, number, async ({ names }) => (await names()).length === 0);
  if (!isNew && !isEmpty)
    throw refusal(
      place,
      `${path} already exists`,
      'Move it to another directory, then run the same command again.',
    );
}

/** Makes the link lead to a generation that is complete and flushed. */
export async function publishGeneration(disk: Disk, place: string, number: number): Promise<void> {
  const path = resolve(place);
  await inDirectory(disk, dirname(path), async ({ at }) => {
    const temporary = at(basename(temporaryOf(path)));
    await ifPresent(disk.unlink(temporary));
    await disk.symlink(basename(generationPath(path, number)), temporary);
    // P11: one rename changes everything that readers see, so they see one generation or the other.
    await disk.rename(temporary, at(basename(path)));
  });
  await disk.flushDirectory(dirname(path));
}

/** Selects generations to remove. */
export interface Removal {
  isOld(number: number): boolean;
  /** By its manifest, undefined if it has none: it is a generation of this dataset. */
  isOurs(manifest: Buffer | undefined): boolean;
}

/** Removes generations of a killed run, or before the previous one. Files of other users, and other datasets of this user, stay. */
export async function removeGenerations(
  disk: Disk,
  place: string,
  { isOld, isOurs }: Removal,
): Promise<void> {
  await inDirectory(disk, dirname(resolve(place)), async (parent) => {
    for (const name of await parent.names()) {
      const number = Number(/\.(\d{6,})$/.exec(name)?.[1]);
      if (name !== basename(generationPath(place, number)) || !isOld(number)) continue;
      await removeOwn(disk, parent, name, {
        // P16: who may rename directories here can give this name to another dataset of this user.
        check: async (generation) => isOurs(await ifPresent(disk.readFile(generation.at(MANIFEST)))),
        remove: async (generation, entry) => {
          if (isPartition(entry))
            await removeOwn(disk, generation, entry, {
              remove: (partition, file) => removePart(disk, partition, file),
            });
          else if (STATE.includes(entry)) await disk.unlink(generation.at(entry));
        },
      });
    }
  });
}

interface Contents {
  /** Returns whether the directory is to be removed. Rejects if it is not. */
  check?(directory: DiskDirectory): Promise<boolean>;
  remove(directory: DiskDirectory, entry: string): Promise<void>;
}

const STATE = [MANIFEST, basename(temporaryOf(MANIFEST))];

/**
 * Lets `remove` delete the entries of a directory, and deletes it if it is empty. P16: only a directory of this user, not a link, in which
 * no other user can have created the names; each is looked up relative to the open directory, so that one that is swapped meanwhile is not
 * followed.
 */
async function removeOwn(
  disk: Disk,
  above: DiskDirectory,
  name: string,
  { check, remove }: Contents,
): Promise<void> {
  const directory = await disk.openDirectory(above.at(name)).catch(() => undefined);
  if (!directory) return;
  try {
    if (!isOwn(disk, await directory.stat())) return;
    if (check && !(await check(directory).catch(() => false))) return;
    for (const entry of await directory.names()) await remove(directory, entry).catch(() => undefined);
  } finally {
    await directory.close();
  }
  await disk.rmdir(above.at(name)).catch(() => undefined);
}

async function removePart(disk: Disk, partition: DiskDirectory, file: string): Promise<void> {
  const path = partition.at(file);
  if (isPartFile(file) && (await disk.lstat(path)).isFile()) await disk.unlink(path);
}
