import { defineCommand } from '../../define.ts';
import { RANGE_FORMS } from '../../range-options.ts';
import { options } from './flags.ts';

export const command = defineCommand({
  description:
    'Writes a report of scans as one HTML page or a PDF.\n\n' +
    'Both contain the same charts and figures. The page contains no scripts and loads nothing from the network. It works on phones, ' +
    'on A4 paper and with screen readers. The PDF has real text, bookmarks, and tags for screen readers.\n\n' +
    'The counts are verified as complete, like an export, or come from exported files. The same scans always produce the same ' +
    `file.\n\n${RANGE_FORMS}`,
  arguments: [{ term: '[code...]', description: 'IDs or slugs of codes', complete: 'codes' }],
  options,
  examples: [
    {
      command: 'qrctl scans report --all --during last-month -o october.html',
      does: "Report last month's scans of every code",
    },
    {
      command: 'qrctl scans report --all --during last-month --language de -o oktober.pdf',
      does: 'Write the same report in German as a PDF',
    },
    {
      command: 'qrctl scans report --input scans.csv --title "Spring campaign" -o report.html',
      does: 'Report on the scans in a file, without requests',
    },
  ],
  async run(context, { args, options }) {
    const { runReport } = await import('./run-report.ts');
    await runReport(context, args, options);
  },
});
