/** Finds settings: flag > variable > profile > default. */
import { UsageError } from '#base/errors';
import { redactKeys } from '#base/text/key';
import { nearest } from '#base/text/nearest';
import { inShellOr, quote, shown } from '#base/text/quote';
import { findTemplateProblem, parseShortUrl } from '#base/text/short-url';
import { isSwitchedOn } from '#base/text/switched-on';
import { baseUrlOf, parseBaseUrl } from '#service/base-url';
import { parseKeyCommand } from './key-command.ts';
import { resolveKey } from './resolve-key.ts';
import type { Inputs, SettingFlags, Settings } from './settings.ts';
import { DEFAULT_PROFILE, type Store, type Stored, type StoredProfile } from './store.ts';
import { DEFAULT_CONCURRENCY, type SettingKey, VALUES } from './values.ts';

type SettingSource = 'flag' | 'variable' | 'profile' | 'default';

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

interface Sourced {
  key: SettingKey;
  text?: string;
  source: SettingSource;
}

function findSetting(key: SettingKey, { flags, env, profile }: Inputs): Sourced {
  const { flag, variable, ofVariable = (value) => value, field, fallback } = SETTING_NAMES[key];
  if (flag && flags[flag] !== undefined) return { key, text: flags[flag], source: 'flag' };
  if (variable && env[variable]) return { key, text: ofVariable(env[variable]), source: 'variable' };
  if (profile[field] !== undefined) return { key, text: profile[field], source: 'profile' };
  return { key, text: fallback, source: 'default' };
}

/** Returns a setting and its source, even if it is invalid. */
export function shownSetting(key: SettingKey, inputs: Inputs) {
  const { text, source } = findSetting(key, inputs);
  return { key, value: text === undefined ? null : shownText(key, text), source };
}

function shownText(key: SettingKey, text: string): string {
  if (key === 'short-url') return parseShortUrl(text) ?? text;
  return (key === 'base-url' && baseUrlOf(text)) || text;
}

function badSetting(
  { key, source }: Sourced,
  profileName: string,
  reason: string,
  cause?: unknown,
): UsageError {
  if (source !== 'profile') {
    const name = source === 'flag' ? `--${key}` : SETTING_NAMES[key].variable;
    const hint = cause instanceof UsageError ? cause.hint : undefined;
    return new UsageError(`invalid value for ${name}: ${reason}`, { cause, hint });
  }
  const named = inShellOr('NAME', profileName);
  return new UsageError(`invalid value for ${key} in profile '${profileName}': ${reason}`, {
    hint: `Run \`qrctl config set ${key} VALUE --profile ${named}\` or \`qrctl config unset ${key} --profile ${named}\`.`,
    cause,
  });
}

export function profileName(flags: SettingFlags, env: NodeJS.Dict<string>, stored: Stored): string {
  return flags.profile ?? (env.QRCTL_PROFILE || (stored.current ?? DEFAULT_PROFILE));
}

/** Chooses the profile. Throws UsageError if a specified one is not stored. */
export function chooseInputs(
  flags: SettingFlags,
  env: NodeJS.Dict<string>,
  stored: Stored,
  mayCreate = true,
): Inputs {
  const name = profileName(flags, env, stored);
  const typed = flags.profile !== undefined || Boolean(env.QRCTL_PROFILE);
  if (typed && !stored.profiles.has(name)) throw unknownProfile(name, stored, mayCreate);
  const profile = stored.profiles.get(name) ?? {};
  return { flags, env, name, profile, commandProblem: stored.commandProblem };
}

