/** Changes the stored config, one change at a time. conf manages it; its file is written by files/durable/replace-file.ts. */
import { basename, dirname, extname } from 'node:path';
import { LocalError, UsageError } from '../base/errors.ts';
import type { Clock } from '../base/time/time.ts';
import type { Disk } from '../files/durable/disk.ts';
import { acquireLock } from '../files/durable/lock.ts';
import { nodeDisk } from '../files/durable/node-disk.ts';
import { describeSystemError } from '../files/durable/path-errors.ts';
import { refuseMountPoint, replaceFile } from '../files/durable/replace-file.ts';
import { realPath } from '../files/durable/trusted-file.ts';
import { makeDirectories } from '../files/durable/write.ts';
import { closeNewDirectory, DIRECTORY_MODE, FILE_MODE, mendModes } from './config-directory.ts';
import type { Variables } from './settings.ts';
import { configFile, readStore, type Store } from './store.ts';
import { type CommandProblem, formatStored, hasUncheckedCommand, type Stored } from './stored.ts';

/** The work under the lock takes milliseconds, so this is a long queue. */
const LONGEST_WAIT_MS = 10_000;

/**
 * Reads the stored config again, applies `change` and stores the result; two commands at once both keep their changes. Throws UsageError
 * if the file is corrupt (it is left unchanged), LocalError if it cannot be written (the old file is kept), and the errors of `change`.
 */
export async function updateStore(
  { env, clock, signal, disk = nodeDisk }: { env: Variables; clock: Clock; signal: AbortSignal; disk?: Disk },
  change: (stored: Stored) => Stored,
): Promise<Store> {
  const file = await configFile(env);
  return namingFile(file, async () => {
    // 0700 from its first moment; the second step is for a umask that would lock ourselves out.
    if (await makeDirectories(disk, dirname(file), DIRECTORY_MODE)) closeNewDirectory(dirname(file));
    await refuseMountPoint(disk, await realPath(disk, file));
    const first = await readStore(env);
    // Reading mends only where there is a file; the two say the same once.
    const mended = [...new Set([...first.mended, ...(hasUncheckedCommand(first) ? [] : mendModes(file))])];
    const lock = await acquireLock(file, { clock, signal, waitMs: LONGEST_WAIT_MS });
    try {
      const before = await readStore(env);
      const after = change(before);
      if (hasUncheckedCommand({ ...after, commandProblem: before.commandProblem }))
        throw unchecked(file, before.commandProblem);
      await store(disk, file, formatStored(after));
      return { ...(await readStore(env)), mended };
    } finally {
      await lock.release();
    }
  });
}

/** The new file would have the permissions that let its key-commands run. */
function unchecked(file: string, problem: CommandProblem | undefined): UsageError {
  return new UsageError(
    `cannot change the config file ${file}: other users were able to change it, and it contains a key-command`,
    {
      hint: problem?.hint,
    },
  );
}

/** A system error's message does not mention the config. */
async function namingFile<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof Error) || !('syscall' in cause)) throw cause;
    throw new LocalError(`cannot write the config file ${file}: ${describeSystemError(cause)}`, {
      hint: 'No changes were made. Free up disk space, correct the permissions, or set QRCTL_CONFIG_DIR.',
      cause,
    });
  }
}

/** Has conf store `value` in `file`, which is whole or not there, and reads it back. */
async function store(disk: Disk, file: string, value: Record<string, unknown>): Promise<void> {
  const { Conf } = await import('./conf.ts');
  const config = new Conf<Record<string, unknown>>({
    cwd: dirname(file),
    configName: basename(file, extname(file)),
    clearInvalidConfig: false,
    accessPropertiesByDotNotation: false, // a profile's name may have a dot
  });
  const written = takeOverWrite(config);
  config.store = value;
  // A config.json that is a link (dotfiles kept elsewhere) stays one. The mode holds from the first moment: it is full of keys.
  await replaceFile(disk, await realPath(disk, file), Buffer.from(written()), { mode: FILE_MODE });
  if (format(config.store) !== written())
    throw new LocalError(`cannot verify the config file ${file}: it differs from the stored settings`);
}

/**
 * conf 15 writes by its method `_write`, through a package that ignores partial writes: on a full disk that replaces a good file with a
 * short one and reports success (measured). So the method only stores its argument; the function returns its text.
 */
function takeOverWrite(config: object): () => string {
  let text: string | undefined;
  Object.assign(config, {
    _write(value: unknown) {
      text = format(value);
    },
  });
  return () => {
    if (text === undefined) throw new Error('conf did not write by its method _write');
    return text;
  };
}

/** As conf formats it. */
function format(value: unknown): string {
  return JSON.stringify(value, undefined, '\t');
}
