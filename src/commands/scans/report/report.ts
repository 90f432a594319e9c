import { defineCommand } from '../../define.ts';
import { RANGE_FORMS } from '../../range-options.ts';
import { options } from './flags.ts';

export const command = defineCommand({
  description:
    'Writes one page to send to a client: charts with their figures beside them, in one file without script that asks for nothing from anywhere, ' +
    'good on a phone, on A4 and to a screen reader. What it shows is proven as an export is, or comes from files that one wrote. ' +
    `The same scans give the same page. ${RANGE_FORMS}`,
  arguments: [{ term: '[code...]', description: 'ids or slugs of codes', complete: 'codes' }],
  options,
  examples: [
    {
      command: 'qrctl scans report --all --during last-month -o october.html',
      does: 'the whole of last month',
    },
    {
      command: 'qrctl scans report --input scans.csv --title "Spring campaign" -o report.html',
      does: 'from the log on disk, without a request',
    },
  ],
  async run(context, { args, options }) {
    const { runReport } = await import('./run-report.ts');
    await runReport(context, args, options);
  },
});
