import { defineCommand } from '../../define.ts';
import { options } from './flags.ts';

export const command = defineCommand({
  description:
    'Prints new scans as they arrive, until you press Ctrl-C.\n\n' +
    'Each scan is printed once; new scans are sorted oldest first. The command keeps running through outages, and includes scans that ' +
    'the service lists up to an hour late. It sends one request per code and interval, and more only if many scans are new.',
  arguments: [{ term: '[code...]', description: 'IDs or slugs of codes', complete: 'codes' }],
  options,
  examples: [
    { command: 'qrctl scans tail spring-menu', does: 'Follow the scans of a code' },
    { command: 'qrctl scans tail --all -f ndjson --interval 30s', does: 'Print one JSON object per line for another program' },
  ],
  async run(context, { args, options }) {
    const { runTail } = await import('./run-tail.ts');
    await runTail(context, args, options);
  },
});
