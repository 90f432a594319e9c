/**
 * Reads the stored config. Plain fs and a small check of our own, because every command does this at start-up and `conf`,
 * which writes the file (write-store.ts), takes as long to import as all the rest.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, UsageError } from '../base/errors.ts';
import { systemCode } from '../files/durable/path-errors.ts';
import { configDirectory, mendModes } from './config-directory.ts';
import { commandProblem, plantedBy } from './planted.ts';
import type { Variables } from './settings.ts';
import { type CommandProblem, hasUncheckedCommand, parseStored, type Stored } from './stored.ts';

export interface Store extends Stored {
  /** The path of config.json, whether it exists or not. */
  readonly file: string;
  /** Notes about corrected permissions, one sentence each. */
  readonly mended: readonly string[];
}

/** Far more than any config of ours; a file beyond it is something else. */
const LARGEST_FILE = 4 * 1024 * 1024;

export async function configFile(env: Variables): Promise<string> {
  return join(await configDirectory(env), 'config.json');
}

/**
 * Reads the stored config, empty if there is none; creates nothing. Restricts permissions looser than 0600 in 0700, unless it has a
 * key-command that another user may have written. Throws UsageError, and leaves the file unchanged, if it is unreadable, invalid, or was
 * created by another user.
 */
export async function readStore(env: Variables): Promise<Store> {
  const file = await configFile(env);
  // A home that is not a directory has no config; a directory that was specified must be one.
  const found = readText(file, env.QRCTL_CONFIG_DIR ? ['ENOENT'] : ['ENOENT', 'ENOTDIR']);
  if (found === undefined) return { file, mended: [], current: undefined, profiles: new Map() };
  const stored = { commandProblem: found.commandProblem, ...parse(file, found.text) };
  return { file, mended: hasUncheckedCommand(stored) ? [keptOpen(file)] : mendModes(file), ...stored };
}

/** Corrected permissions would let the next command run the key-command that another user may have written. */
function keptOpen(file: string): string {
  return `${file} was accessible to other users and was left unchanged until you check its key-commands`;
}

interface FoundText {
  text: string;
  commandProblem: CommandProblem | undefined;
}

/** Undefined if the system reports one of the codes `missing`. */
function readText(file: string, missing: readonly string[]): FoundText | undefined {
  try {
    // Without blocking on a FIFO.
    const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const stats = fstatSync(descriptor);
      if (!stats.isFile()) throw new Error('it is not a regular file');
      if (stats.size > LARGEST_FILE) throw new Error(`it is ${stats.size} bytes long`);
      const stranger = plantedBy(file, stats);
      if (stranger !== undefined) throw foreign(file, stranger);
      return { text: readFileSync(descriptor, 'utf8'), commandProblem: commandProblem(file, stats) };
    } finally {
      closeSync(descriptor);
    }
  } catch (cause) {
    if (missing.includes(systemCode(cause) ?? '')) return undefined;
    throw cause instanceof UsageError ? cause : unreadable(file, cause);
  }
}

function parse(file: string, text: string): Stored {
  try {
    return parseStored(text);
  } catch (cause) {
    throw unreadable(file, cause);
  }
}

function foreign(file: string, uid: number): UsageError {
  return new UsageError(
    `cannot use the config file ${file}: it belongs to user ${uid} and controls where keys are sent`,
    {
      hint: 'Remove the config file, or set QRCTL_CONFIG_DIR to a directory that you own.',
    },
  );
}

function unreadable(file: string, cause: unknown): UsageError {
  return new UsageError(`cannot use the config file ${file}: ${messageOf(cause)}`, {
    hint: 'Repair the file, or move it to another directory and run `qrctl auth login`. The file is unchanged.',
    cause,
  });
}
