import { defineCommand } from '../define.ts';
import { keyArgument, printValue, settingKey } from './key-and-value.ts';

export const command = defineCommand({
  description:
    'Prints the value of a setting that is in force: of a flag, else of a variable, else of the profile, else the default. ' +
    'A setting that nothing names prints nothing and is no failure, so that scripts can ask for it under `set -e`.',
  arguments: [keyArgument],
  options: {},
  examples: [
    { command: 'qrctl config get base-url', does: 'the service in use' },
    { command: 'qrctl config get timezone --profile work', does: 'a setting of another profile' },
  ],
  async run(context, { args }) {
    const { shownSetting } = await import('../../settings/sources.ts');
    const { openProfile } = await import('../stored.ts');
    const inputs = await openProfile(context);
    const key = settingKey(args);
    const { value } = shownSetting(key, inputs);
    if (value === null) context.console.note(`${key} is not set; qrctl config set ${key} VALUE sets it`);
    else await printValue(context, value);
  },
});
