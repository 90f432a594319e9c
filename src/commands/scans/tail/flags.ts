/** Flags of `scans tail`. */
import { choiceOptions } from '../../code-choice.ts';
import { choice, integer, PERIOD, parsed, text, type Values } from '../../define.ts';
import { outputOptions } from '../../output-options.ts';

export const options = {
  ...choiceOptions,
  since: text('--since <time>', 'begin with the scans from this time on (default: now)'),
  interval: parsed('--interval <duration>', 'shortest time between two requests for a code (default: 10s)', PERIOD),
  maxEvents: integer('--max-events <n>', 'end after so many scans', { min: 1 }),
  format: choice('-f, --format <format>', 'csv, or one JSON object a line', ['csv', 'ndjson']),
  fields: outputOptions.fields,
  header: outputOptions.header,
};

export type TailFlags = Values<typeof options>;
