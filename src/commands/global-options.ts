import { VALUES } from '#settings/values';
import {
  flag,
  inGroup,
  type OptionDefinition,
  outputFile,
  PERIOD,
  parsed,
  text,
  type ValueForms,
} from './define.ts';

export const GLOBAL_FLAGS = 'Global flags:';

function checked(flags: string, description: string, forms: ValueForms<unknown>): OptionDefinition<string> {
  const parse = (raw: string) => (forms.parse(raw) === undefined ? undefined : raw);
  return parsed(flags, description, { ...forms, parse });
}

export const globalOptions = inGroup(GLOBAL_FLAGS, {
  profile: text(
    '--profile <name>',
    'Stored profile to use, with its key and base URL (variable: QRCTL_PROFILE)',
    { complete: 'profiles' },
  ),
  baseUrl: text('--base-url <url>', 'Base URL of the service, ending in /api/v1 (variable: QRCTL_BASE_URL)'),
  maxWait: checked(
    '--max-wait <duration>',
    'Maximum total time to wait for the rate limit (default: unlimited, 0: never wait). If exceeded, exit with code 6.',
    VALUES['max-wait'],
  ),
  reserve: checked(
    '--reserve <n|n%>',
    'Requests per window to reserve for other clients, as a number or a percentage (default: 0)',
    VALUES.reserve,
  ),
  concurrency: checked(
    '--concurrency <n>',
    'Number of requests to send at once (default: 4; at most 32)',
    VALUES.concurrency,
  ),
  timeout: parsed(
    '--timeout <duration>',
    'Time limit per request, from connect to last byte (default: 30s)',
    PERIOD,
  ),
  retryFor: parsed(
    '--retry-for <duration>',
    'Total time to retry failed connections and 5xx responses before exiting with code 7 (default: 30s)',
    VALUES['max-wait'],
  ),
  summary: outputFile(
    '--summary <file>',
    'Write a run summary to FILE, even if the run fails: JSON, or Prometheus metrics if FILE ends in .prom',
  ),
  quiet: flag('-q, --quiet', 'Print errors only, without progress and notes'),
  verbose: flag('-v, --verbose', 'Print one line per request to standard error'),
  color: flag('--no-color', 'Disable color'),
});

export const lineOptions = {
  ...globalOptions,
  ...inGroup(GLOBAL_FLAGS, {
    help: flag('-h, --help', 'Print help'),
    version: flag('-V, --version', 'Print the version'),
  }),
};
