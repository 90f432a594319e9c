/** Reads the state of an appended file, or the manifest of a dataset. */
import type { AppendState } from '../../append/state.ts';
import type { Manifest } from '../../dataset/manifest.ts';
import type { InputLog } from './input-log.ts';

/** Returns what an append recorded about a log; undefined without a usable state or manifest. Locks and repairs nothing. */
export async function recordOf(keptBy: InputLog['keptBy']): Promise<AppendState | Manifest | undefined> {
  if (!keptBy) return undefined;
  if ('directory' in keptBy)
    return (await import('../../dataset/open-dataset.ts')).readDatasetState(keptBy.directory);
  return (await import('../../append/append-file.ts')).readLogState(keptBy.file);
}
