/** Detects whether `--append` keeps a file, for runs without the flag, and lets such a run replace it. */
import { dirname } from 'node:path';
import { UsageError } from '../../base/errors.ts';
import type { Disk } from '../../files/durable/disk.ts';
import { removeFile } from '../../files/durable/held-directory.ts';
import { nodeDisk } from '../../files/durable/node-disk.ts';
import { systemCode } from '../../files/durable/path-errors.ts';
import { hasState } from '../../files/formats/kept-file.ts';
import { resolvePaths } from './append-file.ts';

/**
 * Returns the state next to a file that `--append` keeps, complete or damaged; undefined if there is none, or if it is another program's file. Locks
 * and changes nothing.
 */
export async function findState(file: string, disk: Disk = nodeDisk): Promise<string | undefined> {
  try {
    const paths = await resolvePaths(disk, file);
    return (await hasState(disk, paths.file)) ? paths.state : undefined;
  } catch (error) {
    // The writer reports a file that can't be opened.
    if (error instanceof UsageError || systemCode(error) !== undefined) return undefined;
    throw error;
  }
}

/** Durably removes the state of a file right before another file takes its place: after a kill in between, the state is rebuilt from the file. */
export async function removeState(file: string, disk: Disk = nodeDisk): Promise<void> {
  const state = await findState(file, disk);
  if (state === undefined) return;
  // A32: durably, before the rename that follows.
  await removeFile(disk, state);
  await disk.flushDirectory(dirname(state));
}
