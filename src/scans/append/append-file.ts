import { dirname } from 'node:path';
import { UsageError } from '#base/errors';
import type { Disk } from '#files/durable/disk';
import { acquireLock } from '#files/durable/lock';
import { nodeDisk } from '#files/durable/node-disk';
import { cannotOpen } from '#files/durable/path-errors';
import { refuseMountPoint, temporaryOf } from '#files/durable/replace-file';
import { removeFile } from '#files/durable/trusted-file';
import type { Formatter } from '#files/formats/formatter';
import { type AppendFile, createAppendFile } from './add-rows.ts';
import { nothingCommitted, openCommitted } from './committed-point.ts';
import { readCurrentState } from './current-state.ts';
import { createFileTail } from './file-tail.ts';
import type { AppendRun } from './identity.ts';
import { createOldFile } from './old-rows.ts';
import { lockRealPath, resolvePaths } from './recorded-log.ts';
import { openRotated } from './rotation.ts';

export interface AppendOptions extends AppendRun {
  path: string;
  formatter: Formatter;
  restart?: boolean;
  onWait?: () => void;
  disk?: Disk;
  lock?: typeof acquireLock;
}

/** Locks and opens a log. Unless `restart` is set, refuses a file that differs from its state or the run. */
export async function openAppendFile(options: AppendOptions): Promise<AppendFile> {
  const { path, identity, own, sinceMs, restart = false, disk = nodeDisk } = options;
  const { clock, signal, onWait } = options;
  const { columns, codes, all } = identity;
  if (!columns.includes('qr_id') && (all || codes.length > 1))
    throw new UsageError('--append requires the column qr_id to identify the scans in the file', {
      hint: `Pass --fields ${['qr_id', ...columns].join()}.`,
    });
  const refuse = (error: unknown, task = `append to ${path}`) =>
    Promise.reject(cannotOpen(task, error, options.elsewhere));
  // A7: takes the lock before reading, because another run may be about to commit.
  const take = (real: string) => (options.lock ?? acquireLock)(real, { clock, signal, onWait });
  const { lock } = await lockRealPath(disk, path, take).catch(refuse);
  try {
    const paths = await resolvePaths(disk, path);
    for (const replaced of restart ? [paths.state, paths.file] : [paths.state])
      await refuseMountPoint(disk, replaced);
    const directory = dirname(paths.file);
    await disk.checkWritable(directory).catch((error) => refuse(error, `write to the directory of ${path}`));
    const job = { ...options, disk, paths, restart, begin: options.formatter.begin() };
    const replaced = restart ? (await readCurrentState(job)).state : undefined;
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
    return refuse(error);
  }
}
