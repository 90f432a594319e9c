import { keyPrefix } from '#base/text/key';
import { defineCommand } from '#commands/define';
import { outputOptionsWithoutIds, printRecords } from '#commands/output-options';
import { openStore } from '#commands/stored';
import { profileName } from '#settings/resolve';

const COLUMNS = [
  { name: 'profile', keepWhole: true },
  { name: 'current', format: (value: unknown) => (value ? '*' : '') },
  { name: 'base_url', keepWhole: true },
  { name: 'key' },
  { name: 'source', keepWhole: true },
];

export const command = defineCommand({
  description:
    'Lists the stored profiles, with base URL and key prefix.\n\nThe current profile is marked. The key source is profile (stored key) or command (key-command, ' +
    'which is not run). No request is sent.',
  options: outputOptionsWithoutIds,
  columns: [{ columns: COLUMNS }],
  examples: [
    ['qrctl auth list', 'List every profile on this machine'],
    ['qrctl auth list --format json', 'List profiles as JSON for a script'],
  ],
  async run(context, { options }) {
    const store = await openStore(context);
    const current = profileName({}, {}, store);
    const records = [...store.profiles].map(([profile, { baseUrl, apiKey, keyCommand }]) => ({
      profile,
      current: profile === current,
      base_url: baseUrl ?? null,
      key: apiKey === undefined ? null : keyPrefix(apiKey),
      source: (keyCommand !== undefined && 'command') || (apiKey !== undefined && 'profile') || null,
    }));
    const none = 'No profile is stored. Add one with `qrctl auth login`';
    await printRecords(context, records, COLUMNS, options, { none, thing: 'profile' });
  },
});
