/**
 * A dataset whose parts are merged is a link: `lake` leads to `.lake.000003` beside it. The next state of all of it, a generation, is built
 * in a directory of its own, of links to the same files and of merged ones; then one rename of the link shows it in the place of the last.
 */
import { basename, dirname, join, resolve } from 'node:path';
import { type Disk, ifPresent } from '../durable/disk.ts';
import { temporaryOf } from '../durable/replace-file.ts';
import { makeDirectories } from '../durable/write.ts';
import { UsageError } from '../errors.ts';
import { inShellOr } from '../quote.ts';
import { isPartition } from './partitions.ts';

/** The directory of a generation: hidden, and beside the link, on the same file system. */
export function generationPath(place: string, number: number): string {
  const path = resolve(place);
  return join(dirname(path), `.${basename(path)}.${String(number).padStart(6, '0')}`);
}

/** Which generation the link at `place` shows; undefined where nothing stands there. Throws UsageError where it is no such link. */
export async function shownGeneration(disk: Disk, place: string): Promise<number | undefined> {
  const path = resolve(place);
  const found = await ifPresent(disk.lstat(path));
  if (!found) return undefined;
  const target = found.isSymbolicLink() ? await disk.readlink(path) : '';
  const number = Number(/\.(\d{6,})$/.exec(target)?.[1]);
  if (target === basename(generationPath(path, number))) return number;
  const [name, first] = [path, generationPath(path, 1)].map((file) => inShellOr('DIR', basename(file)));
  throw new UsageError(`cannot merge parts in ${place}: it is a directory, and only a link can show others in one step`, {
    hint: `Once, while nobody reads it, in ${dirname(path)}: mv ${name} ${first} && ln -s ${first} ${name}`,
  });
}

/** Makes sure that there is a link to a directory at `place`: an empty one, where there was nothing. Throws as `shownGeneration`. */
export async function ensureGeneration(disk: Disk, place: string): Promise<void> {
  if ((await shownGeneration(disk, place)) !== undefined) return;
  await makeDirectories(disk, generationPath(place, 1));
  await showGeneration(disk, place, 1);
}

/** Makes the link lead to a generation that is whole and flushed. */
export async function showGeneration(disk: Disk, place: string, number: number): Promise<void> {
  const path = resolve(place);
  const temporary = temporaryOf(path);
  await ifPresent(disk.unlink(temporary));
  await disk.symlink(basename(generationPath(path, number)), temporary);
  // P11: one name of all that the readers see changes, so they see all of one generation or all of the other.
  await disk.rename(temporary, path);
  await disk.flushDirectory(dirname(path));
}

/** Removes the generations that `isOld`: of a killed run, or of before the last. What somebody else put there stays. */
export async function removeGenerations(disk: Disk, place: string, isOld: (number: number) => boolean): Promise<void> {
  const parent = dirname(resolve(place));
  for (const name of await disk.readdir(parent)) {
    const number = Number(/\.(\d{6,})$/.exec(name)?.[1]);
    if (name !== basename(generationPath(place, number)) || !isOld(number)) continue;
    const directory = join(parent, name);
    // D14: behind a link there is nothing of a generation.
    if (!(await disk.lstat(directory)).isDirectory()) continue;
    for (const inside of await disk.readdir(directory)) {
      const path = join(directory, inside);
      const isOurs = isPartition(inside) && (await disk.lstat(path)).isDirectory();
      if (!isOurs) await disk.unlink(path).catch(() => undefined);
      else await removeDirectory(disk, path);
    }
    await disk.rmdir(directory).catch(() => undefined);
  }
}

async function removeDirectory(disk: Disk, directory: string): Promise<void> {
  for (const name of await disk.readdir(directory)) await disk.unlink(join(directory, name)).catch(() => undefined);
  await disk.rmdir(directory).catch(() => undefined);
}
