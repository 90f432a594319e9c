import { orUndefined } from '#base/errors';
import { parseBounded } from '#base/text/bounded-json';
import { isObject } from '#service/json';

/** Fields of a stored profile. The key is sent only to `keyBaseUrl`. */
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

/** Profiles are a Map, so that no name (`__proto__`) has a special meaning. */
export interface Stored {
  current?: string;
  profiles: ReadonlyMap<string, StoredProfile>;
  commandProblem?: CommandProblem;
}

export interface CommandProblem {
  reason: string;
  hint: string;
  /** Other users can write the config. Corrected permissions would hide this. */
  isOpen: boolean;
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

/**
 * Parses the config without conf, which loads slowly. Errors don't quote the text, because it contains keys.
 */
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
