/** Flags of `scans tail`. */
import { choiceOptions } from '../../code-choice.ts';
import { choice, integer, PERIOD, parsed, text, type Values } from '../../define.ts';
import { outputOptions } from '../../output-options.ts';
import { limitOption, movedFromOption } from '../../shared-flags.ts';

export const options = {
  ...choiceOptions,
  since: text('--since <time>', 'Start with scans at or after TIME (default: now)'),
  state: text('--state <file>', 'Continue after the scans of the last run, recorded in FILE', {
    complete: 'files',
    writes: true,
  }),
  movedFrom: { ...movedFromOption, requires: ['--state'] },
  interval: parsed(
    '--interval <duration>',
    'Minimum time between requests for the same code (default: 10s)',
    PERIOD,
  ),
  maxEvents: integer('--max-events <n>', 'Exit after N scans', { min: 1 }, { conflicts: ['--limit'] }),
  limit: limitOption('--max-events', { min: 1 }),
  format: choice('-f, --format <format>', 'Output format (default: csv)', ['csv', 'ndjson']),
  fields: outputOptions.fields,
  header: outputOptions.header,
};

export type TailFlags = Values<typeof options>;
