/** What an export reads, and where it writes it. */
import type { OutputPlan } from '../../files/formats/plan-output.ts';
import type { Partitioning } from '../dataset/partitions.ts';
import { recordOf } from '../stats/input/input-log.ts';
import type { CodeLabel } from './export-codes.ts';

export interface ExportPlan {
  /** Range in ms since the epoch; an undefined end is the service's clock at the first response. */
  sinceMs: number | undefined;
  untilMs: number | undefined;
  zone(): string;
  /** Every code, or a text: every code that passes these filters. */
  all: boolean | string;
  /** Rows begin with the columns of their code: several codes share one output. */
  labelled: boolean;
  /** Slugs or names are written, which a code that is given by ID lacks. */
  named: boolean;
  output: OutputPlan;
  localZone: string | undefined;
  /** Requests by time whether there are rows beyond the last page, whatever the total is. */
  proveBeyond: boolean;
  directory: string | undefined;
  fileNames: 'id' | 'slug';
  /** Returns the function that names the file of each code in the directory. */
  filesOf(codes: readonly CodeLabel[]): (code: CodeLabel) => string;
  append:
    | { path: string; overlapMs: number; restart: boolean; rotated: boolean; movedFrom: string | undefined }
    | undefined;
  overwrite: boolean;
  partition: Partitioning | undefined;
}

/** Returns the extension of files in the directory. */
export function extensionOf({ output: { format } }: Pick<ExportPlan, 'output'>): string {
  return format === 'ids' ? 'txt' : format;
}

/** Returns the IDs of the codes that the file or dataset of the plan has scans of, from its state; none without one. */
export async function codesOfLog({ append, directory, partition }: ExportPlan): Promise<ReadonlySet<string>> {
  if (!append || append.restart || (directory !== undefined && !partition)) return new Set();
  const state = await recordOf(directory === undefined ? { file: append.path } : { directory });
  return new Set(state ? [...state.identity.codes, ...state.overlaps.keys()] : []);
}

/** Returns where an append begins to read each code, from the states; a code without one is missing. */
export async function savedPositions(
  plan: ExportPlan,
  codes: readonly CodeLabel[],
): Promise<ReadonlyMap<string, number>> {
  const { append, directory, partition, untilMs } = plan;
  if (!append || append.restart) return new Map();
  if (directory !== undefined && partition) {
    const { readDatasetPositions } = await import('../dataset/open-dataset.ts');
    return readDatasetPositions(directory, append.overlapMs, untilMs);
  }
  const { readPositions } = await import('../append/append-file.ts');
  const files = directory === undefined ? [append.path] : codes.map(plan.filesOf(codes));
  const found = await Promise.all(files.map((file) => readPositions(file, append.overlapMs, untilMs)));
  return new Map(found.flatMap((positions) => [...positions]));
}
