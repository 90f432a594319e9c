import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { AuthError, UsageError } from '#base/errors';
import { checkKey } from '#base/text/key';
import { inShellOr } from '#base/text/quote';
import type { ConnectedSettings, Inputs, KeySource, Settings } from './settings.ts';

const CREDENTIAL = 'qrctl-api-key';

type FoundKey = Pick<Settings, 'apiKey' | 'apiKeyProblem' | 'keySource' | 'pendingKey'>;

/**
 * Finds the key. One from the environment is for any base URL. A profile's key or key-command is only for
 * the base URL that it was stored with; for another one, returns `apiKeyProblem`. Throws UsageError if the
 * key is invalid.
 */
export function resolveKey(inputs: Inputs, baseUrl: string | undefined): FoundKey {
  const found = findKey(inputs, baseUrl);
  if (found.apiKey !== undefined) {
    const isVariable = found.keySource === 'variable';
    checkKey(found.apiKey, isVariable ? 'QRCTL_API_KEY' : `the key of the profile '${inputs.name}'`);
  }
  return found;
}

/** Returns the unchecked key, its source (`pendingKey`), or the reason not to send it (`apiKeyProblem`). */
export function findKey(inputs: Inputs, baseUrl: string | undefined): FoundKey {
  const { env, name, profile, commandProblem } = inputs;
  const none = { apiKey: undefined, apiKeyProblem: undefined, keySource: undefined, pendingKey: undefined };
  if (env.QRCTL_API_KEY) return { ...none, apiKey: env.QRCTL_API_KEY, keySource: 'variable' };
  const outside = keyFile(env);
  if (outside) return { ...none, keySource: outside.source, pendingKey: { path: outside.path } };
  if ((profile.apiKey ?? profile.keyCommand) === undefined || baseUrl === undefined) return none;
  if (baseUrl !== profile.keyBaseUrl) {
    const apiKeyProblem = `the key of the profile '${name}' was stored for ${profile.keyBaseUrl ?? 'no base URL'} and is not sent to ${baseUrl}`;
    return { ...none, apiKeyProblem };
  }
  if (profile.keyCommand !== undefined) {
    const pendingKey = { command: profile.keyCommand, problem: commandProblem };
    return { ...none, keySource: 'command', pendingKey };
  }
  return { ...none, apiKey: profile.apiKey, keySource: 'profile' };
}

function keyFile({ QRCTL_API_KEY_FILE: file, CREDENTIALS_DIRECTORY: directory }: NodeJS.Dict<string>) {
  if (file) return { source: 'file', path: file } as const;
  if (!directory || !isAbsolute(directory)) return undefined;
  const path = join(directory, CREDENTIAL);
  return existsSync(path) ? ({ source: 'credential', path } as const) : undefined;
}

export function outsideKey(env: NodeJS.Dict<string>): string | undefined {
  return outsideName(env.QRCTL_API_KEY ? 'variable' : keyFile(env)?.source);
}

const OUTSIDE = {
  variable: 'QRCTL_API_KEY',
  file: 'QRCTL_API_KEY_FILE',
  credential: `the systemd credential ${CREDENTIAL}`,
} as const;

export function outsideName(source: KeySource | undefined): string | undefined {
  return source === undefined || source === 'profile' || source === 'command' ? undefined : OUTSIDE[source];
}

export function describeSource(source: KeySource | undefined, profile: string): string {
  return (
    outsideName(source) ?? `${source === 'command' ? 'the key-command of ' : ''}the profile '${profile}'`
  );
}

export function missingBaseUrlHint(env: NodeJS.Dict<string>, trial: string): string {
  if (outsideKey(env) !== undefined) return 'Set QRCTL_BASE_URL, or specify --base-url https://HOST/api/v1.';
  return `Run \`qrctl auth login --base-url https://HOST/api/v1\`${trial}`;
}

export function refusedKeyHint({ keySource, profile }: Settings): string {
  const named = inShellOr('NAME', profile);
  const hints: Readonly<Record<KeySource, string>> = {
    variable: 'QRCTL_API_KEY is set and was rejected. Correct or unset it.',
    file: 'The key from QRCTL_API_KEY_FILE was rejected. Correct the file, or unset the variable.',
    credential: `The key from ${OUTSIDE.credential} was rejected. Correct LoadCredential= in the unit.`,
    command: `The key-command printed a key that was rejected. Change it with \`qrctl config set key-command 'COMMAND' --profile ${named}\`.`,
    profile: `Run \`qrctl auth login --profile ${named}\` to store a valid key.`,
  };
  return keySource ? hints[keySource] : 'Copy the whole key again from the API Keys page of this workspace.';
}

/** Throws UsageError without a base URL. Must be called before any key is read. */
export function requireBaseUrl({ baseUrl }: Settings, env: NodeJS.Dict<string>): void {
  if (baseUrl !== undefined) return;
  throw new UsageError('no base URL is configured', {
    hint: missingBaseUrlHint(env, '. To try qrctl without a service, run `qrctl demo` or `qrctl sandbox`.'),
  });
}

/** Returns settings with a key. Throws AuthError if none may be sent to the service. */
export function requireKey(settings: Settings): ConnectedSettings {
  const { baseUrl = '', apiKey, apiKeyProblem } = settings;
  if (apiKey !== undefined) return { ...settings, baseUrl, apiKey };
  const hint = apiKeyProblem
    ? `Run \`qrctl auth login --profile NAME --base-url ${baseUrl}\`, or set QRCTL_API_KEY for this command.`
    : 'Run `qrctl auth login`, or set QRCTL_API_KEY for this command. To try qrctl without a key, run `qrctl demo` or `qrctl sandbox`.';
  throw new AuthError(apiKeyProblem ?? `no API key for ${baseUrl}`, { hint });
}
