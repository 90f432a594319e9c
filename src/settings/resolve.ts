import { UsageError } from '../base/errors.ts';
import { quote, shown } from '../base/text/quote.ts';
import { findTemplateProblem } from '../base/text/short-url.ts';
import { parseBaseUrl } from '../service/base-url.ts';
import { parseKeyCommand } from './key-command.ts';
import { resolveKey } from './resolve-key.ts';
import type { SettingFlags, Settings, Variables } from './settings.ts';
import { badSetting, chooseInputs, findSetting, type Inputs } from './sources.ts';
import type { Store } from './store.ts';
import type { Stored } from './stored.ts';
import { DEFAULT_CONCURRENCY, type SettingKey, VALUES } from './values.ts';

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_RETRY_FOR_MS = 30_000;

/** Throws UsageError for a specified profile that is not stored, and for invalid values. */
export function resolveSettings(
  flags: SettingFlags,
  env: Variables,
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

/** Returns the effective base URL, and a note if it was completed. */
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

/** Returns the text to store, with URLs in canonical form. Throws UsageError for an invalid value. */
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
