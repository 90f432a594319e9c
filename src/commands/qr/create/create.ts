/** `qr create`: its flags, and the choice between its forms. */
import type { Context } from '../../../context.ts';
import { defineCommand } from '../../define.ts';
import { refuseTogether } from '../../shared-flags.ts';
import { policyOf, requireFrom } from '../rows/flags.ts';
import { utmOf } from '../utm-flags.ts';
import { type CreateFlags, fileOptions, options } from './flags.ts';

export const command = defineCommand({
  description:
    'Creates one code, or one code per row of a file.\n\n' +
    'The file has the columns name, type and destination. Each row gets exactly one code, even if you kill the command, copy or sort the ' +
    'file, and run it again. Rows with an ID or slug are existing codes. If a row differs from its code, decide with --apply-edits or --as-new.',
  options,
  async columns() {
    const [{ CODE_OUTPUT }, { BULK_OUTPUT }, { TEMPLATE_COLUMNS }, { PLAN_COLUMNS }] = await Promise.all([
      import('../code-columns.ts'),
      import('../named-codes.ts'),
      import('./one.ts'),
      import('../plan/plan-records.ts'),
    ]);
    return [
      CODE_OUTPUT,
      BULK_OUTPUT,
      { when: '--from --dry-run', columns: PLAN_COLUMNS },
      { when: '--template', columns: TEMPLATE_COLUMNS },
    ];
  },
  examples: [
    {
      command: 'qrctl qr create --name "Spring menu" --destination https://example.com/menu',
      does: 'Create one code',
    },
    {
      command: 'qrctl qr create --from codes.csv',
      does: 'Create a code per row, with the results in codes.results.csv',
    },
    {
      command: 'qrctl qr create --from codes.csv --dry-run',
      does: 'Show which rows are new, exist or were edited',
    },
  ],
  async run(context, { options }) {
    if (options.template) return (await import('./one.ts')).printTemplate(context, options);
    if (options.from === undefined) {
      requireFrom(fileOptions, options);
      return (await import('./one.ts')).createOne(context, options);
    }
    refuseTogether('--from', {
      '--name': options.name,
      '--type': options.type,
      '--destination': options.destination,
    });
    await createFromFile(context, options.from, options);
  },
});

/** Creates the codes of the rows that have none. Throws as `runFile`. */
async function createFromFile(context: Context, from: string, flags: CreateFlags): Promise<void> {
  const { runFile } = await import('../rows/run-file.ts');
  const policy = policyOf('create', flags, { applyEdits: flags.applyEdits ?? false });
  await runFile(context, from, flags, { policy, done: 'created', common: { utm: utmOf(flags) } });
}
