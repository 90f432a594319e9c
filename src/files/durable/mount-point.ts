/** Detects a file that is mounted on its own (`docker run -v ./codes.csv:/data/codes.csv`): a rename to it would fail with EBUSY. */
import { UsageError } from '../../base/errors.ts';
import type { Disk } from './disk.ts';

/** D18: throws UsageError if another file is mounted at a real path. */
export async function refuseMountPoint(disk: Disk, real: string): Promise<void> {
  if (!(await disk.mountPoints()).has(real)) return;
  throw new UsageError(`cannot replace ${real}: it is mounted as a single file`, {
    hint: 'Mount its directory instead of the file.',
  });
}

/** Returns the mount points in the text of /proc/self/mountinfo (proc_pid_mountinfo(5)), in which some characters are octal. */
export function parseMountPoints(text: string): Set<string> {
  return new Set(
    text.split('\n').map((line) => {
      const escaped = line.split(' ')[4] ?? '';
      return escaped.replace(/\\([0-7]{3})/g, (_, octal: string) =>
        String.fromCharCode(Number.parseInt(octal, 8)),
      );
    }),
  );
}
