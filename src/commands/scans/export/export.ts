import { FILE_NAMES } from '../../../codes/file-names.ts';
import { choiceOptions } from '../../code-choice.ts';
import { choice, defineCommand, duration, flag, text, type Values } from '../../define.ts';
import { movedFromOption } from '../../moved-from-option.ts';
import { scanOutputOptions } from '../../output-options.ts';
import { overwriteOption } from '../../overwrite-option.ts';
import { RANGE_FORMS, rangeOptions } from '../../range-options.ts';

const APPEND = 'Append flags:';

const options = {
  ...choiceOptions,
  ...rangeOptions,
  outputDir: text('--output-dir <dir>', 'one file a code', { complete: 'directories' }),
  partitionBy: choice(
    '--partition-by <unit>',
    'with --output-dir: a dataset, its rows in DIR/dt=… by their own time',
    ['day', 'month'],
    {
      group: 'Dataset flags:',
    },
  ),
  compact: flag('--compact', 'at the end the parts of each day or month that is over become one', { group: 'Dataset flags:' }),
  fileNames: choice(
    '--file-names <by>',
    'with --output-dir: by id, or by slug where that is safe and unique (default: id)',
    FILE_NAMES,
  ),
  append: flag('--append', 'add only what is new since the last run; survives kill -9', { group: APPEND }),
  restart: flag(
    '--restart',
    'With --append: export everything again and replace the file; the old one stays as FILE.old if it has scans that the new one lacks',
    { group: APPEND, risky: true },
  ),
  rotated: flag('--rotated', 'with --append: the file may have been moved away (logrotate): a new one goes on where it ended', {
    group: APPEND,
  }),
  overlap: duration('--overlap <duration>', 'with --append: how far back to look for late scans (default: 1h)', {
    group: APPEND,
  }),
  movedFrom: { ...movedFromOption.movedFrom, group: APPEND },
  proveBeyond: flag('--prove-beyond', 'one request more a code, which finds out a total that is cut off at any number'),
  dryRun: flag('--dry-run', 'say what would be read: codes, range, scans, requests and time'),
  ...scanOutputOptions,
  ...overwriteOption,
};

export type ExportFlags = Values<typeof options>;

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
