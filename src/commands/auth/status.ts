import { keyPrefix } from '#base/text/key';
import { instantOrNull } from '#base/time/time';
import { defineCommand } from '#commands/define';
import { openOutput, outputOptionsWithoutIds } from '#commands/output-options';

const NAMES = ['profile', 'base_url', 'key', 'plan', 'limit', 'remaining', 'reset', 'codes', 'source'];
const COLUMNS = NAMES.map((name) => ({ name }));

export const command = defineCommand({
  description:
    'Shows the profile, its plan and its remaining requests.\n\n' +
    'It sends one request. The time of the next reset is by the clock of the service. The key source is variable, file, credential (systemd), ' +
    'profile or command.',
  options: outputOptionsWithoutIds,
  columns: [{ columns: COLUMNS }],
  examples: [
    ['qrctl auth status', 'Check the key and the remaining requests'],
    ['qrctl auth status --format json --profile work', 'Show the status of another profile as JSON'],
  ],
  async run(context, { options }) {
    const output = await openOutput(context, options, COLUMNS, 'record');
    const service = await context.service();
    const { profile, apiKey, keySource: source = null } = await context.connected();
    const { total } = await service.listCodes({ page: 1, limit: 1 });
    const { plan, limit = null, remaining = null, resetMs } = service.rateLimit();
    const status = {
      profile,
      base_url: service.baseUrl,
      key: keyPrefix(apiKey),
      plan: plan?.replaceAll(apiKey, '[key]') ?? null,
      limit,
      remaining,
      reset: instantOrNull(resetMs),
      codes: total,
      source,
    };
    await output.print([status]);
  },
});