const PROFILE_NAME = /^(?!-)[^\p{C}\p{Z}'"\\]{1,64}$/u;

/** Returns a name for a profile. Throws UsageError for an API key, or a name that is hard to type. */
export function newProfileName(flags: SettingFlags, env: NodeJS.Dict<string>, stored: Stored): string {
  const name = profileName(flags, env, stored);
  if (redactKeys(name) !== name)
    throw new UsageError('expected a profile name, not an API key', {
      hint: 'Specify a profile name. `qrctl auth login` prompts for the key.',
    });
  if (!PROFILE_NAME.test(name))
    throw new UsageError(
      'invalid profile name (expected 1 to 64 visible characters without spaces, quotes or backslashes, not starting with -)',
    );
  return name;
}

export function unknownProfile(name: string, stored: Stored, mayCreate = true): UsageError {
  return new UsageError(`there is no profile '${shown(redactKeys(name))}'`, {
    hint: hintFor(name, [...stored.profiles.keys()], mayCreate),
  });
}

function hintFor(name: string, names: readonly string[], mayCreate: boolean): string {
  if (redactKeys(name) !== name)
    return 'The name looks like an API key. Run `qrctl auth login` and enter the key when prompted.';
  const similar = nearest(name, names);
  if (similar === undefined && mayCreate && PROFILE_NAME.test(name))
    return `Run \`qrctl auth login --profile ${inShellOr('NAME', name)}\` to create it.`;
  const question = similar === undefined ? '' : `Did you mean '${similar}'? `;
  return `${question}Run \`qrctl auth list\` to see all profiles.`;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_RETRY_FOR_MS = 30_000;

/** Resolves all settings. Throws UsageError for an unknown profile or an invalid value. */
export function resolveSettings(
  flags: SettingFlags,
  env: NodeJS.Dict<string>,
  store: Stored & Partial<Store>,
): Settings {
  const settings = resolveInputs(chooseInputs(flags, env, store));
  return { ...settings, notes: [...(store.corrections ?? []), ...settings.notes] };
}

export function resolveInputs(inputs: Inputs): Settings {
  const base = resolveBaseUrl(inputs);
  return {
    profile: inputs.name,
    baseUrl: base?.baseUrl,
    ...resolveKey(inputs, base?.baseUrl),
    format: resolveValue('format', inputs),
    delimiter: resolveValue('delimiter', inputs),
    timezone: resolveValue('timezone', inputs),
    shortUrl: resolveValue('short-url', inputs),
    accessible: resolveValue('accessible', inputs) ?? false,
    reserve: resolveValue('reserve', inputs) ?? { requests: 0 },
    concurrency: resolveValue('concurrency', inputs) ?? DEFAULT_CONCURRENCY,
    maxWaitMs: resolveValue('max-wait', inputs),
    timeoutMs: inputs.flags.timeout ?? DEFAULT_TIMEOUT_MS,
    retryForMs: inputs.flags.retryFor ?? DEFAULT_RETRY_FOR_MS,
    notes: base?.note ?? [],
  };
}

function wrongValue(key: keyof typeof VALUES, text: string): string {
  return `'${shown(text)}' (expected ${VALUES[key].forms})`;
}

type Value<K extends keyof typeof VALUES> = Exclude<ReturnType<(typeof VALUES)[K]['parse']>, undefined>;

function resolveValue<K extends keyof typeof VALUES>(key: K, inputs: Inputs): Value<K> | undefined {
  const found = findSetting(key, inputs);
  if (found.text === undefined) return undefined;
  const value = VALUES[key].parse(found.text);
  if (value === undefined) throw badSetting(found, inputs.name, wrongValue(key, found.text));
  return value as Value<K>;
}

export function resolveBaseUrl(inputs: Inputs): { baseUrl: string; note: string[] } | undefined {
  const found = findSetting('base-url', inputs);
  if (found.text === undefined) return undefined;
  try {
    const { baseUrl, completed } = parseBaseUrl(found.text);
    return { baseUrl, note: completed ? [completedNote(baseUrl)] : [] };
  } catch (cause) {
    if (cause instanceof UsageError) throw badSetting(found, inputs.name, cause.message, cause);
    throw cause;
  }
}

function completedNote(baseUrl: string): string {
  return `the base URL had no path: using ${baseUrl}`;
}

/** Returns the text to store, with URLs in canonical form. Throws UsageError. */
export function checkSetting(key: SettingKey, text: string): { text: string; note?: string } {
  if (key === 'base-url') {
    const { baseUrl, completed } = parseBaseUrl(text);
    return { text: baseUrl, note: completed ? completedNote(baseUrl) : undefined };
  }
  if (key === 'key-command') {
    parseKeyCommand(text);
    return { text };
  }
  const value = VALUES[key].parse(text);
  if (value === undefined) throw new UsageError(`invalid value for ${key}: ${wrongValue(key, text)}`);
  if (key !== 'short-url') return { text };
  const problem = findTemplateProblem(String(value));
  if (problem !== undefined) throw new UsageError(`cannot store ${quote(text)} as short-url: it ${problem}`);
  if (value === text) return { text };
  return { text: String(value), note: 'the address had no placeholder for the code; added /{slug}' };
}
