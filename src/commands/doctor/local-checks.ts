/** Local checks, without a request: config file, profile, settings, base URL, key, proxy. */
import { AuthError, UsageError } from '../../base/errors.ts';
import { keyPrefix } from '../../base/text/key.ts';
import type { Context } from '../../context.ts';
import { proxyFor } from '../../service/proxy.ts';
import { chooseInputs, profileName } from '../../settings/choose-profile.ts';
import { resolveBaseUrl, resolveInputs } from '../../settings/resolve.ts';
import { describeSource, missingBaseUrlHint, resolveKey } from '../../settings/resolve-key.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Inputs } from '../../settings/sources.ts';
import { readStore } from '../../settings/store.ts';
import type { Stored } from '../../settings/stored.ts';
import { doubtful, type Finding, failed, sound } from './finding.ts';

export interface LocalState {
  findings: Finding[];
  settings: Settings;
}

export async function checkLocally({
  flags,
  env,
  withKey,
}: Pick<Context, 'flags' | 'env' | 'withKey'>): Promise<LocalState> {
  const config = await check('config', { current: undefined, profiles: new Map() }, () => checkConfig(env));
  const store: Stored = config.value;
  const unchosen = { flags, env, name: profileName(flags, env, store), profile: {} };
  const profile = await check('profile', unchosen, () =>
    checkProfile(chooseInputs(flags, env, store), store),
  );
  const inputs: Inputs = profile.value;
  const defaults = resolveInputs({ flags: {}, env: {}, name: inputs.name, profile: {} });
  const others = await check('settings', defaults, () => checkOtherSettings(inputs));
  const base = await check('base-url', undefined, () => checkBaseUrl(inputs));
  const proxy = await check('proxy', undefined, () => checkProxy(env, base.value));
  const key = await check('key', NO_KEY, () => checkKey(inputs, others.value, base.value, withKey));
  const settings = { ...others.value, ...key.value, baseUrl: base.value };
  // The order in which other commands would fail.
  return {
    findings: [config, profile, others, base, proxy, key].flatMap(({ findings }) => findings),
    settings,
  };
}

interface Checked<T> {
  findings: Finding[];
  value: T;
}

/** Returns the finding of `look`; if it throws, the error is the finding, and the other checks use `fallback`. */
async function check<T>(
  name: Finding['check'],
  fallback: T,
  look: () => Checked<T> | Promise<Checked<T>>,
): Promise<Checked<T>> {
  try {
    return await look();
  } catch (error) {
    return { findings: [failed(name, error)], value: fallback };
  }
}

async function checkConfig(env: Context['env']): Promise<Checked<Stored>> {
  const store = await readStore(env);
  const { file, mended, profiles } = store;
  const holds =
    profiles.size === 0
      ? 'no profile is stored yet'
      : `${profiles.size} stored ${profiles.size === 1 ? 'profile' : 'profiles'}, not readable by other users`;
  const warnings = mended.map((sentence) =>
    doubtful('config', sentence, 'Find the program that changes the permissions.'),
  );
  return { findings: warnings.length > 0 ? warnings : [sound('config', `${file}: ${holds}`)], value: store };
}

function checkProfile(inputs: Inputs, store: Stored): Checked<Inputs> {
  const stored = store.profiles.has(inputs.name) ? '' : ' (not stored)';
  return { findings: [sound('profile', `'${inputs.name}'${stored}`)], value: inputs };
}

function checkOtherSettings({ flags, name, profile }: Inputs): Checked<Settings> {
  const inputs = {
    flags: { ...flags, baseUrl: undefined },
    env: {},
    name,
    profile: { ...profile, baseUrl: undefined, apiKey: undefined, keyCommand: undefined },
  };
  return { findings: [sound('settings', 'every value is valid')], value: resolveInputs(inputs) };
}

function checkBaseUrl(inputs: Inputs): Checked<string | undefined> {
  const base = resolveBaseUrl(inputs);
  if (base)
    return { findings: [sound('base-url', [base.baseUrl, ...base.note].join('; '))], value: base.baseUrl };
  const hint = missingBaseUrlHint(inputs.env, ', or try `qrctl demo`.');
  throw new UsageError('no base URL is configured', { hint });
}

type Key = Pick<Settings, 'apiKey' | 'keySource'>;
const NO_KEY: Key = { apiKey: undefined, keySource: undefined };

async function checkKey(
  inputs: Inputs,
  settings: Settings,
  baseUrl: string | undefined,
  withKey: Context['withKey'],
): Promise<Checked<Key>> {
  // Without a base URL, the key can still be checked: use the one it was stored for.
  const found = resolveKey(inputs, baseUrl ?? inputs.profile.keyBaseUrl);
  const { apiKey, apiKeyProblem, keySource } = await withKey({ ...settings, ...found });
  const origin = describeSource(keySource, inputs.name);
  if (apiKey !== undefined)
    return { findings: [sound('key', `${keyPrefix(apiKey)} from ${origin}`)], value: { apiKey, keySource } };
  throw new AuthError(apiKeyProblem ?? 'no API key is configured', { hint: 'Run `qrctl auth login`.' });
}

function checkProxy(env: Context['env'], baseUrl: string | undefined): Checked<undefined> {
  if (baseUrl === undefined) return { findings: [], value: undefined };
  const proxy = proxyFor(new URL(baseUrl), env);
  // The rest of the address may contain a password.
  const way = proxy ? `requests go through ${proxy.origin}` : 'none; requests go directly to the service';
  return { findings: [sound('proxy', way)], value: undefined };
}
