import { clean } from '../../base/text/clean.ts';
import type { Context } from '../../context.ts';
import { SETTING_KEYS, type SettingKey } from '../../settings/values.ts';
import { type ArgumentDefinition, oneOf } from '../define.ts';

export const keyArgument: ArgumentDefinition = {
  term: '<setting>',
  description: 'Name of the setting',
  choices: SETTING_KEYS,
};

export function settingKey([name = '']: readonly string[]): SettingKey {
  return oneOf(name, SETTING_KEYS);
}

export async function printValue({ console }: Context, value: string): Promise<void> {
  await console.write(`${console.isTerminal ? clean(value) : value}\n`);
}
