/** Flags of `scans verify`. */
import { choiceOptions } from '../../code-choice.ts';
import { flag, text, texts, type Values } from '../../define.ts';
import { outputOptionsWithoutIds } from '../../output-options.ts';
import { rangeOptions } from '../../range-options.ts';
import { movedFromOption } from '../../shared-flags.ts';

const { format, fields, delimiter, header, rawCells, excel } = outputOptionsWithoutIds;

export const options = {
  ...choiceOptions,
  ...rangeOptions,
  input: texts('--input <log>', 'Scan file to verify, with its rotated files', { complete: 'files' }),
  outputDir: text('--output-dir <dir>', 'Directory of scan files, or dataset, to verify', {
    complete: 'directories',
  }),
  repair: flag('--repair', 'Add the missing scans; remove nothing'),
  acceptGone: flag('--accept-gone', 'Stop reporting codes that were deleted on the service', { risky: true }),
  dryRun: flag('--dry-run', 'Show the differences or the plan; change nothing'),
  movedFrom: movedFromOption,
  ...{ format, fields, delimiter, header, rawCells, excel },
};

export type VerifyFlags = Values<typeof options>;
