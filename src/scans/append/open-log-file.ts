import type { Formatter } from '#files/formats/formatter';
import type { DatasetIdentity } from '#scans/dataset/manifest';
import type { DatasetOptions } from '#scans/dataset/open-dataset';
import type { ScanRun } from '#scans/scan-run';
import type { Service } from '#service/service';
import type { AppendFile } from './add-rows.ts';
import { type AppendOptions, openAppendFile } from './append-file.ts';
import type { AppendIdentity, AppendRun } from './identity.ts';
import { OVERLAP_MS } from './overlap.ts';
import { type LogPlace, placeOf } from './recorded-log.ts';

export type LogService = Pick<Service, 'workspace' | 'getCode' | 'nowMs'>;

type LogFileOptions = Omit<AppendRun, 'overlapMs' | 'clock'> &
  Partial<Pick<AppendOptions, 'overlapMs' | 'restart'> & Pick<DatasetOptions, 'append' | 'overlaps'>>;

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
