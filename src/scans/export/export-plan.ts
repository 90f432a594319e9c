import type { OutputPlan } from '../../files/formats/plan-output.ts';
import type { Partitioning } from '../dataset/partitions.ts';
import { recordOf } from '../stats/input/input-log.ts';
import type { CodeLabel } from './export-codes.ts';

export interface ExportPlan {
  sinceMs: number | undefined;
  untilMs: number | undefined;
  zone(): string;
  /** A string has the filters of the codes. */
  all: boolean | string;
  labelled: boolean;
  /** Slugs or names are written, so a code specified by ID is fetched. */
  named: boolean;
  output: OutputPlan;
  localZone: string | undefined;
  proveBeyond: boolean;
  directory: string | undefined;
  fileNames: 'id' | 'slug';
  filesOf(codes: readonly CodeLabel[]): (code: CodeLabel) => string;
  append:
    | { path: string; overlapMs: number; restart: boolean; rotated: boolean; movedFrom: string | undefined }
    | undefined;
  overwrite: boolean;
  partition: Partitioning | undefined;
}

export function extensionOf({ output: { format } }: Pick<ExportPlan, 'output'>): string {
  return format === 'ids' ? 'txt' : format;
}

export async function codesOfLog({ append, directory, partition }: ExportPlan): Promise<ReadonlySet<string>> {
  if (!append || append.restart || (directory !== undefined && !partition)) return new Set();
  const state = await recordOf(directory === undefined ? { file: append.path } : { directory });
  return new Set(state ? [...state.identity.codes, ...state.overlaps.keys()] : []);
}

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
  const files = directory === undefined ? [append.path] : codes.map(plan.filesOf(codes));
  const states = await Promise.all(files.map((file) => recordOf({ file })));
  const { readingPositions } = await import('../append/overlap.ts');
  return new Map(
    states.flatMap((state) => (state ? [...readingPositions(state, append.overlapMs, untilMs)] : [])),
  );
}
