import { SETTING_KEYS, type SettingKey } from '../../settings/values.ts';
import type { ArgumentDefinition } from '../define.ts';

/** The setting that `get`, `set` and `unset` are about. */
export const keyArgument: ArgumentDefinition = {
  name: '<key>',
  description: 'the setting',
  choices: SETTING_KEYS,
  complete: 'setting',
};

/** The first argument as a setting; parsing has let nothing else through. */
export function settingKey(args: readonly string[]): SettingKey {
  const key = SETTING_KEYS.find((name) => name === args[0]);
  if (!key) throw new Error(`unknown setting ${args[0]}`);
  return key;
}
