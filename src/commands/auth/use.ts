import { defineCommand } from '../define.ts';

export const command = defineCommand({
  description: 'Makes a stored profile the current one: what commands use without --profile or QRCTL_PROFILE.',
  arguments: [{ term: '<profile>', description: 'the profile', complete: 'profiles' }],
  options: {},
  examples: [
    { command: 'qrctl auth use work', does: 'switch to the profile called work' },
    { command: 'qrctl auth list', does: 'see which profiles there are' },
  ],
  async run(context, { args: [name = ''] }) {
    const { unknownProfile } = await import('../../settings/choose-profile.ts');
    const { changeStore, openStore, warnOfProfileVariable } = await import('../stored.ts');
    const store = await openStore(context);
    if (!store.profiles.has(name)) throw unknownProfile(name, store);
    await changeStore(context, (stored) => ({ ...stored, current: name }));
    context.console.note(`the current profile is '${name}'`);
    warnOfProfileVariable(context, name);
  },
});
