/** Declares the flags that `scans stats` and `scans report` share: codes or files, range and dimensions. */
import { COMPARISONS } from '../../../scans/stats/compare-span.ts';
import { DIMENSIONS } from '../../../scans/stats/dimensions.ts';
import { choiceOptions } from '../../code-choice.ts';
import { choice, integer, text, texts, type Values } from '../../define.ts';
import { inputOptions } from '../../input-option.ts';
import { rangeOptions } from '../../range-options.ts';
import { limitOption } from '../../shared-flags.ts';

const TOP_BOUNDS = { min: 1, max: 10_000 };

export const countOptions = {
  ...choiceOptions,
  ...inputOptions,
  by: { ...texts('--by <dimension>', 'Dimension, or column of --join, to count by'), choices: DIMENSIONS },
  join: text(
    '--join <file|->',
    'File with an id or slug column, and the columns for --by (- for standard input)',
    {
      complete: 'files',
      requires: ['--by'],
    },
  ),
  top: integer('--top <n>', 'Show the top N values; group the rest as "other"', TOP_BOUNDS, {
    conflicts: ['--limit'],
  }),
  limit: limitOption('--top', TOP_BOUNDS),
  compare: choice('--compare <period>', 'Period to compare with (default: none)', COMPARISONS),
  ...rangeOptions,
};

export type CountFlags = Values<typeof countOptions>;
