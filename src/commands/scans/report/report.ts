import { defineCommand } from '../../define.ts';
import { RANGE_FORMS } from '../../range-options.ts';
import { options } from './flags.ts';

export const command = defineCommand({
  description:
    'Writes a report of scans as one HTML page.\n\n' +
    'The page has charts with their figures, contains no scripts and loads nothing from the network. It works on phones, on A4 paper and ' +
    'with screen readers. The counts are verified as complete, like an export, or come from exported files. The same scans give the same ' +
    `page.\n\n${RANGE_FORMS}`,
  arguments: [{ term: '[code...]', description: 'IDs or slugs of codes', complete: 'codes' }],
  options,
  examples: [
    {
      command: 'qrctl scans report --all --during last-month -o october.html',
      does: "Report last month's scans of every code",
    },
    {
      command: 'qrctl scans report --input scans.csv --title "Spring campaign" -o report.html',
      does: 'Report the scans in a file, without requests',
    },
  ],
  async run(context, { args, options }) {
    const { runReport } = await import('./run-report.ts');
    await runReport(context, args, options);
  },
});
