/** Refuses logs that lack scans which their exports recorded: figures without them would look complete. */
import { basename } from 'node:path';
import { UnprovenError } from '../../../base/errors.ts';
import { lossOfLog, wasRotated } from '../../append/recorded-log.ts';
import { lossOfDataset } from '../../dataset/open-dataset.ts';
import type { InputLog, ListOptions } from './input-log.ts';

/**
 * F22: throws UnprovenError if a log differs from the state or manifest of its export. Warns of one whose rotated files are elsewhere: their scans are
 * not counted.
 */
export async function refuseLosses(
  logs: readonly InputLog[],
  { rotated, warn }: ListOptions,
  signal: AbortSignal,
): Promise<void> {
  for (const { keptBy, paths } of logs) {
    if (!keptBy) continue;
    const isFile = 'file' in keptBy;
    const place = isFile ? keptBy.file : keptBy.directory;
    const loss = isFile ? await lossOfLog(place, paths, signal) : await lossOfDataset(place);
    if (loss !== undefined)
      throw new UnprovenError(`cannot read the scans of ${place}: ${loss}`, {
        hint: `Restore it from a backup. ${wayOn(basename(place), isFile, paths)}.`,
      });
    // Archived files may be among the others.
    if (isFile && rotated && paths.length === 1 && logs.length === 1 && (await wasRotated(place)))
      warn(
        `${basename(place)} was rotated, but no rotated files are next to it. Their scans are not counted`,
      );
  }
}

/** Returns how to count without the lost scans: a sentence without its period. */
function wayOn(name: string, isFile: boolean, paths: readonly string[]): string {
  if (isFile && paths.length === 0)
    return `If you deleted the file on purpose, delete ${name}.state.json too`;
  const how = isFile
    ? `copy ${name} to another directory`
    : `specify the directories in ${name} with --input`;
  return `To count only the scans that are left, ${how}`;
}
