import { SETTING_KEYS } from '../../settings/values.ts';
import { defineCommand } from '../define.ts';
import { outputOptionsWithoutIds, printRecords } from '../output-options.ts';

const COLUMNS = [{ name: 'key', keepWhole: true }, { name: 'value' }, { name: 'source', keepWhole: true }];

export const command = defineCommand({
  description:
    'Shows every setting, the value in force, and where it comes from: a flag, a variable, the profile, or the default. ' +
    'Empty values are not set; the key is not a setting (see `qrctl auth status`).',
  options: outputOptionsWithoutIds,
  examples: [
    { command: 'qrctl config list', does: 'what is in force now' },
    { command: 'qrctl config list --profile work --format json', does: 'what a profile says, for a script' },
  ],
  async run(context, { options }) {
    const { shownSetting } = await import('../../settings/sources.ts');
    const { openProfile } = await import('../stored.ts');
    const inputs = await openProfile(context);
    const records = SETTING_KEYS.map((key) => ({ ...shownSetting(key, inputs) }));
    await printRecords(context, records, COLUMNS, options, { thing: 'setting' });
  },
});
