/** Determines the first and last scan of each log, and its beginning from the state of its export. */
import type { CoveredLog } from './coverage.ts';
import type { InputLog } from './input/input-log.ts';
import type { FileSpan } from './input/read-scans.ts';

/** Returns the covered logs. `spans`: spans of files by path. Each file of a log without an export counts alone: scans may be missing between them. */
export async function coveredLogs(
  logs: readonly InputLog[],
  spans: ReadonlyMap<string, FileSpan>,
): Promise<CoveredLog[]> {
  const covered: CoveredLog[] = [];
  for (const { keptBy, paths } of logs) {
    const beginsMs = keptBy && (await beginningOf(keptBy, paths));
    const parts = keptBy ? [paths] : paths.map((path) => [path]);
    for (const part of parts)
      covered.push({ ...spanOf(part, spans), beginsMs, isKept: keptBy !== undefined });
  }
  return covered;
}

async function beginningOf(
  keptBy: NonNullable<InputLog['keptBy']>,
  paths: readonly string[],
): Promise<number | undefined> {
  if ('directory' in keptBy) {
    const { readDatasetBeginning } = await import('../dataset/open-dataset.ts');
    return readDatasetBeginning(keptBy.directory, new Set(paths));
  }
  const { readBeginning } = await import('../append/append-file.ts');
  return readBeginning(keptBy.file);
}

function spanOf(
  paths: readonly string[],
  spans: ReadonlyMap<string, FileSpan>,
): Pick<CoveredLog, 'firstMs' | 'lastMs'> {
  let firstMs: number | undefined;
  let lastMs: number | undefined;
  for (const span of paths.flatMap((path) => spans.get(path) ?? [])) {
    firstMs = Math.min(firstMs ?? span.firstMs, span.firstMs);
    lastMs = Math.max(lastMs ?? span.lastMs, span.lastMs);
  }
  return { firstMs, lastMs };
}
