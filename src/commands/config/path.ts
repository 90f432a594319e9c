import { defineCommand } from '#commands/define';
import { printValue } from '#commands/stored';
import { configFile } from '#settings/store';

export const command = defineCommand({
  description: 'Prints the path of the config file.\n\nThe file does not need to exist.',
  options: {},
  examples: [
    ['qrctl config path', 'Show where keys and settings are stored'],
    ['ls -l "$(qrctl config path)"', 'Show the permissions of the config file'],
  ],
  async run(context) {
    await printValue(context, await configFile(context.env));
  },
});
