/** Checks a setting before it is stored. */
import { UsageError } from '../errors.ts';
import { parseBaseUrl } from '../service/base-url.ts';
import { completedNote } from './resolve.ts';
import { type SettingKey, VALUES } from './values.ts';

/** The text to store: as given, but a base URL in the form that is used. Throws UsageError for a value the key cannot have. */
export function checkSetting(key: SettingKey, text: string): { text: string; note: string | undefined } {
  if (key === 'base-url') {
    const { baseUrl, completed } = parseBaseUrl(text);
    return { text: baseUrl, note: completed ? completedNote(baseUrl) : undefined };
  }
  if (VALUES[key].parse(text) === undefined) throw new UsageError(`that is no value of ${key}. ${VALUES[key].forms}`);
  return { text, note: undefined };
}
