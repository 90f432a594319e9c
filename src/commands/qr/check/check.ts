/** `qr check`: its flags; run-check.ts asks the destinations. */
import { defineCommand } from '../../define.ts';
import { options } from './flags.ts';

export const command = defineCommand({
  description:
    'Asks the destination of each code (every code, unless some are named) whether it is alive: GET, the headers only, without the key, one ' +
    'request at a time on each host, redirects followed and counted. What is behind a login or a wall against bots is "blocked", which is ' +
    'no failure. Addresses that are not of the public internet are refused after looking up their names, also where a redirect leads to one; ' +
    'behind a proxy, names that this machine cannot look up are refused too. ' +
    'If no destination responds, the network of this machine is to blame: exit 7, and no file is written. ' +
    '--timeout is for one destination, its redirects with it; --concurrency for how many hosts are asked at once (default here: 256).',
  arguments: [{ term: '[code...]', description: 'ids (uuid) or slugs', complete: 'codes' }],
  options,
  examples: [
    { command: 'qrctl qr check', does: 'every destination' },
    { command: 'qrctl qr check aB3xY --require-utm source,campaign', does: 'one, and whether its tags survive' },
    {
      command: 'qrctl qr check --status active --fail-on broken,unreachable,empty -o dead.csv',
      does: 'a file, and exit 8 where something is dead',
    },
    {
      command: 'qrctl qr check --status active --since-last check.csv --quiet',
      does: 'every night: silent unless something changed',
    },
  ],
  async run(context, { args, options }) {
    await (await import('./run-check.ts')).runCheck(context, args, options);
  },
});
