import { UsageError } from '../../base/errors.ts';
import { OTHER_DIRECTORY } from '../../files/formats/whole-file.ts';
import type { AppendFile } from '../append/add-rows.ts';
import type { AppendIdentity } from '../append/identity.ts';
import { type LogService, openLogFile, ownWorkspace } from '../append/open-log-file.ts';
import type { CodeOverlap } from '../append/overlap.ts';
import type { ScanRun } from '../scan-run.ts';
import { type InputLog, recordOf } from '../stats/input/input-log.ts';
import { LOCAL_TIME } from './added-columns.ts';
import type { CodeLabel } from './export-codes.ts';
import type { ExportPlan } from './export-plan.ts';

export async function openGrowing(
  run: ScanRun,
  plan: ExportPlan,
  keptBy: NonNullable<InputLog['keptBy']>,
  codes: readonly CodeLabel[],
  service: LogService,
  more: { remark?: (line: string) => void; overlaps?: Map<string, CodeOverlap> } = {},
): Promise<AppendFile> {
  const { append, directory, sinceMs, untilMs } = plan;
  // Only a code of a response has a slug.
  const seen = codes.filter(({ slug }) => slug !== undefined).map(({ id }) => id);
  const options = {
    ...append,
    ...more,
    identity: await identityOf(plan, codes, append?.restart ? undefined : keptBy),
    own: ownWorkspace(service, seen, append?.movedFrom),
    sinceMs,
    untilMs,
    append: append !== undefined,
    elsewhere: directory === undefined ? undefined : OTHER_DIRECTORY,
  };
  return openLogFile(run, keptBy, options, service);
}

async function identityOf(
  { output, directory, partition, all, localZone }: ExportPlan,
  codes: readonly CodeLabel[],
  log: InputLog['keptBy'],
): Promise<AppendIdentity> {
  const { format, header, excel, rawCells, delimiter, chosen } = output;
  if (format !== 'csv' && format !== 'ndjson' && format !== 'parquet')
    throw new UsageError(`cannot append to ${format}`);
  const names = output.columns.map(({ name }) => name);
  const saved = chosen ? undefined : (await recordOf(log))?.identity.columns;
  // A log keeps its columns, because a later version may add some.
  const columns = saved?.every((name) => names.includes(name)) ? saved : names;
  return {
    format,
    codes: codes.map(({ id }) => id),
    all: (directory === undefined || partition !== undefined) && all,
    columns,
    dialect: {
      header,
      excel,
      rawCells,
      timezone: columns.includes(LOCAL_TIME) ? localZone : undefined,
      delimiter: format === 'csv' && delimiter !== ',' ? delimiter : undefined,
    },
    ...(partition && { partition }),
  };
}
