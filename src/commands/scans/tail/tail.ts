import { choiceOptions } from '../../code-choice.ts';
import { choice, defineCommand, integer, PERIOD, parsed, text, type Values } from '../../define.ts';
import { outputOptions } from '../../output-options.ts';

const options = {
  ...choiceOptions,
  since: text('--since <time>', 'begin with the scans from this time on (default: now)'),
  interval: parsed('--interval <duration>', 'shortest time between two requests for a code (default: 10s)', PERIOD),
  maxEvents: integer('--max-events <n>', 'end after so many scans', { min: 1 }),
  format: choice('-f, --format <format>', 'csv, or one JSON object a line', ['csv', 'ndjson']),
  fields: outputOptions.fields,
  header: outputOptions.header,
};

export type TailFlags = Values<typeof options>;

export const command = defineCommand({
  description:
    'Prints new scans as they come, each once, oldest first of what is new, until it is ended. It lives through outages of the service, and ' +
    'shows scans that were listed up to an hour late. Each code costs one request an interval while little is new.',
  arguments: [{ term: '[code...]', description: 'ids or slugs of codes', complete: 'codes' }],
  options,
  examples: [
    { command: 'qrctl scans tail spring-menu', does: 'the launch, live' },
    { command: 'qrctl scans tail --all -f ndjson --interval 30s', does: 'one JSON object a line, for another program' },
  ],
  async run(context, { args, options }) {
    const { runTail } = await import('./run-tail.ts');
    await runTail(context, args, options);
  },
});
