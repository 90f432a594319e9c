import { SETTING_KEYS } from '../../settings/values.ts';
import { defineCommand } from '../define.ts';
import { outputOptionsWithoutIds, printRecords } from '../output-options.ts';

const COLUMNS = [{ name: 'key', keepWhole: true }, { name: 'value' }, { name: 'source', keepWhole: true }];

export const command = defineCommand({
  description:
    'Lists every setting, its effective value and its source.\n\n' +
    'The source is a flag, a variable, the profile or the default. A setting without a value is empty. For the API key, see ' +
    '`qrctl auth status`.',
  options: outputOptionsWithoutIds,
  examples: [
    { command: 'qrctl config list', does: 'List the effective settings' },
    { command: 'qrctl config list --profile work --format json', does: 'List the settings of a profile as JSON' },
  ],
  async run(context, { options }) {
    const { shownSetting } = await import('../../settings/sources.ts');
    const { openProfile } = await import('../stored.ts');
    const inputs = await openProfile(context);
    const records = SETTING_KEYS.map((key) => ({ ...shownSetting(key, inputs) }));
    await printRecords(context, records, COLUMNS, options, { thing: 'setting' });
  },
});
