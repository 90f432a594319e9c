/** Flags of `scans export`. */
import { FILE_NAMES } from '../../../codes/listing/file-names.ts';
import { choiceOptions } from '../../code-choice.ts';
import { choice, duration, flag, text, texts, type Values } from '../../define.ts';
import { scanOutputOptions } from '../../output-options.ts';
import { rangeOptions } from '../../range-options.ts';
import { movedFromOption, overwriteOption } from '../../shared-flags.ts';

const APPEND = 'Append and dataset flags:';

export const options = {
  ...choiceOptions,
  ...rangeOptions,
  outputDir: text('--output-dir <dir>', 'Write one file per code to DIR', { complete: 'directories' }),
  partitionBy: choice('--partition-by <unit>', 'Write a dataset to DIR, partitioned by', ['day', 'month'], {
    group: APPEND,
  }),
  compact: flag('--compact', 'Merge the parts of each finished day or month', { group: APPEND }),
  input: texts('--input <file>', 'Convert exported files to a dataset; no request', {
    group: APPEND,
    complete: 'files',
  }),
  fileNames: choice('--file-names <by>', 'Name of each file in DIR (default: id)', FILE_NAMES),
  append: flag('--append', 'Add only scans that are new since the last run', { group: APPEND }),
  restart: flag('--restart', 'Export again; keep FILE.old if scans would be lost', {
    group: APPEND,
    risky: true,
  }),
  rotated: flag('--rotated', 'Continue in a new file if the old one was moved', { group: APPEND }),
  overlap: duration('--overlap <duration>', 'Period to search for late scans (default: 1h)', {
    group: APPEND,
  }),
  verify: flag('--verify', 'Compare with the service and add missing scans', { group: APPEND }),
  movedFrom: { ...movedFromOption, group: APPEND },
  proveBeyond: flag('--prove-beyond', 'Detect capped totals (one extra request per code)'),
  dryRun: flag('--dry-run', 'Show scans, requests and time; export nothing'),
  ...scanOutputOptions,
  overwrite: overwriteOption,
};

export type ExportFlags = Values<typeof options>;
