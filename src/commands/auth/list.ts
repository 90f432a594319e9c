import { defineCommand } from '../define.ts';
import { outputOptionsWithoutIds, printRecords } from '../output-options.ts';

const COLUMNS = [
  { name: 'profile', keepWhole: true },
  { name: 'current', format: (value: unknown) => (value ? '*' : '') },
  { name: 'base_url', keepWhole: true },
  { name: 'key' },
];

export const command = defineCommand({
  description: 'Lists the stored profiles, with base URL and key prefix.\n\nThe current profile is marked. No request is sent.',
  options: outputOptionsWithoutIds,
  examples: [
    { command: 'qrctl auth list', does: 'List every profile on this machine' },
    { command: 'qrctl auth list --format json', does: 'List profiles as JSON for a script' },
  ],
  async run(context, { options }) {
    const { profileName } = await import('../../settings/choose-profile.ts');
    const { keyPrefix } = await import('../../text/key.ts');
    const { openStore } = await import('../stored.ts');
    const store = await openStore(context);
    const current = profileName({}, {}, store);
    const records = [...store.profiles].map(([profile, { baseUrl, apiKey }]) => ({
      profile,
      current: profile === current,
      base_url: baseUrl ?? null,
      key: apiKey === undefined ? null : keyPrefix(apiKey),
    }));
    const none = 'No profile is stored. Add one with `qrctl auth login`';
    await printRecords(context, records, COLUMNS, options, { none, thing: 'profile' });
  },
});
