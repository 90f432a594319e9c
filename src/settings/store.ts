import { fstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MOST_BYTES } from '#base/bounds';
import { messageOf, orUndefined, systemCode, UsageError } from '#base/errors';
import { parseBounded } from '#base/text/bounded-json';
import { isObject } from '#service/json';
import { configDirectory, restrictPermissions, withDescriptor } from './config-directory.ts';
import { type CommandProblem, commandProblem, plantedBy } from './planted.ts';

export interface Store extends Stored {
  file: string;
  corrections: readonly string[];
}

export async function configFile(env: NodeJS.Dict<string>): Promise<string> {
  return join(await configDirectory(env), 'config.json');
}

/** Reads the config. If it is invalid or may be another user's, throws UsageError and changes nothing. */
export async function readStore(env: NodeJS.Dict<string>): Promise<Store> {
  const file = await configFile(env);
  // If the home is not a directory, there is no config. QRCTL_CONFIG_DIR must be a directory.
  const missing = env.QRCTL_CONFIG_DIR ? ['ENOENT'] : ['ENOENT', 'ENOTDIR'];
  try {
    const found = readText(file);
    const stored = { commandProblem: found.commandProblem, ...parseStored(found.text) };
    // If the permissions were corrected, the next command could run another user's key-command.
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

const PROFILE_FIELDS = [
  'baseUrl',
  'apiKey',
  'keyBaseUrl',
  'keyCommand',
  'format',
  'timezone',
  'reserve',
  'concurrency',
  'maxWait',
  'delimiter',
  'shortUrl',
  'accessible',
] as const;

type ProfileField = (typeof PROFILE_FIELDS)[number];
export type StoredProfile = { readonly [F in ProfileField]?: string };

/** Stored config. Its profiles are a Map, so that no name (`__proto__`) has a special meaning. */
export interface Stored {
  current?: string;
  profiles: ReadonlyMap<string, StoredProfile>;
  commandProblem?: CommandProblem;
}

export function hasUncheckedCommand({ commandProblem, profiles }: Stored): boolean {
  return (
    commandProblem?.isOpen === true &&
    [...profiles.values()].some(({ keyCommand }) => keyCommand !== undefined)
  );
}

const VERSION = 1;

export const CONFIG_SCHEMA = {
  version: { const: VERSION },
  current: { type: 'string' },
  profiles: {
    type: 'object',
    additionalProperties: { type: 'object', additionalProperties: { type: 'string' } },
  },
} as const;

export const DEFAULT_PROFILE = 'default';

/** Parses the config without conf, which loads slowly. Errors don't quote the text, which may have keys. */
export function parseStored(text: string): Stored {
  const data = orUndefined(() => parseBounded(text));
  if (data === undefined) throw new Error('it is not JSON');
  if (!isObject(data)) throw new Error('it is not a JSON object');
  if (data.version !== VERSION)
    throw new Error(`its version is not ${VERSION}; a newer qrctl may have written it`);
  if (data.current !== undefined && typeof data.current !== 'string')
    throw new Error('"current" is not a name');
  if (!isObject(data.profiles)) throw new Error('"profiles" is not an object');
  const profiles = Object.entries(data.profiles).map(([name, value]) => [name, parseProfile(value)] as const);
  return { current: data.current, profiles: new Map(profiles) };
}

function parseProfile(data: unknown): StoredProfile {
  if (!isObject(data)) throw new Error('a profile is not an object');
  const profile: { -readonly [F in ProfileField]?: string } = {};
  for (const field of PROFILE_FIELDS) {
    const value = Object.hasOwn(data, field) ? data[field] : undefined;
    if (value === undefined) continue;
    if (typeof value !== 'string') throw new Error(`"${field}" of a profile is not text`);
    profile[field] = value;
  }
  return profile;
}

export function formatStored(stored: Stored): Record<string, unknown> {
  return { version: VERSION, current: stored.current, profiles: Object.fromEntries(stored.profiles) };
}
