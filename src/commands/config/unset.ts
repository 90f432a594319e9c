import { defineCommand } from '../define.ts';
import { keyArgument, settingKey } from './key-and-value.ts';

export const command = defineCommand({
  description: 'Removes a setting from the profile in force, so that its default counts again.',
  arguments: [keyArgument],
  options: {},
  examples: [
    { command: 'qrctl config unset reserve', does: 'use the whole rate limit again' },
    { command: 'qrctl config unset timezone --profile work', does: "go back to the machine's time zone in one profile" },
  ],
  async run(context, { args }) {
    const { SETTING_NAMES } = await import('../../settings/sources.ts');
    const { changeProfile, openProfile } = await import('../stored.ts');
    const key = settingKey(args);
    const { field } = SETTING_NAMES[key];
    const { name, profile } = await openProfile(context);
    if (profile[field] === undefined) {
      context.console.note(`${key} was not set in the profile '${name}'`);
      return;
    }
    await changeProfile(context, name, (stored) => ({ ...stored, [field]: undefined }));
    context.console.note(`${key} is no longer set in the profile '${name}'`);
  },
});
