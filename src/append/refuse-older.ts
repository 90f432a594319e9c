/** A25: errors for a scan that may be in a rotated file. */
import { basename } from 'node:path';
import { UsageError } from '../errors.ts';
import { formatDuration, formatInstant } from '../time/time.ts';

/**
 * Creates the refusal of a scan that may or may not be in a rotated file: the IDs of scans before `knownMs` are gone. `backMs`: by how much the
 * service's clock was set back since the last rows were added.
 */
export function refuseOlder(
  path: string,
  { oldestMs, knownMs, backMs }: { oldestMs: number; knownMs: number; backMs: number | undefined },
): UsageError {
  const [oldest, known] = [oldestMs, knownMs].map(formatInstant);
  if (backMs !== undefined) {
    return new UsageError(
      `cannot append to ${path}: the service's clock was set back by ${formatDuration(backMs)} since the last run, ` +
        `so scans from ${oldest} to ${known} can't be matched with the rotated files`,
      {
        hint: `No changes were made. Move ${basename(path)} and its rotated files to another directory, then run this once with --restart. The new file will contain every scan.`,
      },
    );
  }
  return new UsageError(
    `cannot append to ${path}: the service returned a scan dated ${oldest}; scans before ${known} are in rotated files and can't be checked for duplicates`,
    { hint: 'Run the same command again with the --overlap of the earlier runs.' },
  );
}
