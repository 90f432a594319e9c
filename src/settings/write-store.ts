import { dirname } from 'node:path';
import { LocalError, UsageError } from '#base/errors';
import type { Clock } from '#base/time/time';
import type { Disk } from '#files/durable/disk';
import { acquireLock } from '#files/durable/lock';
import { nodeDisk } from '#files/durable/node-disk';
import { describeSystemError } from '#files/durable/path-errors';
import { refuseMountPoint, replaceFile } from '#files/durable/replace-file';
import { realPath } from '#files/durable/trusted-file';
import { makeDirectories } from '#files/durable/write';
import { closeNewDirectory, DIRECTORY_MODE, FILE_MODE, restrictPermissions } from './config-directory.ts';
import {
  configFile,
  formatStored,
  hasUncheckedCommand,
  readStore,
  type Store,
  type Stored,
} from './store.ts';

const MAX_WAIT_MS = 10_000;

/** Changes the config under a lock, so that concurrent commands don't lose changes. */
export async function updateStore(
  {
    env,
    clock,
    signal,
    disk = nodeDisk,
  }: { env: NodeJS.Dict<string>; clock: Clock; signal: AbortSignal; disk?: Disk },
  change: (stored: Stored) => Stored,
): Promise<Store> {
  const file = await configFile(env);
  try {
    if (await makeDirectories(disk, dirname(file), DIRECTORY_MODE)) closeNewDirectory(dirname(file));
    await refuseMountPoint(disk, await realPath(disk, file));
    const first = await readStore(env);
    const corrected = hasUncheckedCommand(first) ? [] : restrictPermissions(file);
    const { isStored } = await import('./conf.ts');
    const lock = await acquireLock(file, { clock, signal, waitMs: MAX_WAIT_MS });
    try {
      const before = await readStore(env);
      const after = change(before);
      refuseUncheckedCommand(file, { ...after, commandProblem: before.commandProblem });
      const text = await write(disk, file, after);
      if (!isStored(file, text))
        throw new LocalError(`cannot verify the config file ${file}: it differs from the stored settings`);
      // Adds `corrected`, for the directory of a new file.
      return { ...(await readStore(env)), corrections: [...new Set([...first.corrections, ...corrected])] };
    } finally {
      await lock.release();
    }
  } catch (cause) {
    if (!(cause instanceof Error) || !('syscall' in cause)) throw cause;
    throw new LocalError(`cannot write the config file ${file}: ${describeSystemError(cause)}`, {
      hint: 'No changes were made. Free up disk space, correct the permissions, or set QRCTL_CONFIG_DIR.',
      cause,
    });
  }
}

/** Throws UsageError for an unchecked key-command, which could run after permissions are corrected. */
function refuseUncheckedCommand(file: string, stored: Stored): void {
  if (!hasUncheckedCommand(stored)) return;
  throw new UsageError(
    `cannot change the config file ${file}: other users were able to change it, and it contains a key-command`,
    { hint: stored.commandProblem?.hint },
  );
}

/** Writes the config without conf, whose writer (atomically 2.1) truncates a good file on a full disk. */
async function write(disk: Disk, file: string, stored: Stored): Promise<string> {
  const text = JSON.stringify(formatStored(stored), undefined, '\t');
  // If config.json is a symbolic link, replaces the file that it points to.
  await replaceFile(disk, await realPath(disk, file), Buffer.from(text), { mode: FILE_MODE });
  return text;
}
