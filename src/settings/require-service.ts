/** Refuses settings without a base URL or a key, with the next step. */
import { AuthError, UsageError } from '../errors.ts';
import { missingBaseUrlHint } from './resolve-key.ts';
import type { ConnectedSettings, Settings, Variables } from './settings.ts';

/** Throws UsageError if there is no base URL: no key is read without a service that it is for. */
export function requireBaseUrl({ baseUrl }: Settings, env: Variables): void {
  if (baseUrl !== undefined) return;
  throw new UsageError('no base URL is configured', {
    hint: missingBaseUrlHint(env, '. To try qrctl without a service, run `qrctl demo` or `qrctl sandbox`.'),
  });
}

/** Returns settings that have a base URL and their key. Throws AuthError if there is no key that may be sent to that service. */
export function requireKey(settings: Settings): ConnectedSettings {
  const { baseUrl = '', apiKey, apiKeyProblem } = settings;
  if (apiKey !== undefined) return { ...settings, baseUrl, apiKey };
  const hint = apiKeyProblem
    ? `Run \`qrctl auth login --profile NAME --base-url ${baseUrl}\`, or set QRCTL_API_KEY for this command.`
    : 'Run `qrctl auth login`, or set QRCTL_API_KEY for this command. To try qrctl without a key, run `qrctl demo` or `qrctl sandbox`.';
  throw new AuthError(apiKeyProblem ?? `no API key for ${baseUrl}`, { hint });
}
