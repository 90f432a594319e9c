/** Settings as people see them: the value in force and where it stands. */
import { parseBaseUrl } from '../service/base-url.ts';
import { findSetting, type Inputs, type Source } from './sources.ts';
import type { SettingKey } from './values.ts';

export interface ShownSetting {
  key: SettingKey;
  /** As it was typed, but a base URL in the form that is used; null where nothing names one. */
  value: string | null;
  source: Source;
}

/** One setting in force. A value that is wrong is shown as it stands: this is how one finds it. */
export function shownSetting(key: SettingKey, inputs: Inputs): ShownSetting {
  const { text, source } = findSetting(key, inputs);
  return { key, value: text === undefined ? null : shownText(key, text), source };
}

function shownText(key: SettingKey, text: string): string {
  if (key !== 'base-url') return text;
  try {
    return parseBaseUrl(text).baseUrl;
  } catch {
    return text;
  }
}
