import { access, constants } from 'node:fs/promises';
import { AuthError, UsageError } from '#base/errors';
import { keyPrefix } from '#base/text/key';
import { countOf } from '#base/text/quote';
import { makeStateDirectory } from '#codes/engine/ledger/choose-ledger';
import { OTHER_DIRECTORY } from '#codes/engine/ledger/open-ledger';
import type { Context } from '#context';
import { nodeDisk } from '#files/durable/node-disk';
import { describeSystemError } from '#files/durable/path-errors';
import { proxyFor } from '#service/proxy';
import { chooseInputs, profileName, resolveBaseUrl, resolveInputs } from '#settings/resolve';
import { describeSource, missingBaseUrlHint, resolveKey } from '#settings/resolve-key';
import type { Inputs, Settings } from '#settings/settings';
import { readStore, type Stored } from '#settings/store';
import { doubtful, type Finding, failed, sound } from './finding.ts';

export async function checkLocally({ flags, env, withKey }: Context) {
  const findings: Finding[] = [];
  async function check<T>(
    name: Finding['check'],
    fallback: T,
    look: () => Checked<T> | Promise<Checked<T>>,
  ): Promise<T> {
    try {
      const { value, message, warnings = [] } = await look();
      if (warnings.length > 0) findings.push(...warnings);
      else if (message !== undefined) findings.push(sound(name, message));
      return value ?? fallback;
    } catch (error) {
      findings.push(failed(name, error));
      return fallback;
    }
  }

  const store = await check<Stored>('config', { profiles: new Map() }, () => checkConfig(env));
  const unchosen = { flags, env, name: profileName(flags, env, store), profile: {} };
  const inputs: Inputs = await check('profile', unchosen, () => {
    const value = chooseInputs(flags, env, store);
    return { value, message: `'${value.name}'${store.profiles.has(value.name) ? '' : ' (not stored)'}` };
  });
  const defaults = resolveInputs({ flags: {}, env: {}, name: inputs.name, profile: {} });
  const others = await check('settings', defaults, () => checkOtherSettings(inputs));
  const baseUrl = await check('base-url', undefined, () => checkBaseUrl(inputs));
  await check('proxy', undefined, () => checkProxy(env, baseUrl));
  const key = await check<Key>('key', {}, () => checkKey(inputs, others, baseUrl, withKey));
  await check('state', undefined, () => checkState(env));
  return { findings, settings: { ...others, ...key, baseUrl } };
}

interface Checked<T> {
  value?: T;
  message?: string;
  warnings?: Finding[];
}

async function checkConfig(env: Context['env']): Promise<Checked<Stored>> {
  const store = await readStore(env);
  const { file, corrections, profiles } = store;
  const holds =
    profiles.size === 0
      ? 'no profile is stored yet'
      : `${countOf(profiles.size, 'stored profile')}, not readable by other users`;
  const warnings = corrections.map((sentence) =>
    doubtful('config', sentence, 'Find the program that changes the permissions.'),
  );
  return { value: store, message: `${file}: ${holds}`, warnings };
}

function checkOtherSettings({ flags, name, profile }: Inputs): Checked<Settings> {
  const value = resolveInputs({
    flags: { ...flags, baseUrl: undefined },
    env: {},
    name,
    profile: { ...profile, baseUrl: undefined, apiKey: undefined, keyCommand: undefined },
  });
  return { value, message: 'every value is valid' };
}

function checkBaseUrl(inputs: Inputs): Checked<string | undefined> {
  const base = resolveBaseUrl(inputs);
  if (base) return { value: base.baseUrl, message: [base.baseUrl, ...base.note].join('; ') };
  const hint = missingBaseUrlHint(inputs.env, ', or try `qrctl demo`.');
  throw new UsageError('no base URL is configured', { hint });
}

type Key = Pick<Settings, 'apiKey' | 'keySource'>;

async function checkKey(
  inputs: Inputs,
  settings: Settings,
  baseUrl: string | undefined,
  withKey: Context['withKey'],
): Promise<Checked<Key>> {
  const found = resolveKey(inputs, baseUrl ?? inputs.profile.keyBaseUrl);
  const { apiKey, apiKeyProblem, keySource } = await withKey({ ...settings, ...found });
  if (apiKey === undefined)
    throw new AuthError(apiKeyProblem ?? 'no API key is configured', { hint: 'Run `qrctl auth login`.' });
  const message = `${keyPrefix(apiKey)} from ${describeSource(keySource, inputs.name)}`;
  return { value: { apiKey, keySource }, message };
}

async function checkState(env: Context['env']): Promise<Checked<undefined>> {
  try {
    const path = await makeStateDirectory(nodeDisk, env);
    await access(path, constants.R_OK | constants.W_OK);
    return { message: `${path}: the memory of runs over files` };
  } catch (error) {
    const message = `runs over files can't remember their requests: ${describeSystemError(error)}`;
    return { warnings: [doubtful('state', message, OTHER_DIRECTORY)] };
  }
}

function checkProxy(env: Context['env'], baseUrl: string | undefined): Checked<undefined> {
  if (baseUrl === undefined) return {};
  const proxy = proxyFor(new URL(baseUrl), env);
  // Shows only the origin, because a proxy URL may contain a password.
  const message = proxy ? `requests go through ${proxy.origin}` : 'none; requests go directly to the service';
  return { message };
}
