import { defineCommand } from '#commands/define';
import { keyArgument, openProfile, printValue, settingKey } from '#commands/stored';
import { shownSetting } from '#settings/resolve';

export const command = defineCommand({
  description:
    'Prints the effective value of a setting.\n\n' +
    'A flag overrides a variable, a variable overrides the profile, and the profile overrides the default. If the setting has no value, the ' +
    'command prints nothing and exits with code 0.',
  arguments: [keyArgument],
  options: {},
  examples: [
    ['qrctl config get base-url', 'Print the base URL in use'],
    ['qrctl config get timezone --profile work', 'Print a setting of another profile'],
  ],
  async run(context, { args }) {
    const inputs = await openProfile(context);
    const key = settingKey(args);
    const { value } = shownSetting(key, inputs);
    if (value === null)
      context.console.note(`${key} is not set. Set it with \`qrctl config set ${key} VALUE\``);
    else await printValue(context, value);
  },
});
