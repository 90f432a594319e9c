import type { Context } from '../../context.ts';
import type { Row } from '../../rows/row-sink.ts';
import { defineCommand } from '../define.ts';
import { openOutput, outputOptionsWithoutIds, writeAll } from '../output-options.ts';

const COLUMNS = ['profile', 'base_url', 'key', 'plan', 'limit', 'remaining', 'reset', 'codes'].map((name) => ({ name }));

export const command = defineCommand({
  description:
    'Shows the profile, base URL and key prefix in force, and by one request the plan, its requests a minute, what is left of ' +
    'them, when they are counted anew (by the clock of the service), and the number of codes. Exits with 3 when the service refuses the key.',
  options: outputOptionsWithoutIds,
  examples: [
    { command: 'qrctl auth status', does: 'check the key and see what is left of the rate limit' },
    { command: 'qrctl auth status --format json --profile work', does: 'the same for a script, with another profile' },
  ],
  async run(context, { options }) {
    const output = await openOutput(context, options, COLUMNS, 'record');
    await writeAll(output, [askStatus(context)]);
  },
});

async function askStatus(context: Context): Promise<Row[]> {
  const { keyPrefix } = await import('../../text/key.ts');
  const { formatInstant } = await import('../../time/time.ts');
  const service = await context.service();
  const { profile, apiKey = '' } = await context.settings();
  const { total } = await service.listCodes({ page: 1, limit: 1 });
  const { plan, limit, remaining, resetMs } = service.rateLimit();
  const status = {
    profile,
    base_url: service.baseUrl,
    key: keyPrefix(apiKey),
    plan: plan?.replaceAll(apiKey, '[key]') ?? null,
    limit: limit ?? null,
    remaining: remaining ?? null,
    reset: resetMs === undefined ? null : formatInstant(resetMs),
    codes: total,
  };
  return [status];
}
