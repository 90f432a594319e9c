import { basename, dirname, join } from 'node:path';
import { systemCode, UsageError } from '#base/errors';
import { type Disk, ifPresent } from '#files/durable/disk';
import { acquireLock } from '#files/durable/lock';
import { nodeDisk } from '#files/durable/node-disk';
import { cannotOpen } from '#files/durable/path-errors';
import { DamagedRecordError, RecordProblem } from '#files/durable/record-file';
import { refuseMountPoint, temporaryOf } from '#files/durable/replace-file';
import { realPath, removeFile } from '#files/durable/trusted-file';
import type { Formatter } from '#files/formats/formatter';
import { type AppendFile, createAppendFile } from './add-rows.ts';
import { nothingCommitted, openCommitted } from './committed-point.ts';
import { type AppendPaths, readCurrentState, refusal } from './current-state.ts';
import { createFileTail } from './file-tail.ts';
import type { AppendIdentity, AppendRun } from './identity.ts';
import { createOldFile } from './old-rows.ts';
import { isRotated } from './overlap.ts';
import { openRotated } from './rotation.ts';
import { type AppendState, parseState } from './state.ts';

export interface AppendOptions extends AppendRun {
  path: string;
  formatter: Formatter;
  restart?: boolean;
  onWait?: () => void;
  disk?: Disk;
  lock?: typeof acquireLock;
}

/** Opens a file under its lock. Throws UsageError without changes if file, state and run differ. */
export async function openAppendFile(options: AppendOptions): Promise<AppendFile> {
  const { path, identity, own, sinceMs, restart = false, disk = nodeDisk } = options;
  const { clock, signal, onWait } = options;
  checkIdentity(identity);
  const asOpenError = (error: unknown) => cannotOpen(`append to ${path}`, error, options.elsewhere);
  const paths = await resolvePaths(disk, path).catch((error) => Promise.reject(asOpenError(error)));
  for (const replaced of restart ? [paths.state, paths.file] : [paths.state])
    await refuseMountPoint(disk, replaced);
  await disk.checkWritable(dirname(paths.file)).catch((error) => {
    throw cannotOpen(`write to the directory of ${path}`, error, options.elsewhere);
  });
  // A7: takes the lock first, because another run may be about to commit.
  const lock = await (options.lock ?? acquireLock)(paths.file, { clock, signal, onWait });
  try {
    const job = { ...options, disk, paths, restart, begin: options.formatter.begin() };
    // D14: the path may lead to another file after the wait.
    if ((await resolvePaths(disk, path)).file !== paths.file)
      throw refusal(
        path,
        'the path now points to a different file than when the run started',
        'Run the same command again',
      );
    const found = restart ? await readCurrentState(job) : undefined;
    const replaced = found instanceof DamagedRecordError ? undefined : found;
    const committed = restart
      ? nothingCommitted(await own.workspace.record(), sinceMs)
      : await (options.rotated ? openRotated : openCommitted)(job);
    for (const leftover of [paths.restart, temporaryOf(paths.state)]) await removeFile(disk, leftover);
    const old = restart ? createOldFile(job, replaced) : undefined;
    return createAppendFile({
      ...job,
      path: paths.file,
      committed,
      replaced: replaced?.overlaps,
      tail: createFileTail({ ...job, committed, old }),
      lock,
    });
  } catch (error) {
    await lock.release();
    throw asOpenError(error);
  }
}

/** Reads a state without a lock; undefined if missing or damaged. */
export async function readLogState(file: string, disk: Disk = nodeDisk): Promise<AppendState | undefined> {
  try {
    const { state } = await resolvePaths(disk, file);
    return parseState(await disk.readFile(state));
  } catch (error) {
    if (error instanceof RecordProblem || systemCode(error) !== undefined) return undefined;
    throw error;
  }
}

/** Returns when a log begins, ms since the epoch (-Infinity: first scan); undefined if unknown. */
export async function readBeginning(file: string, disk: Disk = nodeDisk): Promise<number | undefined> {
  const saved = await readLogState(file, disk);
  const there = await ifPresent(disk.lstat(await realPath(disk, file)));
  if (!saved || !there || there.size < saved.bytes) return undefined;
  return isRotated(saved.overlaps) ? undefined : (saved.sinceMs ?? -Infinity);
}

export type LogState = Pick<AppendState, 'workspace' | 'identity' | 'sinceMs' | 'rotated' | 'overlaps'>;

function checkIdentity({ columns, codes, all }: AppendIdentity): void {
  if (columns.includes('qr_id') || !(all || codes.length > 1)) return;
  throw new UsageError('--append requires the column qr_id to identify the scans in the file', {
    hint: `Pass --fields ${['qr_id', ...columns].join()}.`,
  });
}

/** Returns the paths of an append. Throws UsageError if `path` is not a regular file. */
export async function resolvePaths(disk: Disk, path: string): Promise<AppendPaths> {
  const file = await realPath(disk, path);
  const found = await ifPresent(disk.lstat(file));
  if (found && !found.isFile()) throw new UsageError(`cannot append to ${path}: it is not a regular file`);
  return { file, state: `${file}.state.json`, restart: join(dirname(file), `.${basename(file)}.restart`) };
}
