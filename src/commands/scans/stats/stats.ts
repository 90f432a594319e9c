import { defineCommand } from '../../define.ts';
import { RANGE_FORMS } from '../../range-options.ts';
import { options } from './flags.ts';

export const command = defineCommand({
  description:
    'Counts scans by day, country, device and more.\n\n' +
    'The counts are verified as complete, like an export, or come from exported files. The default is --by day. Periods that differ in ' +
    `length are compared by averages per day. ${RANGE_FORMS}`,
  arguments: [{ term: '[code...]', description: 'IDs or slugs of codes', complete: 'codes' }],
  options,
  async columns() {
    const [{ COLUMNS }, dryRun] = await Promise.all([import('./run-stats.ts'), import('./dry-run.ts')]);
    return [{ columns: COLUMNS }, { when: '--dry-run', columns: dryRun.COLUMNS }];
  },
  examples: [
    { command: 'qrctl scans stats spring-menu --during this-month', does: 'Count the scans of each day' },
    {
      command: 'qrctl scans stats --all --by code --during last-month --compare previous',
      does: 'Compare the scans of each code with the previous month',
    },
    {
      command: 'qrctl scans stats --all --join codes.csv --by type --during last-month',
      does: 'Count scans by a column from a code list',
    },
    {
      command: 'qrctl scans stats --input scans.csv --by country --by device',
      does: 'Count the scans in a file',
    },
  ],
  async run(context, { args, options }) {
    const { runStats } = await import('./run-stats.ts');
    await runStats(context, args, options);
  },
});
