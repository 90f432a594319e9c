/** A25: what is said where a scan came that may be in a file that was moved away. */
import { basename } from 'node:path';
import { UsageError } from '../errors.ts';
import { formatDuration, formatInstant } from '../time/time.ts';

/**
 * The refusal of a scan of which nobody knows whether a file that was moved away has it: of scans before `knownMs` the ids are gone. `backMs`: by so
 * much the service's clock was set back since the last rows were added.
 */
export function refuseOlder(
  path: string,
  { oldestMs, knownMs, backMs }: { oldestMs: number; knownMs: number; backMs: number | undefined },
): UsageError {
  const [oldest, known] = [oldestMs, knownMs].map(formatInstant);
  if (backMs !== undefined) {
    return new UsageError(
      `cannot append to ${path}: the service's clock was set back by ${formatDuration(backMs)} since the last rows were added, and which scans ` +
        `from ${oldest} to ${known} the rotated files have is not known`,
      {
        hint: `No changes were made. Move ${basename(path)} and its rotated files to another directory, and run this once with \`--restart\`: the new file has every scan.`,
      },
    );
  }
  return new UsageError(
    `cannot append to ${path}: a scan of ${oldest} came, and of scans before ${known} it is not known which files have them`,
    { hint: 'They were moved away. Use the --overlap of the runs before.' },
  );
}
