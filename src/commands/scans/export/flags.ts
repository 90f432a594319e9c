/** Flags of `scans export`. */
import { FILE_NAMES } from '../../../codes/listing/file-names.ts';
import { choiceOptions } from '../../code-choice.ts';
import { choice, duration, flag, text, texts, type Values } from '../../define.ts';
import { CHOOSING_FLAGS } from '../../input-option.ts';
import { scanOutputOptions } from '../../output-options.ts';
import { rangeOptions } from '../../range-options.ts';
import { movedFromOption, overwriteOption } from '../../shared-flags.ts';

const APPEND = 'Append and dataset flags:';

const OF_APPEND = { group: APPEND, requires: ['--append'] };

/** Flags that select scans of the service, or determine how to read them. */
const OF_SERVICE = ['--since', '--until', '--during', '--append', '--dry-run', '--verify', '--prove-beyond'];

export const options = {
  ...choiceOptions,
  ...rangeOptions,
  outputDir: text('--output-dir <dir>', 'Write one file per code to DIR', {
    complete: 'directories',
    conflicts: ['--output'],
  }),
  partitionBy: choice('--partition-by <unit>', 'Write a dataset to DIR, partitioned by', ['day', 'month'], {
    group: APPEND,
    requires: ['--output-dir'],
    conflicts: ['--restart', '--no-header', '--overwrite'],
  }),
  compact: flag('--compact', 'Merge the parts of each finished day or month', {
    group: APPEND,
    requires: ['--partition-by', '--append'],
  }),
  input: texts('--input <file>', 'Convert exported files to a dataset; no request', {
    group: APPEND,
    complete: 'files',
    requires: ['--output-dir', '--partition-by'],
    conflicts: [...CHOOSING_FLAGS, ...OF_SERVICE],
  }),
  fileNames: choice('--file-names <by>', 'Name of each file in DIR (default: id)', FILE_NAMES, {
    requires: ['--output-dir'],
  }),
  append: flag('--append', 'Add only scans that are new since the last run', {
    group: APPEND,
    requires: [['--output', '--output-dir']],
    conflicts: ['--overwrite'],
  }),
  restart: flag('--restart', 'Export again; keep FILE.old if scans would be lost', {
    ...OF_APPEND,
    risky: true,
  }),
  rotated: flag('--rotated', 'Continue in a new file if the old one was moved', OF_APPEND),
  overlap: duration('--overlap <duration>', 'Period to search for late scans (default: 1h)', OF_APPEND),
  verify: flag('--verify', 'Compare with the service and add missing scans', OF_APPEND),
  movedFrom: { ...movedFromOption, ...OF_APPEND },
  proveBeyond: flag('--prove-beyond', 'Detect capped totals (one extra request per code)'),
  dryRun: flag('--dry-run', 'Show scans, requests and time; export nothing'),
  ...scanOutputOptions,
  overwrite: overwriteOption,
};

export type ExportFlags = Values<typeof options>;
