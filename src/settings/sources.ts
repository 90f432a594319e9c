/** Where the value of a setting comes from: flag > variable > profile > default. The one place that knows this order. */
import { UsageError } from '../errors.ts';
import type { SettingFlags, Variables } from './settings.ts';
import type { StoredProfile } from './stored.ts';
import { DEFAULT_CONCURRENCY, type SettingKey } from './values.ts';

export type Source = 'flag' | 'variable' | 'profile' | 'default';

/** What settings are resolved from, once the profile is chosen. */
export interface Inputs {
  flags: SettingFlags;
  env: Variables;
  /** Name of the profile in force. */
  name: string;
  profile: StoredProfile;
}

interface Place {
  flag?: 'baseUrl' | 'reserve' | 'concurrency' | 'maxWait';
  variable?: 'QRCTL_BASE_URL';
  field: Exclude<keyof StoredProfile, 'apiKey' | 'keyBaseUrl'>;
  fallback?: string;
}

export const PLACES: Readonly<Record<SettingKey, Place>> = {
  'base-url': { flag: 'baseUrl', variable: 'QRCTL_BASE_URL', field: 'baseUrl' },
  format: { field: 'format' },
  timezone: { field: 'timezone' },
  reserve: { flag: 'reserve', field: 'reserve', fallback: '0' },
  concurrency: { flag: 'concurrency', field: 'concurrency', fallback: String(DEFAULT_CONCURRENCY) },
  'max-wait': { flag: 'maxWait', field: 'maxWait' },
  'short-url': { field: 'shortUrl' },
};

/** A setting as text and where it stands; no text and `default` where nothing names it. */
export interface Sourced {
  key: SettingKey;
  text: string | undefined;
  source: Source;
}

/** The text of a setting from the first place that has one. An empty variable counts as unset. */
export function findSetting(key: SettingKey, { flags, env, profile }: Inputs): Sourced {
  const { flag, variable, field, fallback } = PLACES[key];
  if (flag && flags[flag] !== undefined) return { key, text: flags[flag], source: 'flag' };
  if (variable && env[variable]) return { key, text: env[variable], source: 'variable' };
  if (profile[field] !== undefined) return { key, text: profile[field], source: 'profile' };
  return { key, text: fallback, source: 'default' };
}

/** A bad value, told with the place it stands in, so that the person knows what to change. */
export function badSetting({ key, source }: Sourced, profileName: string, reason: string, cause?: unknown): UsageError {
  if (source === 'flag') return new UsageError(`--${key}: ${reason}`, { cause });
  if (source === 'variable') return new UsageError(`${PLACES[key].variable}: ${reason}`, { cause });
  return new UsageError(`the profile '${profileName}' holds a bad ${key}: ${reason}`, {
    hint: `qrctl config set ${key} VALUE --profile ${profileName}, or qrctl config unset ${key} --profile ${profileName}`,
    cause,
  });
}
