/** `qr delete`: its flags, and which of its forms they ask for. */
import { defineCommand } from '../../define.ts';
import { refuseTogether } from '../bulk-flags.ts';
import { options } from './flags.ts';

export const command = defineCommand({
  description:
    'Deletes codes together with all their scans, for ever: nothing brings them back, and a printed code leads nowhere. On a terminal ' +
    'it shows names and scans and asks first; elsewhere it needs --yes.',
  arguments: [{ term: '[code...]', description: 'ids (uuid) or slugs', complete: 'codes' }],
  options,
  examples: [
    { command: 'qrctl qr delete aB3xY', does: 'asks, then deletes one code' },
    { command: 'qrctl qr delete aB3xY --backup deleted', does: 'deletes it when its scans are safe in that directory' },
    { command: 'qrctl qr delete --from old.csv --dry-run', does: 'names and scans of what would be lost' },
    { command: 'qrctl qr delete --from old.csv --yes', does: 'delete them in a script; results in old.results.csv' },
  ],
  async run(context, { args, options }) {
    const { from } = options;
    const { deleteCodes, deleteFromFile } = await import('./delete-codes.ts');
    if (from === undefined) return deleteCodes(context, args, options);
    refuseTogether('--from', { 'a CODE': args[0] });
    await deleteFromFile(context, from, options);
  },
});
