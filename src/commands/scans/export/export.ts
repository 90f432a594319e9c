import { defineCommand } from '../../define.ts';
import { RANGE_FORMS } from '../../range-options.ts';
import { options } from './flags.ts';

export const command = defineCommand({
  description:
    'Exports raw scans, oldest first, each exactly once, or fails and leaves nothing behind. A code is an id or a slug. ' +
    `${RANGE_FORMS} ` +
    'The field ts_local (in --fields, and with --excel) is the time in --timezone.',
  arguments: [{ term: '[code...]', description: 'ids or slugs of codes', complete: 'codes' }],
  options,
  examples: [
    { command: 'qrctl scans export spring-menu -o scans.csv', does: 'all scans of one code' },
    { command: 'qrctl scans export --all --during last-month -o last-month.csv', does: 'one month of everything' },
    {
      command: 'qrctl scans export spring-menu -o scans.csv --append --quiet',
      does: 'from cron: what is new since the last run',
    },
    { command: 'qrctl scans export --all --output-dir scans --format ndjson', does: 'one file a code' },
    {
      command: 'qrctl scans export --all --output-dir lake -f parquet --partition-by day',
      does: 'a dataset for DuckDB, Spark, BigQuery; with --append it grows every night',
    },
  ],
  async run(context, { args, options }) {
    const { runExport } = await import('./run-export.ts');
    await runExport(context, args, options);
  },
});
