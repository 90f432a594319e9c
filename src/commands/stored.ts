import { clean } from '#base/text/clean';
import { shown } from '#base/text/quote';
import type { Context } from '#context';
import { chooseInputs } from '#settings/resolve';
import type { Inputs } from '#settings/settings';
import { readStore, type Store, type Stored, type StoredProfile } from '#settings/store';
import { SETTING_KEYS, type SettingKey } from '#settings/values';
import { type ArgumentDefinition, oneOf } from './define.ts';

export async function openStore(context: Context): Promise<Store> {
  return mentioning(context, await readStore(context.env));
}

export async function changeStore(context: Context, change: (stored: Stored) => Stored): Promise<Store> {
  const { updateStore } = await import('#settings/write-store');
  return mentioning(context, await updateStore(context, change));
}

export async function changeProfile(
  context: Context,
  name: string,
  change: (profile: StoredProfile) => StoredProfile,
): Promise<Store> {
  return changeStore(context, (stored) => {
    const profile = change(stored.profiles.get(name) ?? {});
    return { ...stored, profiles: new Map([...stored.profiles, [name, profile]]) };
  });
}

/** Opens the current profile. Throws UsageError if it is specified but not stored. */
export async function openProfile(context: Context, mayCreate?: boolean): Promise<Inputs & { store: Store }> {
  const store = await openStore(context);
  return { store, ...chooseInputs(context.flags, context.env, store, mayCreate) };
}

export function warnOfProfileVariable({ console, env }: Context, name: string): void {
  if (!env.QRCTL_PROFILE || env.QRCTL_PROFILE === name) return;
  console.warn(`QRCTL_PROFILE is set to '${shown(env.QRCTL_PROFILE)}' and overrides the current profile`);
}

function mentioning(context: Context, store: Store): Store {
  for (const sentence of store.corrections) context.console.warn(sentence);
  return store;
}

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
