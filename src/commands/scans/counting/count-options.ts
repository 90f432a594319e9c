/** The flags that `scans stats` and `scans report` share: whose scans, of when, by what. */
import { COMPARISONS } from '../../../stats/compare-span.ts';
import { DIMENSIONS } from '../../../stats/dimensions.ts';
import { choiceOptions } from '../../code-choice.ts';
import { choice, choices, integer, negation, texts, type Values } from '../../define.ts';
import { rangeOptions } from '../../range-options.ts';

export const countOptions = {
  ...choiceOptions,
  input: {
    ...texts(
      '--input <file>',
      'Count files that `scans export` wrote, each with its rotated files, or a directory of them; no request is sent',
      { complete: 'files' },
    ),
  },
  rotated: negation(
    '--no-rotated',
    'Read only the files specified with --input, not the rotated ones (FILE.1, FILE-20261101.gz)',
  ),
  by: choices('--by <what>', 'what to count by', DIMENSIONS),
  top: integer('--top <n>', 'so many rows of each, and one for all others', { min: 1, max: 10_000 }),
  compare: choice('--compare <with>', 'the calendar unit or the days before, or the same a year before', COMPARISONS),
  ...rangeOptions,
};

export type CountFlags = Values<typeof countOptions>;
