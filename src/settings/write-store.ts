/** Changes the stored config: one change at a time, and the old file stays until the new one is proven whole. */
import { chmodSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { acquireLock } from '../durable/lock.ts';
import { flushDirectory, makeDirectories, systemCode } from '../durable/write.ts';
import { LocalError } from '../errors.ts';
import type { Clock } from '../time.ts';
import { DIRECTORY_MODE, FILE_MODE, mendModes } from './modes.ts';
import type { Variables } from './settings.ts';
import { configFile, readStore, type Store } from './store.ts';
import { formatStored, type Stored } from './stored.ts';

/** The work under the lock takes milliseconds, so this is a long queue. */
const LONGEST_WAIT_MS = 10_000;

/**
 * Reads the stored config again, applies `change` to it and stores the result; two commands at once both keep what they
 * stored. Throws UsageError when the file there is corrupt (it is left alone), LocalError when it cannot be written (the old
 * one is still there), and what `change` throws.
 */
export async function updateStore(
  { env, clock, signal }: { env: Variables; clock: Clock; signal: AbortSignal },
  change: (stored: Stored) => Stored,
): Promise<Store> {
  const file = await configFile(env);
  const { default: Conf } = await import('conf');
  return namingFile(file, async () => {
    makeDirectory(dirname(file));
    const mended = mendModes(file);
    const lock = await acquireLock(file, { clock, signal, waitMs: LONGEST_WAIT_MS });
    try {
      const stored = change(await readStore(env));
      await replaceFile(Conf, file, formatStored(stored));
      return { ...stored, file, mended };
    } finally {
      await lock.release();
    }
  });
}

/** A system error's words do not say that this was about the config. */
async function namingFile<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof Error) || !('syscall' in cause)) throw cause;
    throw new LocalError(`the config file ${file} could not be written: ${cause.message}`, {
      hint: 'nothing was changed; free some space or mend the permissions, or set QRCTL_CONFIG_DIR',
      cause,
    });
  }
}

/** 0700 from its first moment; the second step is for a umask that would lock ourselves out. */
function makeDirectory(directory: string): void {
  if (makeDirectories(directory, DIRECTORY_MODE)) chmodSync(directory, DIRECTORY_MODE);
}

/** Everything beside config.json that a write makes begins so. */
const STAGED = 'config.new';

/**
 * conf writes by a temporary file and a rename but does not look at how much was written: on a full disk it replaces a good
 * file with a short one and reports success (measured). So it writes to a name of its own, which becomes config.json only
 * after it was read back. What a killed write left is removed first: it holds keys.
 */
async function replaceFile(Conf: typeof import('conf').default, file: string, value: Record<string, unknown>): Promise<void> {
  const target = throughLink(file);
  const directory = dirname(target);
  removeStaged(directory);
  try {
    const staged = new Conf<Record<string, unknown>>({
      cwd: directory,
      configName: STAGED,
      configFileMode: FILE_MODE,
      clearInvalidConfig: false,
      accessPropertiesByDotNotation: false,
    });
    staged.store = value;
    checkWhole(staged.path, file, value);
    renameSync(staged.path, target);
    await flushDirectory(directory);
  } finally {
    removeStaged(directory);
  }
}

/** A config.json that is a link (dotfiles kept elsewhere) stays one. */
function throughLink(file: string): string {
  try {
    return realpathSync(file);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return file;
    throw error;
  }
}

function removeStaged(directory: string): void {
  for (const name of readdirSync(directory)) {
    if (name === `${STAGED}.json` || name.startsWith(`${STAGED}.json.tmp-`)) rmSync(join(directory, name), { force: true });
  }
}

function checkWhole(path: string, file: string, value: Record<string, unknown>): void {
  if (readFileSync(path, 'utf8') === JSON.stringify(value, undefined, '\t')) return;
  throw new LocalError(`the config file ${basename(file)} could not be written whole; the old one is still there`, {
    hint: `is the disk of ${dirname(file)} full?`,
  });
}
