/** Flags of `scans export`. */
import { FILE_NAMES } from '../../../codes/file-names.ts';
import { choiceOptions } from '../../code-choice.ts';
import { choice, duration, flag, text, type Values } from '../../define.ts';
import { movedFromOption } from '../../moved-from-option.ts';
import { scanOutputOptions } from '../../output-options.ts';
import { overwriteOption } from '../../overwrite-option.ts';
import { rangeOptions } from '../../range-options.ts';

const APPEND = 'Append flags:';

export const options = {
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
