import { basename, dirname, join } from 'node:path';
import { inShellOr } from '../../base/text/quote.ts';
import { type Disk, type DiskStat, ifPresent } from '../../files/durable/disk.ts';
import { compareAges, type LogName, readLogName } from '../../files/formats/read/rotated-names.ts';
import { type AppendPaths, refusal } from './current-state.ts';
import type { AppendIdentity } from './identity.ts';

export interface Copy {
  path: string;
  log: LogName;
  stat: DiskStat;
}

interface LogPlace {
  disk: Disk;
  paths: AppendPaths;
}

/** Lists non-empty files with names of log rotation, newest first. */
export async function listCopies({ disk, paths }: LogPlace): Promise<Copy[]> {
  const directory = dirname(paths.file);
  const copies: Copy[] = [];
  for (const name of await disk.readdir(directory)) {
    const log = readLogName(name, basename(paths.file));
    if (!log?.age) continue;
    const path = join(directory, name);
    const stat = await ifPresent(disk.lstat(path));
    if (stat?.isFile() && stat.size > 0) copies.push({ path, log, stat });
  }
  return copies.sort((one, other) => compareAges(other.log, one.log));
}

export async function refuseRotated(job: LogPlace & { identity: AppendIdentity }): Promise<void> {
  const { file, state } = job.paths;
  const copies = await listCopies(job);
  if (copies.length === 0) return;
  const inputs = [file, ...copies.map(({ path }) => path)]
    .map((path) => `--input ${inShellOr('FILE', path)}`)
    .join(' ');
  const wayOn = job.identity.columns.includes('qr_id')
    ? `or convert the log with its rotated files to a dataset: \`qrctl scans export ${inputs} --output-dir DIR --partition-by month\``
    : 'or move the log with its rotated files to another directory. The next run exports everything again';
  throw refusal(
    file,
    `its state file is missing or damaged, so the scans in its rotated files (such as ${basename(copies[0]?.path ?? '')}) are unknown`,
    `Restore ${basename(state)} from a backup, ${wayOn}. If these files are not of this log, move them to another directory`,
  );
}
