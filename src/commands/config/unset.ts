import { defineCommand } from '#commands/define';
import { changeProfile, keyArgument, openProfile, settingKey } from '#commands/stored';
import { SETTING_NAMES } from '#settings/resolve';

export const command = defineCommand({
  description: 'Removes a setting from the current profile.\n\nThe default applies again.',
  arguments: [keyArgument],
  options: {},
  examples: [
    ['qrctl config unset reserve', 'Use the whole rate limit again'],
    ['qrctl config unset timezone --profile work', "Use the machine's time zone again in one profile"],
  ],
  async run(context, { args }) {
    const key = settingKey(args);
    const { field } = SETTING_NAMES[key];
    const { name, profile } = await openProfile(context);
    if (profile[field] === undefined) {
      context.console.note(`${key} was not set in the profile '${name}'`);
      return;
    }
    await changeProfile(context, name, (stored) => ({ ...stored, [field]: undefined }));
    context.console.note(`Removed ${key} from the profile '${name}'`);
  },
});
