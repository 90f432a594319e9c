/** `qr check`: its flags; run-check.ts checks the destinations. */
import { defineCommand } from '../../define.ts';
import { options } from './flags.ts';

export const command = defineCommand({
  description:
    'Checks whether the destinations of codes respond.\n\n' +
    'Without CODE, it checks every code. It sends a GET request without your key, reads only the headers, and follows redirects, one ' +
    'request at a time per host. A destination behind a login or bot protection is "blocked", which is not a failure.\n\n' +
    'Private addresses are refused, even after a redirect. Behind a proxy, names that this machine cannot resolve are refused, too. If no ' +
    'destination responds, the command exits with code 7 and writes no file.\n\n' +
    '--timeout applies to each destination, and --concurrency to hosts (default: 256).',
  arguments: [{ term: '[code...]', description: 'IDs or slugs of codes', complete: 'codes' }],
  options,
  columns: async () => [{ columns: (await import('./columns.ts')).COLUMNS }],
  examples: [
    { command: 'qrctl qr check', does: 'Check every destination' },
    {
      command: 'qrctl qr check spring-menu --require-utm source,campaign',
      does: 'Check one destination and its UTM tags',
    },
    {
      command: 'qrctl qr check --status active --fail-on broken,unreachable,empty -o dead.csv',
      does: 'Write a file, and exit with code 8 if a destination fails',
    },
    {
      command: 'qrctl qr check --status active --since-last check.csv --quiet',
      does: 'Print only changes, for example in a nightly cron job',
    },
  ],
  async run(context, { args, options }) {
    await (await import('./run-check.ts')).runCheck(context, args, options);
  },
});
