/** Whether `--append` keeps a file, for runs without the flag, and how such a run replaces it all the same. */
import { dirname } from 'node:path';
import { type Disk, nodeDisk } from '../durable/disk.ts';
import { removeFile } from '../durable/held-directory.ts';
import { systemCode } from '../durable/path-errors.ts';
import { UsageError } from '../errors.ts';
import { resolvePaths } from './append-file.ts';
import { STATE_BEGINS } from './sealed.ts';

/**
 * The state beside a file that `--append` keeps, whole or damaged; undefined where none is there, or another program's file. Nothing is
 * locked or changed.
 */
export async function findState(file: string, disk: Disk = nodeDisk): Promise<string | undefined> {
  try {
    const { state } = await resolvePaths(disk, file);
    const bytes = await disk.readFile(state);
    return bytes.subarray(0, STATE_BEGINS.length).toString() === STATE_BEGINS ? state : undefined;
  } catch (error) {
    // What can't be opened is told by whoever writes there.
    if (error instanceof UsageError || systemCode(error) !== undefined) return undefined;
    throw error;
  }
}

/** Forgets what was committed to a file, for good, right before another takes its place: killed in between, it is worked out from the file. */
export async function removeState(file: string, disk: Disk = nodeDisk): Promise<void> {
  const state = await findState(file, disk);
  if (state === undefined) return;
  // A32: for good, before the rename that follows.
  await removeFile(disk, state);
  await disk.flushDirectory(dirname(state));
}
