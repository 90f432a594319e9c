/** The file or dataset that an export with `--append` adds to, as the plan and the codes describe it. */
import { UsageError } from '../../../base/errors.ts';
import type { Context } from '../../../context.ts';
import type { Column } from '../../../files/formats/columns.ts';
import type { OutputPlan } from '../../../files/formats/plan-output.ts';
import { OTHER_DIRECTORY } from '../../../files/formats/whole-file.ts';
import type { CodeOverlap } from '../../../scans/append/overlap.ts';
import type { Partitioning } from '../../../scans/dataset/partitions.ts';
import type { CodeLabel } from '../../../scans/export/export-codes.ts';
import { recordOf } from '../../../scans/stats/input/record-of-log.ts';
import type { Service } from '../../../service/service.ts';
import { loadFormatter } from '../../output-options.ts';
import { LOCAL_TIME } from './added-columns.ts';
import { DEFAULT_OVERLAP_MS, type ExportPlan } from './plan-export.ts';

export type Known = Pick<Service, 'workspace' | 'getCode' | 'nowMs'>;

/** Opens the file for appending that `path` names, for these codes. */
export async function openAppended(
  context: Context,
  plan: ExportPlan,
  path: string,
  codes: readonly CodeLabel[],
  service: Known,
  remark: (line: string) => void,
) {
  const { openAppendFile } = await import('../../../scans/append/append-file.ts');
  const { format, chosen } = plan.output;
  const saved = chosen || plan.append?.restart ? undefined : await recordOf({ file: path });
  const columns = continued(plan.output.columns, saved?.identity.columns);
  if (!plan.append || (format !== 'csv' && format !== 'ndjson'))
    throw new UsageError('--append requires CSV or NDJSON');
  return openAppendFile({
    ...growing(context, plan, columns, codes, service, path),
    ...{ path, remark },
    formatter: (await loadFormatter(context, growingOutput(plan, columns)))(),
    restart: plan.append.restart,
    rotated: plan.append.rotated,
    elsewhere: plan.directory === undefined ? undefined : OTHER_DIRECTORY,
  });
}

/** Opens the dataset in a directory, for these codes. `overlaps`: see DatasetOptions. */
export async function openPartitioned(
  context: Context,
  plan: ExportPlan,
  {
    directory,
    partition,
    overlaps,
  }: { directory: string; partition: Partitioning; overlaps?: Map<string, CodeOverlap> },
  codes: readonly CodeLabel[],
  service: Known,
) {
  const { openDataset } = await import('../../../scans/dataset/open-dataset.ts');
  const saved = plan.output.chosen ? undefined : await recordOf({ directory });
  const columns = continued(plan.output.columns, saved?.identity.columns);
  const growth = growing(context, plan, columns, codes, service, directory);
  return openDataset({
    ...growth,
    directory,
    overlaps,
    identity: { ...growth.identity, partition },
    createFormatter: await loadFormatter(context, growingOutput(plan, columns)),
    append: plan.append !== undefined,
  });
}

/** Rows have these columns only, so that a file or a dataset keeps them if the service adds a field. */
function growingOutput({ output }: ExportPlan, columns: readonly Column[]): OutputPlan {
  return { ...output, columns, chosen: true };
}

/** Common parts of an appended file and a dataset. */
function growing(
  context: Context,
  plan: ExportPlan,
  columns: readonly Column[],
  codes: readonly CodeLabel[],
  service: Known,
  place: string,
) {
  const { format, header, excel, rawCells, delimiter } = plan.output;
  if (format !== 'csv' && format !== 'ndjson' && format !== 'parquet')
    throw new UsageError(`cannot append to ${format}`);
  const isLocal = columns.some(({ name }) => name === LOCAL_TIME);
  return {
    identity: {
      format,
      codes: codes.map((code) => code.id),
      all: (plan.directory === undefined || plan.partition !== undefined) && plan.all,
      columns: columns.map((column) => column.name),
      dialect: {
        ...{ header, excel, rawCells },
        timezone: isLocal ? plan.localZone : undefined,
        delimiter: format === 'csv' && delimiter !== ',' ? delimiter : undefined,
      },
    },
    own: {
      ...{ workspace: service.workspace, getCode: service.getCode, movedFrom: plan.append?.movedFrom },
      // Only a response contains the slug.
      seen: new Set(codes.filter(({ slug }) => slug !== undefined).map(({ id }) => id)),
    },
    overlapMs: plan.append?.overlapMs ?? DEFAULT_OVERLAP_MS,
    sinceMs: plan.sinceMs,
    untilMs: plan.untilMs,
    ...runOf(context, place, service),
  };
}

/** Returns the clocks of a run that adds to a log, its signal, and where its notes go. */
export function runOf({ clock, signal, console }: Context, place: string, service: Pick<Service, 'nowMs'>) {
  return {
    ...{ clock, signal, serviceNow: () => service.nowMs(), note: console.note },
    warn: (line: string) => console.warn(line, true),
    onWait: () => console.note(`Waiting for another run that is writing to ${place}`),
  };
}

/** Without --fields, a file keeps its columns, if this version of qrctl knows them: a later version may add some. */
function continued(columns: readonly Column[], saved: readonly string[] | undefined): readonly Column[] {
  const kept = saved?.map((name) => columns.find((column) => column.name === name));
  return kept?.every((column) => column !== undefined) ? kept : columns;
}
