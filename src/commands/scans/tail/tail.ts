import { defineCommand } from '../../define.ts';
import { options } from './flags.ts';

export const command = defineCommand({
  description:
    'Prints new scans as they arrive, until you press Ctrl-C.\n\n' +
    'Each scan is printed once; new scans are sorted oldest first. The command keeps running through outages, and includes scans that ' +
    'the service lists up to an hour late. It sends one request per code and interval, and more only if many scans are new.\n\n' +
    'With --state, the next run continues after the last printed scan, also after a crash. If a run is killed between printing and recording, ' +
    'the next one prints at most one batch (500 scans) again. For a file with each scan exactly once, use `qrctl scans export --append`.',
  arguments: [{ term: '[code...]', description: 'IDs or slugs of codes', complete: 'codes' }],
  options,
  columns: async () => (await import('../labels.ts')).scanOutputs(),
  examples: [
    { command: 'qrctl scans tail spring-menu', does: 'Follow the scans of a code' },
    {
      command: 'qrctl scans tail --all -f ndjson --interval 30s',
      does: 'Print one JSON object per line for another program',
    },
    {
      command: 'qrctl scans tail --all -f ndjson --state tail.json',
      does: 'Feed another program, and continue after a restart',
    },
  ],
  async run(context, { args, options }) {
    const { runTail } = await import('./run-tail.ts');
    await runTail(context, args, options);
  },
});
