import { defineCommand } from '#commands/define';
import { changeStore, openStore, warnOfProfileVariable } from '#commands/stored';
import { unknownProfile } from '#settings/resolve';

export const command = defineCommand({
  description:
    'Makes a stored profile the current one.\n\nCommands without --profile or QRCTL_PROFILE use the current profile.',
  arguments: [{ term: '<profile>', description: 'Name of the profile', complete: 'profiles' }],
  options: {},
  examples: [
    ['qrctl auth use work', 'Switch to the work profile'],
    ['qrctl auth list', 'List the stored profiles'],
  ],
  async run(context, { args: [name = ''] }) {
    const store = await openStore(context);
    if (!store.profiles.has(name)) throw unknownProfile(name, store);
    await changeStore(context, (stored) => ({ ...stored, current: name }));
    context.console.note(`The current profile is '${name}'`);
    warnOfProfileVariable(context, name);
  },
});
