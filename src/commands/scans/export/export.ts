import { defineCommand } from '../../define.ts';
import { RANGE_FORMS } from '../../range-options.ts';
import { options } from './flags.ts';

export const command = defineCommand({
  description:
    'Exports raw scans, oldest first, complete or not at all.\n\n' +
    `If an export cannot be verified as complete, it fails and changes no file. ${RANGE_FORMS}`,
  arguments: [{ term: '[code...]', description: 'IDs or slugs of codes', complete: 'codes' }],
  options,
  async columns() {
    const [{ scanOutputs }, { LOCAL_TIME }, { COLUMNS }] = await Promise.all([
      import('../labels.ts'),
      import('./added-columns.ts'),
      import('./dry-run.ts'),
    ]);
    return [...scanOutputs([LOCAL_TIME]), { when: '--dry-run', columns: COLUMNS }];
  },
  examples: [
    {
      command: 'qrctl scans export --all --during last-month -o last-month.csv',
      does: "Export last month's scans of every code",
    },
    {
      command: 'qrctl scans export spring-menu -o scans.csv --append --quiet',
      does: 'Append new scans, for example in an hourly cron job',
    },
    {
      command: 'qrctl scans export --all --output-dir lake -f parquet --partition-by day',
      does: 'Write a dataset for DuckDB, Spark or BigQuery',
    },
  ],
  async run(context, { args, options }) {
    if (options.input) {
      const { convertLogs } = await import('./convert-logs.ts');
      return convertLogs(context, args, options);
    }
    const { runExport } = await import('./run-export.ts');
    await runExport(context, args, options);
    if (!options.verify || options.dryRun) return;
    const { verifyAppended } = await import('../verify/run-verify.ts');
    await verifyAppended(context, args, options);
  },
});
