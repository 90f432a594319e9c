import { defineCommand } from '#commands/define';
import { outputOptionsWithoutIds, printRecords } from '#commands/output-options';
import { openProfile } from '#commands/stored';
import { shownSetting } from '#settings/resolve';
import { findKey } from '#settings/resolve-key';
import type { Inputs } from '#settings/settings';
import { SETTING_KEYS } from '#settings/values';

const COLUMNS = [{ name: 'key', keepWhole: true }, { name: 'value' }, { name: 'source', keepWhole: true }];

export const command = defineCommand({
  description:
    'Lists every setting, its effective value and its source.\n\n' +
    'The source is a flag, a variable, the profile or the default. The last row, api-key, is the source of the API key: variable, ' +
    'file, credential, profile, command, or default if there is none.',
  options: outputOptionsWithoutIds,
  columns: [{ columns: COLUMNS }],
  examples: [
    ['qrctl config list', 'List the effective settings'],
    ['qrctl config list --profile work --format json', 'List the settings of a profile as JSON'],
  ],
  async run(context, { options }) {
    const inputs = await openProfile(context);
    const records = SETTING_KEYS.map((key) => ({ ...shownSetting(key, inputs) }));
    await printRecords(context, [...records, keyRecord(inputs)], COLUMNS, options, { thing: 'setting' });
  },
});

function keyRecord(inputs: Inputs) {
  const baseUrl = shownSetting('base-url', inputs).value ?? undefined;
  const { keySource, pendingKey } = findKey(inputs, baseUrl);
  const value = pendingKey && 'path' in pendingKey ? pendingKey.path : null;
  return { key: 'api-key', value, source: keySource ?? 'default' };
}
