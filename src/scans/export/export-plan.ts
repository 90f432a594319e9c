import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '#base/errors';
import { FILE_KINDS } from '#files/formats/kept-file';
import type { OutputPlan } from '#files/formats/plan-output';
import { checkWholeFile, OTHER_DIRECTORY } from '#files/formats/whole-file';
import type { AppendFile } from '#scans/append/add-rows';
import type { AppendIdentity, Partitioning } from '#scans/append/identity';
import { type LogService, openLogFile } from '#scans/append/open-log-file';
import { type CodeOverlap, readingPositions } from '#scans/append/overlap';
import { codesOfLogs, findState, type LogPlace } from '#scans/append/recorded-log';
import { MANIFEST } from '#scans/dataset/manifest';
import type { ScanRun } from '#scans/scan-run';
import { recordOf } from '#scans/stats/input/input-log';
import { isUuid } from '#service/checks';
import { LOCAL_TIME } from './added-columns.ts';
import type { CodeLabel } from './export-codes.ts';

export interface ExportPlan {
  sinceMs?: number;
  untilMs?: number;
  zone(): string;
  all: boolean | string;
  labeled: boolean;
  named: boolean;
  output: OutputPlan;
  localZone?: string;
  proveBeyond: boolean;
  directory?: string;
  fileNames: 'id' | 'slug';
  filesOf(codes: readonly CodeLabel[]): (code: CodeLabel) => string;
  append:
    | { path: string; overlapMs: number; restart: boolean; rotated: boolean; movedFrom?: string }
    | undefined;
  overwrite: boolean;
  partition?: Partitioning;
}

export function extensionOf({ output: { format } }: Pick<ExportPlan, 'output'>): string {
  return format === 'ids' ? 'txt' : format;
}

export async function codesOfLog({ append, directory, partition }: ExportPlan): Promise<ReadonlySet<string>> {
  if (!append || append.restart || (directory !== undefined && !partition)) return new Set();
  const state = await recordOf(directory === undefined ? { file: append.path } : { directory });
  return codesOfLogs([{ state }]);
}

/** Returns the times (ms) from which an append reads codes, by code ID. */
export async function savedPositions(
  plan: ExportPlan,
  codes: readonly CodeLabel[],
): Promise<ReadonlyMap<string, number>> {
  const { append, directory, partition, untilMs } = plan;
  if (!append || append.restart) return new Map();
  const { readManifest } = await import('#scans/dataset/open-dataset');
  const files = directory === undefined ? [append.path] : codes.map(plan.filesOf(codes));
  const states =
    directory !== undefined && partition
      ? [await readManifest(directory)]
      : await Promise.all(files.map((file) => recordOf({ file })));
  return new Map(
    states.flatMap((state) => (state ? [...readingPositions(state, append.overlapMs, untilMs)] : [])),
  );
}

const UNCHANGED = 'No request was sent, and no changes were made.';

/** Throws UsageError if a dataset or, without --overwrite, a log would be replaced or mixed with files. */
export async function refuseKept(plan: ExportPlan, names: readonly string[]): Promise<void> {
  const { directory, partition, append, output, overwrite } = plan;
  if (directory !== undefined) await refuseDataset(directory, plan);
  if (append || partition) return;
  if (directory !== undefined) return overwrite ? undefined : refuseDirectory(directory, plan, names);
  if (output.path === undefined) return;
  if (!overwrite && (await findState(output.path)) !== undefined) throw refusal(output.path);
  await checkWholeFile(output.path, output);
}

async function refuseDataset(directory: string, { partition, append }: ExportPlan): Promise<void> {
  if (partition && append) return;
  if (!(await namesIn(directory)).includes(MANIFEST)) return;
  throw new UsageError(
    partition
      ? `cannot write the dataset ${directory}: it already exists`
      : `cannot write files per code to ${directory}: it is a dataset`,
    {
      hint: `${UNCHANGED} Add ${partition ? '' : '--partition-by and '}--append to add new scans to the dataset, or ${OTHER_DIRECTORY}.`,
    },
  );
}

/** Throws UsageError if the directory has a log in this format. Checks only the files of known names. */
async function refuseDirectory(directory: string, plan: ExportPlan, names: readonly string[]): Promise<void> {
  const ending = `.${extensionOf(plan)}`;
  const isKnown = names.length > 0 && plan.fileNames === 'id' && names.every(isUuid);
  const known = new Set(names.map((id) => `${id.toLowerCase()}${ending}`));
  for (const name of await namesIn(directory)) {
    if (!name.endsWith(`${ending}.state.json`)) continue;
    const file = name.slice(0, -'.state.json'.length);
    const path = join(directory, file);
    if ((!isKnown || known.has(file)) && (await findState(path)) !== undefined) throw refusal(path);
  }
}

function namesIn(directory: string): Promise<string[]> {
  return readdir(directory).catch(() => []);
}

function refusal(path: string): UsageError {
  return new UsageError(`cannot replace ${path}: it ${FILE_KINDS.log}`, {
    hint: `${UNCHANGED} Add --append to add new scans, or --overwrite to replace the file.`,
  });
}

export async function openGrowing(
  run: ScanRun,
  plan: ExportPlan,
  keptBy: LogPlace,
  codes: readonly CodeLabel[],
  service: LogService,
  more: { remark?: (line: string) => void; overlaps?: Map<string, CodeOverlap> },
): Promise<AppendFile> {
  const { append, directory, sinceMs, untilMs } = plan;
  // Codes with a slug count as seen on the service, because slugs come from responses.
  const seen = codes.filter(({ slug }) => slug !== undefined).map(({ id }) => id);
  const options = {
    ...append,
    ...more,
    identity: await identityOf(plan, codes, append?.restart ? undefined : keptBy),
    own: { ...service, seen: new Set(seen), movedFrom: append?.movedFrom },
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
  log: LogPlace | undefined,
): Promise<AppendIdentity> {
  const { format, header, excel, rawCells, delimiter, chosen } = output;
  const names = output.columns.map(({ name }) => name);
  const saved = chosen ? undefined : (await recordOf(log))?.identity.columns;
  // Unless columns are chosen, a log keeps its own, because a later qrctl may have more defaults.
  const columns = saved?.every((name) => names.includes(name)) ? saved : names;
  return {
    format: format as AppendIdentity['format'],
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
