import { defineCommand } from '../../define.ts';
import { options } from './flags.ts';

export const command = defineCommand({
  description:
    'Prints new scans as they come, each once, oldest first of what is new, until it is ended. It lives through outages of the service, and ' +
    'shows scans that were listed up to an hour late. Each code costs one request an interval while little is new.',
  arguments: [{ term: '[code...]', description: 'ids or slugs of codes', complete: 'codes' }],
  options,
  examples: [
    { command: 'qrctl scans tail spring-menu', does: 'the launch, live' },
    { command: 'qrctl scans tail --all -f ndjson --interval 30s', does: 'one JSON object a line, for another program' },
  ],
  async run(context, { args, options }) {
    const { runTail } = await import('./run-tail.ts');
    await runTail(context, args, options);
  },
});
