/** Flags of `scans watch`. */
import { choiceOptions } from '../../code-choice.ts';
import { PERIOD, parsed, text, type Values } from '../../define.ts';
import { inputOptions } from '../../input-option.ts';
import { outputOptions } from '../../output-options.ts';
import { rangeOptions } from '../../range-options.ts';
import { sinceLastOption } from '../../since-last.ts';

export const options = {
  ...choiceOptions,
  ...inputOptions,
  quietFor: parsed('--quiet-for <duration>', 'Report codes with no scans for a time such as 7d', PERIOD),
  sinceLast: sinceLastOption,
  until: text('--until <time>', 'Judge as of TIME (default: now, or the last scan with --input)', {
    group: 'Range flags:',
  }),
  timezone: { ...rangeOptions.timezone, description: 'Time zone for weeks, and for times without one' },
  ...outputOptions,
};

export type WatchFlags = Values<typeof options>;
