import { dirname } from 'node:path';
import { UsageError } from '#base/errors';
import type { Disk } from '#files/durable/disk';
import { acquireLock } from '#files/durable/lock';
import { nodeDisk } from '#files/durable/node-disk';
import { cannotOpen } from '#files/durable/path-errors';
import { refuseMountPoint, temporaryOf } from '#files/durable/replace-file';
import { removeFile } from '#files/durable/trusted-file';
import type { Formatter } from '#files/formats/formatter';
import type { DatasetIdentity } from '#scans/dataset/manifest';
import type { DatasetOptions } from '#scans/dataset/open-dataset';
import type { ScanRun } from '#scans/scan-run';
import type { Service } from '#service/service';
import { type AppendFile, createAppendFile } from './add-rows.ts';
import { nothingCommitted, openCommitted } from './committed-point.ts';
import { readCurrentState } from './current-state.ts';
import { createFileTail } from './file-tail.ts';
import type { AppendIdentity, AppendRun } from './identity.ts';
import { createOldFile } from './old-rows.ts';
import { OVERLAP_MS } from './overlap.ts';
import { type LogPlace, lockRealPath, placeOf, resolvePaths } from './recorded-log.ts';
import { openRotated } from './rotation.ts';

export interface AppendOptions extends AppendRun {
  path: string;
  formatter: Formatter;
  restart?: boolean;
  onWait?: () => void;
  disk?: Disk;
  lock?: typeof acquireLock;
}

/** Opens a file under its lock. Throws UsageError, without changes, if file, state and run differ. */
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
  // A7: takes the lock first, because another run may be about to commit.
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

export type LogService = Pick<Service, 'workspace' | 'getCode' | 'nowMs'>;

type LogFileOptions = Omit<AppendRun, 'overlapMs' | 'clock'> &
  Partial<Pick<AppendOptions, 'overlapMs' | 'restart'> & Pick<DatasetOptions, 'append' | 'overlaps'>>;

/** Opens a file or dataset under its lock. */
export async function openLogFile(
  { clock, signal, console }: ScanRun,
  keptBy: LogPlace,
  { append = true, overlapMs = OVERLAP_MS, identity, ...options }: LogFileOptions,
  service: LogService,
): Promise<AppendFile> {
  const createFormatter = await loadFormatter(identity);
  const place = placeOf(keptBy);
  const common = {
    ...options,
    overlapMs,
    clock,
    signal,
    serviceNow: () => service.nowMs(),
    note: console.note,
    warn: (line: string) => console.warn(line, true),
    onWait: () => console.note(`Waiting for another run that is writing to ${place}`),
  };
  if ('directory' in keptBy) {
    const { openDataset } = await import('#scans/dataset/open-dataset');
    const partitioned = identity as DatasetIdentity;
    return openDataset({ ...common, directory: place, identity: partitioned, createFormatter, append });
  }
  return openAppendFile({ ...common, path: place, identity, formatter: createFormatter() });
}

async function loadFormatter({ format, columns, dialect }: AppendIdentity): Promise<() => Formatter> {
  if (format === 'parquet') {
    const { createParquetFormatter } = await import('#files/formats/parquet/parquet');
    return () => createParquetFormatter(columns);
  }
  const { createFormatter } = await import('#files/formats/create-formatter');
  const named = columns.map((name) => ({ name }));
  return () => createFormatter(format, { ...dialect, columns: named, shape: 'list', keepExtra: false });
}
