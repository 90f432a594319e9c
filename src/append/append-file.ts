/**
 * A file that an export adds to, run after run, so that each scan stands in it exactly once however often runs are killed.
 *
 * Rows may be handed over as often as one likes: those the file has are dropped here. See append-open.ts for how a run finds
 * its committed point, append-writer.ts for how rows become durable, append-state.ts for what is kept beside the file.
 */

import { type Disk, ifPresent, nodeDisk, temporaryOf } from '../durable/disk.ts';
import { acquireLock } from '../durable/lock.ts';
import type { Clock } from '../time.ts';
import { createWriter } from './commit.ts';
import { emptyFile, openCommitted, readSettledState, resolvePaths } from './open.ts';
import { checkIdentity, inWords } from './refusals.ts';
import { type AppendFile, type AppendFormatter, createAppendFile } from './rows.ts';
import type { AppendIdentity } from './state.ts';

export { type AppendFile, appendSink } from './rows.ts';
export type { AppendIdentity } from './state.ts';

export interface AppendOptions {
  path: string;
  identity: AppendIdentity;
  formatter: AppendFormatter;
  /** How far before the watermark each run reads again, ms. */
  overlapMs: number;
  /** Lower bound of a first run, ms since the epoch. Later runs keep the first run's. */
  sinceMs: number | undefined;
  /** Build the file anew beside its place; `commit` puts it there. */
  restart?: boolean;
  clock: Clock;
  signal?: AbortSignal;
  /** How long to wait for another run on the same file, and what to do when that begins; see acquireLock. */
  lockWaitMs?: number;
  onWait?: () => void;
  /** Told what a person may want to know: bytes that were cut off, a state that was worked out again. */
  note?: (line: string) => void;
  disk?: Disk;
  lock?: typeof acquireLock;
}

/**
 * Opens `path` for appending, alone. Throws UsageError, leaving everything as it is, when another run holds the file or it is
 * not what its state says or not what this run would write; the hint says how to go on.
 */
export async function openAppendFile(options: AppendOptions): Promise<AppendFile> {
  const { path, identity, sinceMs, clock, signal, lockWaitMs: waitMs, onWait, restart = false, disk = nodeDisk } = options;
  checkIdentity(path, identity);
  const paths = await resolvePaths(disk, path).catch((error) => Promise.reject(inWords(error, path, true)));
  const lock = await (options.lock ?? acquireLock)(paths.file, { clock, signal, waitMs, onWait });
  try {
    const job = { ...options, disk, paths, restart, begin: options.formatter.begin() };
    if (restart) await readSettledState(job);
    const committed = restart ? emptyFile(sinceMs) : await openCommitted(job);
    // Of a run that was killed: a --restart that was not done, a state that had not taken its place. Nothing in them is needed.
    for (const leftover of [paths.restart, temporaryOf(paths.state)]) await ifPresent(disk.unlink(leftover));
    return createAppendFile({ ...job, path: paths.file, committed, writer: createWriter({ ...job, committed }), lock });
  } catch (error) {
    await lock.release();
    throw inWords(error, path, true);
  }
}
