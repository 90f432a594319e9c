import { fstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MOST_BYTES } from '#base/bounds';
import { messageOf, systemCode, UsageError } from '#base/errors';
import { configDirectory, restrictPermissions, withDescriptor } from './config-directory.ts';
import { commandProblem, plantedBy } from './planted.ts';
import { hasUncheckedCommand, parseStored, type Stored } from './stored.ts';

export interface Store extends Stored {
  file: string;
  corrections: readonly string[];
}

export async function configFile(env: NodeJS.Dict<string>): Promise<string> {
  return join(await configDirectory(env), 'config.json');
}

/** Reads the config. Throws, and changes nothing, if it is invalid or another user's. */
export async function readStore(env: NodeJS.Dict<string>): Promise<Store> {
  const file = await configFile(env);
  // A home that is not a directory has no config; QRCTL_CONFIG_DIR must be a directory.
  const missing = env.QRCTL_CONFIG_DIR ? ['ENOENT'] : ['ENOENT', 'ENOTDIR'];
  try {
    const found = readText(file);
    const stored = { commandProblem: found.commandProblem, ...parseStored(found.text) };
    // Corrected permissions would let the next command run a key-command of another user.
    const kept = `${file} was accessible to other users and was left unchanged until you check its key-commands`;
    return { file, corrections: hasUncheckedCommand(stored) ? [kept] : restrictPermissions(file), ...stored };
  } catch (cause) {
    if (missing.includes(systemCode(cause) ?? '')) return { file, corrections: [], profiles: new Map() };
    if (cause instanceof UsageError) throw cause;
    throw new UsageError(`cannot use the config file ${file}: ${messageOf(cause)}`, {
      hint: 'Repair the file, or move it to another directory and run `qrctl auth login`. The file is unchanged.',
      cause,
    });
  }
}

function readText(file: string) {
  return withDescriptor(file, (descriptor) => {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new Error('it is not a regular file');
    if (stats.size > MOST_BYTES.config) throw new Error(`it is ${stats.size} bytes long`);
    const owner = plantedBy(file, stats);
    if (owner !== undefined) throw ownedByOther(file, owner);
    return { text: readFileSync(descriptor, 'utf8'), commandProblem: commandProblem(file, stats) };
  });
}

function ownedByOther(file: string, uid: number): UsageError {
  return new UsageError(
    `cannot use the config file ${file}: it belongs to user ${uid} and controls where keys are sent`,
    { hint: 'Remove the config file, or set QRCTL_CONFIG_DIR to a directory that you own.' },
  );
}
