import { defineCommand } from '../../define.ts';
import { RANGE_FORMS } from '../../range-options.ts';
import { options } from './flags.ts';

export const command = defineCommand({
  description:
    'Compares exported scans with the service, and adds missing ones.\n\n' +
    'One request per code returns its total. If it differs from the file, qrctl finds the days that differ and compares only those. ' +
    'It also finds scans that arrived later than the --overlap of an append. Scans in archived or deleted ' +
    'files of a log are not missing. It exits with code 8 if anything differs, and with code 9 if the ' +
    `service can't be compared. ${RANGE_FORMS}`,
  arguments: [{ term: '[code...]', description: 'IDs or slugs of codes', complete: 'codes' }],
  options,
  async columns() {
    const [{ COLUMNS }, { PLAN_COLUMNS }] = await Promise.all([
      import('./tell-results.ts'),
      import('./run-verify.ts'),
    ]);
    return [{ columns: COLUMNS }, { when: '--dry-run', columns: PLAN_COLUMNS }];
  },
  examples: [
    {
      command: 'qrctl scans verify spring-menu --input scans.csv',
      does: 'Compare an appended file with the service',
    },
    {
      command: 'qrctl scans verify --all --output-dir lake --repair',
      does: 'Add missing scans to a dataset',
    },
    {
      command: 'qrctl scans verify spring-menu --input scans.csv --repair --dry-run',
      does: 'Show the scans that would be added',
    },
  ],
  async run(context, { args, options }) {
    const { runVerify } = await import('./run-verify.ts');
    await runVerify(context, args, options);
  },
});
