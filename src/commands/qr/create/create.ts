/** `qr create`: its flags, and the choice between its forms. */
import { defineCommand } from '../../define.ts';
import { refuseTogether } from '../../shared-flags.ts';
import { requireFrom } from '../bulk-flags.ts';
import { fileOptions, options } from './flags.ts';

export const command = defineCommand({
  description:
    'Creates one code, or one code per row of a file.\n\n' +
    'The file has the columns name, type and destination. Each row is created exactly once, even if you kill the command and run it ' +
    'again. If you edit a row after its code was created, decide with --apply-edits or --as-new.',
  options,
  async columns() {
    const [{ CODE_OUTPUT }, { BULK_OUTPUT }, { TEMPLATE_COLUMNS }, { PLAN_COLUMNS }] = await Promise.all([
      import('../code-columns.ts'),
      import('../named-codes.ts'),
      import('./one.ts'),
      import('./from-file.ts'),
    ]);
    return [
      CODE_OUTPUT,
      BULK_OUTPUT,
      { when: '--from --dry-run', columns: PLAN_COLUMNS },
      { when: '--template', columns: TEMPLATE_COLUMNS },
    ];
  },
  examples: [
    { command: 'qrctl qr create --name "Spring menu" --destination https://example.com/menu', does: 'Create one code' },
    { command: 'qrctl qr create --from codes.csv', does: 'Create a code per row, with the results in codes.results.csv' },
    { command: 'qrctl qr create --from codes.json --skip-existing --format json', does: 'Create codes in CI without a journal' },
  ],
  async run(context, { options }) {
    if (options.template) return (await import('./one.ts')).printTemplate(context, options);
    if (options.from === undefined) {
      requireFrom(fileOptions, options);
      return (await import('./one.ts')).createOne(context, options);
    }
    refuseTogether('--from', { '--name': options.name, '--type': options.type, '--destination': options.destination });
    await (await import('./from-file.ts')).createFromFile(context, options.from, options);
  },
});
