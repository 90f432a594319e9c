/** What can be checked without asking the service: config file, profile, settings, base URL, key, proxy. */
import type { Context } from '../../context.ts';
import { AuthError, UsageError } from '../../errors.ts';
import { proxyFor } from '../../service/proxy.ts';
import { chooseInputs, profileName } from '../../settings/choose-profile.ts';
import { keyPrefix } from '../../settings/key.ts';
import { resolveBaseUrl, resolveInputs, resolveKey } from '../../settings/resolve.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Inputs } from '../../settings/sources.ts';
import { readStore, type Store } from '../../settings/store.ts';
import { doubtful, type Finding, failed, sound } from './finding.ts';

/** What was found, and what the rest can be checked with: defaults stand in for what is wrong. */
export interface LocalState {
  findings: Finding[];
  settings: Settings;
}

export async function checkLocally(context: Context): Promise<LocalState> {
  const config = await checkConfig(context);
  const profile = checkProfile(context, config.value);
  const others = checkOtherSettings(profile.value);
  const base = checkBaseUrl(profile.value);
  const key = checkStoredKey(profile.value, base.value);
  const settings = { ...others.value, baseUrl: base.value, apiKey: key.value };
  // Everything that any command would stop at before it misses the key comes before the key.
  const checks = [config, profile, others, base, { findings: checkProxy(context, base.value) }, key];
  return { findings: checks.flatMap(({ findings }) => findings), settings };
}

interface Checked<T> {
  findings: Finding[];
  value: T;
}

async function checkConfig({ env }: Context): Promise<Checked<Pick<Store, 'current' | 'profiles'>>> {
  try {
    const store = await readStore(env);
    const { file, mended, profiles } = store;
    if (mended.length > 0) {
      return {
        findings: mended.map((sentence) => doubtful('config', sentence, 'see that nothing opens it again')),
        value: store,
      };
    }
    const holds = profiles.size === 0 ? 'no profile is stored yet' : `profiles stored: ${profiles.size}, open to nobody else`;
    return { findings: [sound('config', `${file}: ${holds}`)], value: store };
  } catch (error) {
    return { findings: [failed('config', error)], value: { current: undefined, profiles: new Map() } };
  }
}

function checkProfile({ flags, env }: Context, store: Pick<Store, 'current' | 'profiles'>): Checked<Inputs> {
  try {
    const inputs = chooseInputs(flags, env, store);
    const stored = store.profiles.has(inputs.name) ? '' : ' (not stored)';
    return { findings: [sound('profile', `in force: '${inputs.name}'${stored}`)], value: inputs };
  } catch (error) {
    return { findings: [failed('profile', error)], value: { flags, env, name: profileName(flags, env, store), profile: {} } };
  }
}

/** Everything but base URL and key, which have checks of their own. */
function checkOtherSettings({ flags, name, profile }: Inputs): Checked<Settings> {
  try {
    const inputs = {
      flags: { ...flags, baseUrl: undefined },
      env: {},
      name,
      profile: { ...profile, baseUrl: undefined, apiKey: undefined },
    };
    return { findings: [sound('settings', 'every value is one its setting can have')], value: resolveInputs(inputs) };
  } catch (error) {
    return { findings: [failed('settings', error)], value: resolveInputs({ flags: {}, env: {}, name, profile: {} }) };
  }
}

function checkBaseUrl(inputs: Inputs): Checked<string | undefined> {
  try {
    const base = resolveBaseUrl(inputs);
    if (base) return { findings: [sound('base-url', [base.baseUrl, ...base.note].join('; '))], value: base.baseUrl };
    const hint = 'qrctl auth login --base-url https://HOST/api/v1; `qrctl demo` and `qrctl sandbox` need none';
    return { findings: [failed('base-url', new UsageError('no base URL is configured', { hint }))], value: undefined };
  } catch (error) {
    return { findings: [failed('base-url', error)], value: undefined };
  }
}

function checkStoredKey(inputs: Inputs, baseUrl: string | undefined): Checked<string | undefined> {
  try {
    // Without a base URL there is still something to say of the key: take the one it was stored for.
    const { apiKey, apiKeyProblem } = resolveKey(inputs, baseUrl ?? inputs.profile.keyBaseUrl);
    const origin = inputs.env.QRCTL_API_KEY ? 'QRCTL_API_KEY' : `the profile '${inputs.name}'`;
    if (apiKey !== undefined) return { findings: [sound('key', `${keyPrefix(apiKey)} of ${origin}`)], value: apiKey };
    const failure = new AuthError(apiKeyProblem ?? 'no API key is configured', { hint: 'qrctl auth login' });
    return { findings: [failed('key', failure)], value: undefined };
  } catch (error) {
    return { findings: [failed('key', error)], value: undefined };
  }
}

function checkProxy({ env }: Context, baseUrl: string | undefined): Finding[] {
  if (baseUrl === undefined) return [];
  try {
    const proxy = proxyFor(new URL(baseUrl), env);
    // Its origin alone: the rest may hold a password.
    return [sound('proxy', proxy ? `requests go through ${proxy.origin}` : 'none: requests go straight to the service')];
  } catch (error) {
    return [failed('proxy', error)];
  }
}
