/** `qr apply`: its flags, and which of its forms they ask for. */
import { UsageError } from '../../../base/errors.ts';
import { defineCommand } from '../../define.ts';
import { refuseTogether } from '../../shared-flags.ts';
import { options } from './flags.ts';

export const command = defineCommand({
  description:
    'Creates and changes codes until they match a file.\n\n' +
    'Each row has a key that never changes. The lock file next to the file records the code of each key: keep both in git. An empty ' +
    'cell leaves a field as it is. Nothing is deleted.\n\n' +
    'A plan that changes or removes more keys than --max-changes is refused (exit 9). If a key may be one of several codes, or its ' +
    'code was deleted, decide with --adopt, --adopt-existing or --as-new.',
  options,
  async columns() {
    const [{ APPLIED_COLUMNS, PLAN_COLUMNS }, init] = await Promise.all([
      import('../plan/plan-records.ts'),
      import('./init.ts'),
    ]);
    return [
      { columns: APPLIED_COLUMNS },
      { when: '--dry-run', columns: PLAN_COLUMNS },
      { when: '--init', columns: init.COLUMNS },
    ];
  },
  examples: [
    {
      command: 'qrctl qr apply --init -o codes.csv',
      does: 'Write a file and a lock file of the existing codes',
    },
    { command: 'qrctl qr apply --from codes.csv --dry-run', does: 'Show the codes to create and change' },
    {
      command: 'qrctl qr apply --from codes.csv',
      does: 'Create and change codes, and update codes.lock.json',
    },
    {
      command: 'qrctl qr apply --from codes.csv --dry-run --format markdown',
      does: 'Print the plan for a pull request',
    },
  ],
  async run(context, { options }) {
    if (options.init) {
      refuseTogether('--init', {
        '--from': options.from,
        '--dry-run': options.dryRun,
        '--offline': options.offline,
      });
      return (await import('./init.ts')).initFile(context, options);
    }
    if (options.from === undefined) {
      throw new UsageError('missing --from', {
        hint: 'Add --from FILE, or write a first file with --init -o codes.csv.',
      });
    }
    await (await import('./from-file.ts')).applyFile(context, options.from, options);
  },
});
