import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../../base/errors.ts';
import { checkWholeFile, OTHER_DIRECTORY } from '../../files/formats/whole-file.ts';
import { isUuid } from '../../service/checks.ts';
import { type ExportPlan, extensionOf } from './export-plan.ts';

const UNCHANGED = 'No request was sent, and no changes were made.';

/** Throws UsageError if the run would replace such a file or write into a dataset. Sends no request. */
export async function refuseKept(plan: ExportPlan, names: readonly string[]): Promise<void> {
  const { directory, partition, append, output, overwrite } = plan;
  if (directory !== undefined) await refuseDataset(directory, plan);
  if (append || partition) return;
  if (directory !== undefined) return overwrite ? undefined : refuseDirectory(directory, plan, names);
  if (output.path === undefined) return;
  if (!overwrite && (await hasState(output.path))) throw refusal(output.path);
  await checkWholeFile(output.path, output);
}

async function refuseDataset(directory: string, { partition, append }: ExportPlan): Promise<void> {
  if (partition && append) return;
  const { MANIFEST } = await import('../dataset/manifest.ts');
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

/** Before the first request, the files of the run are known only from IDs in names. */
async function refuseDirectory(directory: string, plan: ExportPlan, names: readonly string[]): Promise<void> {
  const ending = `.${extensionOf(plan)}`;
  const isKnown = names.length > 0 && plan.fileNames === 'id' && names.every(isUuid);
  const known = new Set(names.map((id) => `${id.toLowerCase()}${ending}`));
  for (const name of await namesIn(directory)) {
    if (!name.endsWith(`${ending}.state.json`)) continue;
    const file = name.slice(0, -'.state.json'.length);
    const path = join(directory, file);
    if ((!isKnown || known.has(file)) && (await hasState(path))) throw refusal(path);
  }
}

function namesIn(directory: string): Promise<string[]> {
  return readdir(directory).catch(() => []);
}

async function hasState(path: string): Promise<boolean> {
  const { findState } = await import('../append/recorded-log.ts');
  return (await findState(path)) !== undefined;
}

function refusal(path: string): UsageError {
  return new UsageError(
    `cannot replace ${path}: it was written with --append, and may have scans that the service no longer has`,
    { hint: `${UNCHANGED} Add --append to add new scans, or --overwrite to replace the file.` },
  );
}
