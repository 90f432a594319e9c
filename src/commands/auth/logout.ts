import { UsageError } from '#base/errors';
import { defineCommand, flag } from '#commands/define';
import { changeStore, openProfile, openStore } from '#commands/stored';
import { profileName } from '#settings/resolve';
import type { Stored } from '#settings/store';

export const command = defineCommand({
  description:
    'Removes a profile with its key and settings.\n\n' +
    'Without --profile, it removes the current profile. The key itself stays valid until you revoke it on the API Keys page of the service.',
  options: { all: flag('--all', 'Remove every profile', { risky: true }) },
  examples: [
    ['qrctl auth logout --profile work', 'Remove one profile'],
    ['qrctl auth logout --all', 'Remove every profile and key from this machine'],
  ],
  async run(context, { options: { all } }) {
    if (all && context.flags.profile !== undefined)
      throw new UsageError("--all can't be used with --profile", { hint: 'Omit one of them.' });
    const { store, name } = all
      ? { store: await openStore(context), name: '' }
      : await openProfile(context, false);
    const leaving = [...store.profiles.keys()].filter((profile) => all || profile === name);
    if (leaving.length === 0) return context.console.note('There is no profile to remove');
    const left = await changeStore(context, (stored) => without(stored, leaving));
    context.console.note(`Removed: ${leaving.join(', ')}`);
    context.console.note(currentNote(left));
  },
});

function without(stored: Stored, names: readonly string[]): Stored {
  const profiles = new Map([...stored.profiles].filter(([name]) => !names.includes(name)));
  const { current = '' } = stored;
  return { current: profiles.has(current) ? current : undefined, profiles };
}

function currentNote(stored: Stored): string {
  const name = profileName({}, {}, stored);
  if (stored.profiles.has(name)) return `The current profile is '${name}'`;
  return stored.profiles.size === 0
    ? 'No profile is left'
    : 'No profile is current. Choose one with `qrctl auth use NAME`';
}
