import { defineCommand } from '../define.ts';
import { printValue } from './key-and-value.ts';

export const command = defineCommand({
  description: 'Prints where the config file is, whether it exists or not. Nothing is read or created.',
  options: {},
  examples: [
    { command: 'qrctl config path', does: 'see where keys and settings are kept' },
    { command: 'ls -l "$(qrctl config path)"', does: 'look at its modes' },
  ],
  async run(context) {
    const { configFile } = await import('../../settings/store.ts');
    await printValue(context, await configFile(context.env));
  },
});
