/** No other file defines this order: flag > variable > profile > default. */
import { UsageError } from '../base/errors.ts';
import { redactKeys } from '../base/text/key.ts';
import { nearest } from '../base/text/nearest.ts';
import { inShellOr, shown } from '../base/text/quote.ts';
import { parseShortUrl } from '../base/text/short-url.ts';
import { isSwitchedOn } from '../base/text/switched-on.ts';
import { baseUrlOf } from '../service/base-url.ts';
import type { SettingFlags, Variables } from './settings.ts';
import { type CommandProblem, DEFAULT_PROFILE, type Stored, type StoredProfile } from './stored.ts';
import { DEFAULT_CONCURRENCY, type SettingKey } from './values.ts';

type SettingSource = 'flag' | 'variable' | 'profile' | 'default';

export interface Inputs {
  flags: SettingFlags;
  env: Variables;
  name: string;
  profile: StoredProfile;
  commandProblem?: CommandProblem;
}

interface SettingNames {
  flag?: 'baseUrl' | 'reserve' | 'concurrency' | 'maxWait';
  variable?: 'QRCTL_BASE_URL' | 'ACCESSIBLE';
  ofVariable?: (value: string) => string;
  field: Exclude<keyof StoredProfile, 'apiKey' | 'keyBaseUrl'>;
  fallback?: string;
}

export const SETTING_NAMES: Readonly<Record<SettingKey, SettingNames>> = {
  'base-url': { flag: 'baseUrl', variable: 'QRCTL_BASE_URL', field: 'baseUrl' },
  format: { field: 'format' },
  timezone: { field: 'timezone' },
  reserve: { flag: 'reserve', field: 'reserve', fallback: '0' },
  concurrency: { flag: 'concurrency', field: 'concurrency', fallback: String(DEFAULT_CONCURRENCY) },
  'max-wait': { flag: 'maxWait', field: 'maxWait' },
  delimiter: { field: 'delimiter' },
  'short-url': { field: 'shortUrl' },
  accessible: {
    variable: 'ACCESSIBLE',
    ofVariable: (value) => (isSwitchedOn(value) ? 'yes' : 'no'),
    field: 'accessible',
    fallback: 'no',
  },
  'key-command': { field: 'keyCommand' },
};

export interface Sourced {
  key: SettingKey;
  text?: string;
  source: SettingSource;
}

/** An empty variable counts as unset. */
export function findSetting(key: SettingKey, { flags, env, profile }: Inputs): Sourced {
  const { flag, variable, ofVariable = (value) => value, field, fallback } = SETTING_NAMES[key];
  if (flag && flags[flag] !== undefined) return { key, text: flags[flag], source: 'flag' };
  if (variable && env[variable]) return { key, text: ofVariable(env[variable]), source: 'variable' };
  if (profile[field] !== undefined) return { key, text: profile[field], source: 'profile' };
  return { key, text: fallback, source: 'default' };
}

/** Returns an invalid value unchanged, so that users can find it. */
export function shownSetting(key: SettingKey, inputs: Inputs) {
  const { text, source } = findSetting(key, inputs);
  return { key, value: text === undefined ? null : shownText(key, text), source };
}

function shownText(key: SettingKey, text: string): string {
  if (key === 'short-url') return parseShortUrl(text) ?? text;
  return (key === 'base-url' && baseUrlOf(text)) || text;
}

export function badSetting(
  { key, source }: Sourced,
  profileName: string,
  reason: string,
  cause?: unknown,
): UsageError {
  const details = { cause, hint: cause instanceof UsageError ? cause.hint : undefined };
  if (source === 'flag') return new UsageError(`invalid value for --${key}: ${reason}`, details);
  if (source === 'variable')
    return new UsageError(`invalid value for ${SETTING_NAMES[key].variable}: ${reason}`, details);
  const named = inShellOr('NAME', profileName);
  return new UsageError(`invalid value for ${key} in profile '${profileName}': ${reason}`, {
    hint: `Run \`qrctl config set ${key} VALUE --profile ${named}\` or \`qrctl config unset ${key} --profile ${named}\`.`,
    cause,
  });
}

export function profileName(flags: SettingFlags, env: Variables, stored: Stored): string {
  return flags.profile ?? (env.QRCTL_PROFILE || (stored.current ?? DEFAULT_PROFILE));
}

/** Throws UsageError for a specified profile that is not stored. */
export function chooseInputs(flags: SettingFlags, env: Variables, stored: Stored): Inputs {
  const name = profileName(flags, env, stored);
  const typed = flags.profile !== undefined || Boolean(env.QRCTL_PROFILE);
  if (typed && !stored.profiles.has(name)) throw unknownProfile(name, stored);
  const profile = stored.profiles.get(name) ?? {};
  return { flags, env, name, profile, commandProblem: stored.commandProblem };
}

/**
 * Returns the name that a login stores under. Throws UsageError for a key, and for a name that is hard to
 * type.
 */
export function newProfileName(flags: SettingFlags, env: Variables, stored: Stored): string {
  const name = profileName(flags, env, stored);
  if (redactKeys(name) !== name)
    throw new UsageError('expected a profile name, not an API key', {
      hint: 'Specify a profile name. `qrctl auth login` prompts for the key.',
    });
  if (!/^(?!-)[^\p{C}\p{Z}'"\\]{1,64}$/u.test(name))
    throw new UsageError(
      'invalid profile name (expected 1 to 64 visible characters without spaces, quotes or backslashes, not starting with -)',
    );
  return name;
}

export function unknownProfile(name: string, stored: Stored): UsageError {
  return new UsageError(`there is no profile '${shown(redactKeys(name))}'`, {
    hint: hintFor(name, [...stored.profiles.keys()]),
  });
}

function hintFor(name: string, names: readonly string[]): string {
  if (redactKeys(name) !== name)
    return 'The name looks like an API key. Run `qrctl auth login` and enter the key when prompted.';
  const similar = nearest(name, names);
  return similar === undefined
    ? `Run \`qrctl auth login --profile ${inShellOr('NAME', name)}\` to create it.`
    : `Did you mean '${similar}'? Run \`qrctl auth list\` to see all profiles.`;
}
