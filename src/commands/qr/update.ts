import { CODE_STATUSES } from '../../service/shapes.ts';
import { choice, defineCommand, text } from '../define.ts';
import { outputOptions } from '../output-options.ts';
import { bulkOptions } from './bulk-options.ts';

export const command = defineCommand({
  description:
    'Changes name, destination or status of one code, or of each row of a file. Rows say which code by id or slug; an empty cell leaves ' +
    'what is there, and a row that would change nothing costs no request of its own. Safe to repeat.',
  arguments: [{ name: '[code]', description: 'id (uuid) or slug', complete: 'code' }],
  options: {
    name: text('--name <name>', 'its new name'),
    destination: text('--destination <address>', "where it points to from now on; '' is sent as it is, to empty it", {
      empty: true,
    }),
    status: choice('--status <status>', 'its new status', CODE_STATUSES),
    ...bulkOptions,
    ...outputOptions,
  },
  examples: [
    { command: 'qrctl qr update aB3xY --destination https://example.com/summer', does: 'point a printed code somewhere else' },
    { command: 'qrctl qr update aB3xY --status paused', does: 'pause it' },
    { command: 'qrctl qr update --from changes.csv --dry-run', does: 'see old and new values of every row' },
    { command: 'qrctl qr update --from changes.csv', does: 'change them; results in changes.results.csv' },
  ],
  async run(context, { args: [code], options }) {
    const { from } = options;
    if (from === undefined) return (await import('./update-one.ts')).updateOne(context, code, options);
    const { refuseTogether } = await import('./flag-rules.ts');
    const { name, destination, status } = options;
    refuseTogether('--from', { 'a CODE': code, '--name': name, '--destination': destination, '--status': status });
    await (await import('./update-bulk.ts')).updateFromFile(context, from, options);
  },
});
