/** `qr delete`: its flags, and the choice between its forms. */
import { defineCommand } from '../../define.ts';
import { refuseTogether } from '../../shared-flags.ts';
import { options } from './flags.ts';

export const command = defineCommand({
  description:
    "Deletes codes and all their scans. This can't be undone.\n\n" +
    'Printed codes stop working. On a terminal, qrctl shows the names and scan counts and prompts for confirmation. ' +
    'Without a terminal, it requires --yes.',
  arguments: [{ term: '[code...]', description: 'IDs or slugs of codes', complete: 'codes' }],
  options,
  async columns() {
    const [{ BULK_OUTPUT, NAMED_COLUMNS }, { LOSS_COLUMNS }] = await Promise.all([
      import('../named-codes.ts'),
      import('./losses.ts'),
    ]);
    return [{ columns: NAMED_COLUMNS }, BULK_OUTPUT, { when: '--dry-run', columns: LOSS_COLUMNS }];
  },
  examples: [
    { command: 'qrctl qr delete spring-menu', does: 'Delete one code after confirmation' },
    { command: 'qrctl qr delete spring-menu --backup deleted', does: 'Delete a code after saving its scans' },
    {
      command: 'qrctl qr delete --from old.csv --dry-run',
      does: 'Show the codes and scans that would be lost',
    },
    {
      command: 'qrctl qr delete --from old.csv --yes',
      does: 'Delete codes in a script, with the results in old.results.csv',
    },
  ],
  async run(context, { args, options }) {
    const { from } = options;
    const { deleteCodes, deleteFromFile } = await import('./delete-codes.ts');
    if (from === undefined) return deleteCodes(context, args, options);
    refuseTogether('--from', { 'a CODE': args[0] });
    await deleteFromFile(context, from, options);
  },
});
