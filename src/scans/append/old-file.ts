import { basename, dirname, join } from 'node:path';
import { LocalError, systemCode } from '../../base/errors.ts';
import { type Disk, type DiskDirectory, ifPresent } from '../../files/durable/disk.ts';
import { inDirectory, isSameFile } from '../../files/durable/trusted-file.ts';
import type { RowTail } from './add-rows.ts';

export interface OldFile {
  isNeeded(built: Pick<RowTail, 'readBack'> & { rows: number }): Promise<boolean>;
  keep(): Promise<void>;
}

/** Errors of file systems without hard links. */
const CANNOT_LINK = new Set([
  'EPERM',
  'EACCES',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EMLINK',
  'EINVAL',
  'EISDIR',
  'UNKNOWN',
]);

const MOST_OLD = 10_000;

/** Repeatable: the file may have its second name already. */
export async function keepOldFile(disk: Disk, path: string): Promise<string | undefined> {
  const name = await inDirectory(disk, dirname(path), ({ at }) => giveFreeName(disk, at, basename(path)));
  if (name === undefined) return undefined;
  // A31: the name is durable before another file replaces this one.
  await disk.flushDirectory(dirname(path));
  return join(dirname(path), name);
}

async function giveFreeName(disk: Disk, at: DiskDirectory['at'], file: string): Promise<string | undefined> {
  const old = await ifPresent(disk.lstat(at(file)));
  if (!old?.isFile()) return undefined;
  for (let number = 0; number < MOST_OLD; number++) {
    const name = `${file}.old${number === 0 ? '' : `.${number}`}`;
    const taken = await ifPresent(disk.lstat(at(name)));
    if (taken ? isSameFile(old, taken) : await giveName(disk, at(file), at(name))) return name;
  }
  throw new LocalError(`cannot keep ${file}: ${file}.old and ${MOST_OLD - 1} other names are in use`, {
    hint: 'Move the old files to another directory, then run the same command again.',
  });
}

/** A hard link leaves no gap for readers. */
async function giveName(disk: Disk, path: string, name: string): Promise<boolean> {
  try {
    await disk.link(path, name);
  } catch (error) {
    const code = systemCode(error) ?? '';
    if (code === 'EEXIST') return false;
    if (!CANNOT_LINK.has(code)) throw error;
    await disk.rename(path, name);
  }
  return true;
}
