/** `qr update`: its flags, and the choice between its forms. */
import { UsageError } from '../../../base/errors.ts';
import type { CodeChanges } from '../../../service/shapes.ts';
import { defineCommand } from '../../define.ts';
import { refuseTogether } from '../../shared-flags.ts';
import { CODE_OUTPUT } from '../code-columns.ts';
import { requireFrom } from '../rows/flags.ts';
import { utmOf } from '../utm-flags.ts';
import { fileOptions, options, type UpdateFlags } from './flags.ts';

export const command = defineCommand({
  description:
    'Updates one or more codes, or each row of a file.\n\n' +
    'Each row has an ID or slug, and the new values. If a cell is empty, the value of the flag applies, or the field stays unchanged. Unchanged rows ' +
    'require no update request, so you can safely run the command again.',
  arguments: [{ term: '[code...]', description: 'IDs or slugs of codes', complete: 'codes' }],
  options,
  async columns() {
    const [{ BULK_OUTPUT, NAMED_COLUMNS }, { PLAN_COLUMNS, DUE_PLAN_COLUMNS }] = await Promise.all([
      import('../named-codes.ts'),
      import('../plan/plan-records.ts'),
    ]);
    return [
      CODE_OUTPUT,
      { when: 'CODE CODE…', columns: NAMED_COLUMNS },
      BULK_OUTPUT,
      { when: '--dry-run', columns: PLAN_COLUMNS },
      { when: '--from --due --dry-run', columns: DUE_PLAN_COLUMNS },
    ];
  },
  examples: [
    {
      command: 'qrctl qr update spring-menu --destination https://example.com/summer',
      does: 'Change the destination of a printed code',
    },
    {
      command: 'qrctl qr update --from changes.csv --dry-run',
      does: 'Show the old and new values of every row',
    },
    {
      command: 'qrctl qr update --from plan.csv --due',
      does: 'Apply the rows that are due, for example in an hourly cron job',
    },
  ],
  async run(context, { args: codes, options }) {
    const { from } = options;
    if (from !== undefined) {
      refuseTogether('--from', { 'a CODE': codes[0] });
      refuseTogether('--due', { '--ignore-dates': options.due && options.ignoreDates });
      const { force, ignoreDates } = options;
      const common = {
        changes: hasChanges(options) ? changesOf(options) : {},
        utm: utmOf(options),
        force,
        ignoreDates,
      };
      if (!options.due && options.timezone !== undefined)
        throw new UsageError('--timezone requires --due', { hint: 'Add --due, or omit --timezone.' });
      if (options.due) return (await import('./due.ts')).updateDue(context, from, common, options);
      return (await import('./from-file.ts')).updateFromFile(context, from, common, options);
    }
    // A plan of codes without a file is shown, too.
    requireFrom(fileOptions, { ...options, dryRun: undefined });
    if (codes.length === 0)
      throw new UsageError('no code specified', {
        hint: 'Run `qrctl qr update CODE… --status paused`, or update many codes with --from FILE.',
      });
    const utm = utmOf(options);
    const changes = utm && !hasChanges(options) ? {} : changesOf(options);
    await (await import('./named.ts')).updateNamed(context, codes, { changes, utm }, options);
  },
});

function hasChanges({ name, destination, status }: UpdateFlags): boolean {
  return name !== undefined || destination !== undefined || status !== undefined;
}

function changesOf(flags: UpdateFlags): CodeChanges {
  const { name, destination, status } = flags;
  if (!hasChanges(flags)) {
    throw new UsageError('no change specified', {
      hint: 'Add --name, --destination, --status or a --utm-… flag.',
    });
  }
  if (name?.trim() === '')
    throw new UsageError('--name contains only spaces', { hint: 'Specify a visible name.' });
  return {
    ...(name !== undefined && { name }),
    ...(destination !== undefined && { destination }),
    ...(status !== undefined && { status }),
  };
}
