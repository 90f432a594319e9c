/** `scans watch`: its flags; run-watch.ts judges the codes. */
import { defineCommand } from '../../define.ts';
import { options } from './flags.ts';

export const command = defineCommand({
  description:
    'Finds codes whose scans stopped, dropped or jumped.\n\n' +
    'Each code is compared with its own past: the last seven days with the mean of the eight weeks before, and a time without scans with the same ' +
    'hours of earlier weeks. A code is judged only if at least 30 scans are expected. --quiet-for covers codes with fewer scans.\n\n' +
    'Outcomes are quiet, drop, jump, new and ok. A code that is not judged is ok, and its note states the reason. Paused and expired codes ' +
    'are judged only with --status.\n\n' +
    'It sends one or two requests per code, none with --input, and exits with code 8 if it finds quiet, drop or jump.',
  arguments: [{ term: '[code...]', description: 'IDs or slugs of codes', complete: 'codes' }],
  options,
  columns: async () => [{ columns: (await import('./run-watch.ts')).COLUMNS }],
  examples: [
    { command: 'qrctl scans watch --all', does: 'Compare each code with its usual activity' },
    {
      command: 'qrctl scans watch --all --quiet-for 7d -o quiet.csv',
      does: 'Also report codes without scans for a week',
    },
    {
      command: 'qrctl scans watch --all --since-last watch.csv --quiet',
      does: 'Print only changes, for example in a nightly cron job',
    },
    {
      command: 'qrctl scans watch --input scans.csv --until now',
      does: 'Watch the codes of an exported file',
    },
  ],
  async run(context, { args, options }) {
    await (await import('./run-watch.ts')).runWatch(context, args, options);
  },
});
