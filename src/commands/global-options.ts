/** Declares the flags that every command accepts, before and after its name. */
import { VALUES } from '../settings/values.ts';
import { flag, type OptionDefinition, PERIOD, parsed, text, type ValueType } from './define.ts';

export const GLOBAL_FLAGS = 'Global flags:';

/** Declares a flag whose value is checked while parsing but kept as typed. */
function checked(
  flags: string,
  description: string,
  { parse, forms, type }: { parse: (raw: string) => unknown; forms: string; type?: ValueType },
): OptionDefinition<string> {
  const keep = (raw: string) => (parse(raw) === undefined ? undefined : raw);
  return parsed(flags, description, { parse: keep, forms, ...(type && { type }) }, { group: GLOBAL_FLAGS });
}

export const globalOptions = {
  profile: text(
    '--profile <name>',
    'Stored profile to use, with its key and base URL (variable: QRCTL_PROFILE)',
    {
      group: GLOBAL_FLAGS,
      complete: 'profiles',
    },
  ),
  baseUrl: text('--base-url <url>', 'Base URL of the service, ending in /api/v1 (variable: QRCTL_BASE_URL)', {
    group: GLOBAL_FLAGS,
  }),
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
    {
      group: GLOBAL_FLAGS,
    },
  ),
  retryFor: parsed(
    '--retry-for <duration>',
    'Total time to retry failed connections and 5xx responses before exiting with code 7 (default: 30s)',
    VALUES['max-wait'],
    { group: GLOBAL_FLAGS },
  ),
  summary: text(
    '--summary <file>',
    'Write a run summary to FILE, even if the run fails: JSON, or Prometheus metrics if FILE ends in .prom',
    { group: GLOBAL_FLAGS, complete: 'files' },
  ),
  quiet: flag('-q, --quiet', 'Print errors only, without progress and notes', { group: GLOBAL_FLAGS }),
  verbose: flag('-v, --verbose', 'Print one line per request to standard error', { group: GLOBAL_FLAGS }),
  color: flag('--no-color', 'Disable color', { group: GLOBAL_FLAGS }),
};

export const requestOptions = {
  help: flag('-h, --help', 'Print help', { group: GLOBAL_FLAGS }),
  version: flag('-V, --version', 'Print the version', { group: GLOBAL_FLAGS }),
};
